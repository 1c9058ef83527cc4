//! The list parser of examples/programs/sha1sum.c beside the one of coreutils 9.1, if that is
//! the system's: what `sha1sum -c` prints, and its exit status.
#![no_main]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs, ptr, slice};

use libfuzzer_sys::{Corpus, fuzz_target};
// What sha1sum.c is linked to.
use shaone as _;

unsafe extern "C" {
    fn shim_check_list(
        list: *const c_char,
        report: c_int,
        strict: bool,
        ignore_missing: bool,
        text: *mut *mut c_char,
        len: *mut usize,
    ) -> bool;
    fn free(memory: *mut c_void);
}

const LIST: &CStr = c"list";

/// What a list can name, besides itself. The dictionary has the digests.
const FILES: [(&str, &str); 6] =
    [("empty", ""), ("abc", "abc"), ("a b", "1"), (" x", "2"), ("back\\slash", "3"), ("new\nline", "4")];

/// In the order of the enumeration in sha1sum.c.
const REPORTS: [&[&str]; 4] = [&[], &["--quiet"], &["--status"], &["--warn"]];

/// In a directory with those files from now on: whether sha1sum is one to compare with.
fn have_coreutils() -> bool {
    static HAVE: OnceLock<bool> = OnceLock::new();
    *HAVE.get_or_init(|| {
        let dir = env::temp_dir().join(format!("shaone-fuzz-lists-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        env::set_current_dir(&dir).unwrap();
        for (name, data) in FILES {
            fs::write(name, data).unwrap();
        }
        let version = Command::new("sha1sum").arg("--version").output();
        let have = version.is_ok_and(|output| output.stdout.starts_with(b"sha1sum (GNU coreutils) 9.1\n"));
        if !have {
            eprintln!("not run: coreutils 9.1 beside the list parser (sha1sum is another, or missing)");
        }
        have
    })
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((&options, list)) = input.split_first() else {
        return Corpus::Reject;
    };
    // Of this directory only.
    if list.contains(&b'/') {
        return Corpus::Reject;
    }
    let have_coreutils = have_coreutils();
    fs::write("list", list).unwrap();
    let (report, strict, ignore_missing) = (options as usize % 4, options & 4 != 0, options & 8 != 0);

    let (mut text, mut len) = (ptr::null_mut(), 0);
    // SAFETY: one thread; text and len are written by the function, and the text is copied
    // before it is freed.
    let (ok, ours) = unsafe {
        let ok = shim_check_list(LIST.as_ptr(), report as c_int, strict, ignore_missing, &mut text, &mut len);
        let ours = slice::from_raw_parts(text.cast::<u8>(), len).to_vec();
        free(text.cast());
        (ok, ours)
    };

    if have_coreutils {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new("sha1sum");
        command
            .arg("-c")
            .args(REPORTS[report])
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", env::var_os("PATH").unwrap());
        command.args(strict.then_some("--strict")).args(ignore_missing.then_some("--ignore-missing"));
        command.arg("list").stdin(Stdio::null()).stderr(writer.try_clone().unwrap()).stdout(writer);
        let mut child = command.spawn().unwrap();
        // With it goes our end of the pipe.
        drop(command);
        let mut theirs = Vec::new();
        std::io::Read::read_to_end(&mut reader, &mut theirs).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(
            (ours.escape_ascii().to_string(), ok),
            (theirs.escape_ascii().to_string(), status.success()),
            "{:?}",
            list.escape_ascii().to_string()
        );
    }
    Corpus::Keep
});
