// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hash the files that are named, and refuse those that are part of a collision attack.
//!
//!     cargo run --features std --example rust -- FILE...
#![forbid(unsafe_code)]

use std::error::Error;
use std::{env, fs};

use shaone::{CheckedDigest, checked_digest_many};

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = env::args().skip(1).collect();
    let mut contents = Vec::new();
    for name in &names {
        contents.push(fs::read(name).map_err(|error| format!("{name}: {error}"))?);
    }

    // All of them in one call, which hashes them side by side on one core.
    let messages: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    let mut refused = 0;
    for (name, CheckedDigest { digest, attack_found }) in names.iter().zip(checked_digest_many(&messages)) {
        if attack_found {
            eprintln!("{name}: refused, this is part of a SHA-1 collision attack");
            refused += 1;
        } else {
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{hex}  {name}");
        }
    }
    if refused == 0 { Ok(()) } else { Err(format!("{refused} of {} refused", names.len()).into()) }
}
