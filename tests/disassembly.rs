//! The machine code of the loops around x86's SHA instructions.
//!
//! Those have no VEX form. Where the upper halves of the vector registers are
//! dirty, each step between them and VEX code costs hundreds of cycles, and one
//! wide move that the compiler slips in makes a loop a hundred times slower
//! while every digest stays right. So their code is read, as it is shipped.

mod common;

use std::path::Path;
use std::process::Command;

use common::{force_stage, have, not_run, output, stage};

struct Function {
    /// The last part of its Rust path.
    name: String,
    /// Mnemonic and operands.
    code: Vec<String>,
}

/// The functions of an object file that have SHA instructions. It has to have their names.
fn functions(file: &Path) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for line in output(Command::new("objdump").args(["-d", "-C", "--no-show-raw-insn"]).arg(file)).lines() {
        if let Some((_, rest)) = line.split_once(" <")
            && let Some(path) = rest.strip_suffix(">:")
        {
            // Newer compilers put a hash behind the name.
            let path = path.split_once("::h").map_or(path, |(path, _)| path);
            let name = path.rsplit("::").find(|part| !part.starts_with('<')).unwrap_or(path);
            functions.push(Function { name: name.to_string(), code: Vec::new() });
        } else if let Some((_, code)) = line.split_once(":\t")
            && let Some(function) = functions.last_mut()
        {
            function.code.push(code.trim().to_string());
        }
    }
    functions.retain(|f| f.code.iter().any(|code| code.starts_with("sha1rnds4")));
    functions
}

/// What is wrong with a function, if anything is.
fn fault(Function { name, code }: &Function) -> Option<String> {
    if code.is_empty() {
        return Some("is empty".into());
    }
    for line in code {
        // What makes an upper half dirty is a write (the last operand). To store
        // a wide register that a narrow instruction has zeroed costs nothing.
        // The SHA instructions can name no registers but the first 16.
        let written = line.split([' ', ',']).next_back().unwrap_or("");
        let number = written.strip_prefix("%ymm").or(written.strip_prefix("%zmm"));
        let number = number.map(|number| number.split(|c: char| !c.is_ascii_digit()).next().unwrap());
        if number.is_some_and(|number| number.parse::<u32>().expect("a register") < 16) {
            return Some(format!("writes a wide register: {line}"));
        }
    }
    // All vector instructions in VEX or EVEX encoding begin with a v.
    let first = code.iter().find(|line| line.starts_with('v'));
    match (["_vl", "_vex"].iter().any(|end| name.ends_with(end)) || name == "scan", first) {
        (true, None) => Some("does not use AVX".into()),
        (true, Some(first)) if !first.starts_with("vzeroupper") => {
            Some(format!("begins with {first}, perhaps in dirty registers of the caller's"))
        }
        (false, Some(first)) => Some(format!("is to be SSE code, and has {first}")),
        _ => None,
    }
}

/// A reader of the wrong places would be content with everything.
#[test]
fn faults_are_found() {
    let fault = |name: &str, code: &[&str]| {
        fault(&Function { name: name.into(), code: code.iter().map(|line| line.to_string()).collect() })
    };
    assert_eq!(fault("compress", &["movdqu (%rdi),%xmm0", "sha1rnds4 $0x0,%xmm1,%xmm0"]), None);
    assert_eq!(fault("compress_vl", &["push %rbx", "vzeroupper", "vprold $0x1,%xmm1,%xmm2{%k1}{z}"]), None);
    assert_eq!(fault("compress_vl", &["vzeroupper", "vmovdqu %ymm1,0xd0(%rsp)"]), None);
    assert_eq!(
        fault("scan", &["vzeroupper", "vprold $0x10,%ymm17,%ymm17", "vpxord %zmm1,%zmm2,%zmm31"]),
        None
    );
    assert!(fault("compress", &[]).is_some());
    assert!(fault("compress", &["vmovdqa %xmm0,%xmm1"]).is_some());
    assert!(fault("compress_vl", &["movdqu (%rdi),%xmm0"]).is_some());
    assert!(fault("compress_vl", &["vmovdqa %xmm0,%xmm1", "vzeroupper"]).is_some());
    assert!(fault("compress_vl", &["vzeroupper", "vmovdqu (%rdi),%ymm1"]).is_some());
    assert!(fault("compress_vl", &["vzeroupper", "vpaddd %zmm1,%zmm2,%zmm3{%k1}"]).is_some());
}

#[test]
fn sha_loops_keep_out_of_the_wide_registers() {
    if !cfg!(target_arch = "x86_64") {
        return not_run("disassembly (for x86-64 only)");
    }
    if !have("objdump") {
        return not_run("disassembly (no objdump)");
    }
    let lib = stage().join("lib");
    let mut found = 0;
    for file in [lib.join("libshaone.a"), lib.join("libshaone.so"), force_stage().join("libshaone.so")] {
        let functions = functions(&file);
        for function in &functions {
            let fault = fault(function);
            assert!(fault.is_none(), "{} in {} {}", function.name, file.display(), fault.unwrap());
        }
        // An installed library may be stripped; one of the three is not.
        let names = [
            "compress",
            "compress_vl",
            "compress_msg",
            "in_turns_vl",
            "four_msg",
            "scan",
            "singles_vex",
            "fours_vex",
        ];
        for name in names {
            found += usize::from(functions.iter().any(|function| function.name == name));
        }
    }
    assert!(found >= 8 && found % 8 == 0, "the functions were not found: do they have other names now?");
}
