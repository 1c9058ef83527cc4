//! Messages whose digests others have published, on every backend.

#[path = "common/on_backend.rs"]
mod on_backend;

use std::array;

use on_backend::{OnBackend, digest};
use shaone::compress::{Backend, backends};
use shaone::cpu::Available;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// `pieces` are hashed one by one, and all at once.
#[track_caller]
fn known(pieces: &[&[u8]], want: &str) {
    let whole = pieces.concat();
    let mut sha1 = shaone::Sha1::new();
    pieces.iter().for_each(|piece| sha1.update(piece));
    assert_eq!(hex(&sha1.peek()), want, "Sha1");
    assert_eq!(hex(&sha1.finalize()), want, "Sha1");
    assert_eq!(hex(&shaone::digest(&whole)), want, "digest");
    for backend in backends() {
        let mut hash = OnBackend::new(backend);
        pieces.iter().for_each(|piece| hash.update(piece));
        assert_eq!(hex(&hash.finish()), want, "{:?}, in pieces", backend.name);
        assert_eq!(hex(&digest(backend, &whole)), want, "{:?}", backend.name);
    }
}

#[test]
fn fips_180() {
    // The examples of FIPS 180-2, appendix A, and NIST's page of examples.
    known(&[b"abc"], "a9993e364706816aba3e25717850c26c9cd0d89d");
    known(
        &[b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"],
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
    );
    known(&[&[b'a'; 1_000_000]], "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    // Its message of 896 bits, for all the functions of the standard.
    known(
        &[
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn",
            b"hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        ],
        "a49b2446a02c645bf419f995b67091253a04a259",
    );
    known(&[], "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

#[test]
fn other_projects() {
    // LLVM's unit tests of SHA1.
    known(&[b"Hello World!"], "2ef7bde608ce5404e97d5f042f95f89f1c232871");
    let thirty = b"123456789012345678901234567890";
    known(&[thirty, thirty, thirty, &thirty.repeat(4)], "3e4a614101ad84985ab0fe54dc12a6d71551e5ae");
    // Padding that just fits, and that does not.
    known(&[&[b'a'; 56]], "c2db330f6083854c99d4b5bfb6e8f29f201be699");
    known(&[&[b'a'; 63]], "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
    known(&[&[b'x'; 8192]], "9105c5e76995943a47c0b54a9d0cb275197df1af");
    // git's empty blob and empty tree.
    known(&[b"blob 0\0"], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    known(&[b"tree 0\0"], "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

/// The lines `Name = value` of a file of NIST's.
fn fields(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.lines().filter(|line| !line.starts_with(['#', '['])).filter_map(|line| line.split_once(" = "))
}

fn nist_messages(file: &str, count: usize) {
    let fields: Vec<_> = fields(file).collect();
    let (messages, rest) = fields.as_chunks::<3>();
    assert!(rest.is_empty() && messages.len() == count, "{} messages", messages.len());
    for message in messages {
        let [("Len", bits), ("Msg", text), ("MD", want)] = message else { panic!("{message:?}") };
        let len = bits.parse::<usize>().unwrap() / 8;
        let text = unhex(text);
        known(&[&text[..len]], want);
    }
}

#[test]
fn nist_short_messages() {
    nist_messages(include_str!("data/nist/SHA1ShortMsg.rsp"), 65);
}

#[test]
fn nist_long_messages() {
    nist_messages(include_str!("data/nist/SHA1LongMsg.rsp"), 64);
}

/// The Monte Carlo test: each message is made of the three digests before.
fn nist_monte(backend: Available<Backend>) {
    let mut fields = fields(include_str!("data/nist/SHA1Monte.rsp"));
    let Some(("Seed", seed)) = fields.next() else { panic!("no seed") };
    let mut seed: [u8; 20] = unhex(seed).try_into().unwrap();
    let mut count = 0;
    while let Some(field) = fields.next() {
        assert_eq!(field, ("COUNT", count.to_string().as_str()));
        let Some(("MD", want)) = fields.next() else { panic!("no digest {count}") };
        let mut last = [seed; 3];
        for _ in 0..1000 {
            let message: [u8; 60] = array::from_fn(|i| last[i / 20][i % 20]);
            last = [last[1], last[2], digest(backend, &message)];
        }
        seed = last[2];
        assert_eq!(hex(&seed), want, "{:?}, {count}", backend.name);
        count += 1;
    }
    assert_eq!(count, 100);
}

#[test]
fn nist_monte_carlo() {
    backends().for_each(nist_monte);
}

/// What is chosen is the first of them, and hashes alike.
#[test]
fn the_best_is_listed() {
    let best = shaone::compress::best();
    assert!(backends().next().is_some_and(|first| first.name == best.name), "{:?}", best.name);
    if let Ok(expected) = std::env::var("SHAONE_BEST") {
        assert_eq!(best.name.to_str(), Ok(expected.as_str()), "SHAONE_BEST says what this CPU can do");
    }
    assert!(backends().last().is_some_and(|last| last.name == c"portable"));
    let (mut ours, mut theirs) = (shaone::block::INITIAL, shaone::block::INITIAL);
    shaone::compress::compress(&mut ours, &[[b'a'; 64]; 3]);
    best.compress(&mut theirs, &[[b'a'; 64]; 3]);
    assert_eq!(ours, theirs);
    assert_ne!(ours, shaone::block::INITIAL);
}
