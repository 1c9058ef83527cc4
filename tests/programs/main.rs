//! The examples and the programs of examples/programs, run as people run them: known answers, errors,
//! and the same commands given to the programs that they are like.

#[path = "../common/mod.rs"]
mod common;

mod git_object;
mod learning;
mod many;
mod sha1sum;

use std::os::unix::fs::MetadataExt;

use common::not_run;
use common::sandbox::Sandbox;

const ABC: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const EMPTY: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

/// A file that may not be read, or the reason why there is none.
fn unreadable(sandbox: &Sandbox) -> bool {
    if sandbox.path("").metadata().unwrap().uid() == 0 {
        not_run("unreadable files (run by root)");
        return false;
    }
    sandbox.run("printf abc >unreadable; chmod 000 unreadable").text();
    true
}

fn have_dev_full() -> bool {
    let have = std::path::Path::new("/dev/full").exists();
    if !have {
        not_run("a full device (no /dev/full)");
    }
    have
}

/// Bytes without a pattern.
fn random(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.flatten().take(len).collect()
}
