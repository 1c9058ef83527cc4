//! Many messages in one call: slices of the same bytes, so that they have any lengths and
//! alignments and overlap each other.
#![no_main]

use std::ffi::c_void;
use std::mem::MaybeUninit;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rustcrypto_sha1::Digest as _;
use shaone::Digest;
use shaone::capi::many::{
    shaone_checked_digest_many, shaone_digest_many, shaone_final_many, shaone_pieces, shaone_update_many,
};
use shaone::capi::native::{self, shaone_ctx};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Where a message begins and how long it is.
    messages: Vec<(u16, u16)>,
    piece_len: u16,
    /// How often the bytes are there.
    times: u8,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input| {
    let bytes = input.bytes.repeat(1 + input.times as usize % 64);
    let messages: Vec<&[u8]> = input
        .messages
        .iter()
        .map(|&(at, len)| {
            let rest = &bytes[bytes.len().min(at as usize)..];
            &rest[..rest.len().min(len as usize)]
        })
        .collect();
    let n = messages.len();
    let want: Vec<Digest> =
        messages.iter().map(|message| rustcrypto_sha1::Sha1::digest(message).into()).collect();
    assert_eq!(shaone::digest_many(&messages), want, "digest_many");

    let data: Vec<*const c_void> = messages.iter().map(|message| message.as_ptr().cast()).collect();
    let len: Vec<usize> = messages.iter().map(|message| message.len()).collect();
    let mut digests = vec![[0; 20]; n];
    // SAFETY: all arrays have n elements, and the messages these lengths.
    unsafe { shaone_digest_many(n, data.as_ptr(), len.as_ptr(), digests.as_mut_ptr()) };
    assert_eq!(digests, want, "shaone_digest_many");

    digests.fill([0; 20]);
    let mut found = vec![0xff; n];
    // SAFETY: the same.
    let attacks = unsafe {
        shaone_checked_digest_many(n, data.as_ptr(), len.as_ptr(), digests.as_mut_ptr(), found.as_mut_ptr())
    };
    assert_eq!(attacks, found.iter().filter(|&&found| found == 1).count());
    for i in 0..n {
        let one = shaone::checked_digest(messages[i]);
        assert_eq!((digests[i], found[i]), (want[i], one.attack_found.into()), "message {i}");
    }

    // In two rounds, so that blocks wait in the contexts. There cannot be one context twice.
    let mut contexts = vec![MaybeUninit::<shaone_ctx>::uninit(); n];
    let pointers: Vec<*mut shaone_ctx> = contexts.iter_mut().map(|ctx| ctx.as_mut_ptr()).collect();
    let heads: Vec<usize> = len.iter().enumerate().map(|(i, len)| len * (i % 5) / 4).collect();
    let rests: Vec<usize> = len.iter().zip(&heads).map(|(len, head)| len - head).collect();
    // SAFETY: contexts of our own; of each message first the head, then the rest.
    unsafe {
        for &ctx in &pointers {
            native::shaone_init(ctx);
        }
        shaone_update_many(n, pointers.as_ptr(), data.as_ptr(), heads.as_ptr());
        let data: Vec<*const c_void> =
            data.iter().zip(&heads).map(|(data, &head)| data.byte_add(head)).collect();
        shaone_update_many(n, pointers.as_ptr(), data.as_ptr(), rests.as_ptr());
        digests.fill([0; 20]);
        shaone_final_many(n, digests.as_mut_ptr(), pointers.as_ptr());
    }
    assert_eq!(digests, want, "shaone_update_many");

    let piece_len = input.piece_len as usize;
    let want: Vec<Digest> = match piece_len {
        0 => Vec::new(),
        _ => bytes.chunks(piece_len).map(|piece| rustcrypto_sha1::Sha1::digest(piece).into()).collect(),
    };
    let mut digests = vec![[0; 20]; want.len()];
    // SAFETY: there is room for as many digests as there are pieces.
    let count = unsafe { shaone_pieces(bytes.as_ptr().cast(), bytes.len(), piece_len, digests.as_mut_ptr()) };
    assert_eq!((count, digests), (want.len(), want), "shaone_pieces");
});
