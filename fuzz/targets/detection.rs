//! Collision detection beside sha1-checked, on messages that look like attacks: blocks that
//! solve the conditions of many disturbance vectors, published collisions, and either with
//! bits changed.
#![no_main]

#[path = "../../tests/common/attacks.rs"]
mod attacks;

use std::ffi::c_int;
use std::mem::MaybeUninit;

use attacks::{COLLISIONS, Random, bytes, hostile_block, reference};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use shaone::CheckedSha1;
use shaone::capi::sha1dc::{
    SHA1DCFinal, SHA1DCInit, SHA1DCSetDetectReducedRoundCollision, SHA1DCSetSafeHash, SHA1DCSetUseDetectColl,
    SHA1DCSetUseUBC, SHA1DCUpdate,
};
use shaone::detect::Options;

#[derive(Arbitrary, Debug)]
enum Part<'a> {
    /// Bytes as they are.
    Raw(&'a [u8]),
    /// Blocks that leave many vectors alive, made from a seed, with one bit changed or none.
    Hostile { seed: u32, count: u8, flip: u16 },
    /// A published message, or its beginning, with one bit changed or none.
    Published { which: u8, len: u16, flip: u16 },
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    parts: Vec<Part<'a>>,
    pieces: Vec<u16>,
    detect: bool,
    conditions: bool,
    reduced_round: bool,
    safe_hash: bool,
}

/// Half of the time nothing is changed.
fn change(message: &mut [u8], flip: u16) {
    let bit = flip as usize / 2;
    if flip % 2 == 1 && bit / 8 < message.len() {
        message[bit / 8] ^= 1 << (bit % 8);
    }
}

fn message(parts: &[Part]) -> Vec<u8> {
    let mut message = Vec::new();
    for part in parts.iter().take(8) {
        let at = message.len();
        match *part {
            Part::Raw(raw) => message.extend_from_slice(raw),
            Part::Hostile { seed, count, flip } => {
                let mut random = Random::new(seed.into());
                for _ in 0..1 + count % 40 {
                    message.extend_from_slice(&bytes(&hostile_block(&mut random)));
                }
                change(&mut message[at..], flip);
            }
            Part::Published { which, len, flip } => {
                let data = COLLISIONS[which as usize % COLLISIONS.len()].data;
                message.extend_from_slice(&data[..data.len() - len as usize % data.len()]);
                change(&mut message[at..], flip);
            }
        }
    }
    message
}

fuzz_target!(|input: Input| {
    let message = message(&input.parts);
    let options = Options {
        detect: input.detect,
        conditions: input.conditions,
        reduced_round: input.reduced_round,
        safe_hash: input.safe_hash,
    };

    let mut ctx = MaybeUninit::uninit();
    let ctx = ctx.as_mut_ptr();
    let mut digest = [0; 20];
    let mut pieces = Vec::new();
    let mut rest = message.as_slice();
    for &len in &input.pieces {
        let (piece, more) = rest.split_at(rest.len().min(len.into()));
        pieces.push(piece);
        rest = more;
    }
    pieces.push(rest);
    // SAFETY: a context that is ours alone, begun before it is used; the pieces have these
    // lengths, and there is room for a digest.
    let found = unsafe {
        SHA1DCInit(ctx);
        SHA1DCSetUseDetectColl(ctx, c_int::from(options.detect));
        SHA1DCSetUseUBC(ctx, c_int::from(options.conditions));
        SHA1DCSetDetectReducedRoundCollision(ctx, c_int::from(options.reduced_round));
        SHA1DCSetSafeHash(ctx, c_int::from(options.safe_hash));
        for piece in &pieces {
            SHA1DCUpdate(ctx, piece.as_ptr().cast(), piece.len());
        }
        SHA1DCFinal(digest.as_mut_ptr(), ctx) != 0
    };
    assert_eq!((digest, found), reference(&message, options), "{options:?}");

    // What has no options has these.
    let defaults = Options { detect: true, conditions: true, reduced_round: false, safe_hash: false };
    let want = reference(&message, defaults);
    let mut checked = CheckedSha1::new();
    pieces.iter().for_each(|piece| checked.update(piece));
    let checked = checked.finalize();
    assert_eq!((checked.digest, checked.attack_found), want, "CheckedSha1");

    // Among others, so that they are checked in lanes.
    let messages = [&message[..], &message[message.len() / 2..], &message[..message.len() / 3]].repeat(6);
    let digests = shaone::checked_digest_many(&messages);
    for (checked, message) in digests.iter().zip(&messages) {
        assert_eq!(
            (checked.digest, checked.attack_found),
            reference(message, defaults),
            "checked_digest_many"
        );
    }
});
