//! One message in pieces of any lengths, by every API that takes pieces; contexts are
//! copied on the way, and each copy is finished.
#![no_main]

use std::ffi::c_void;
use std::mem::MaybeUninit;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rustcrypto_sha1::Digest as _;
use shaone::capi::native;
use shaone::{CheckedSha1, Sha1};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Lengths of pieces; whether the contexts are looked at after each.
    pieces: Vec<(u16, bool)>,
    /// How often the message is there, one after the other: some are longer than a phase of
    /// the checking engine.
    times: u8,
    message: &'a [u8],
}

fn reference(message: &[u8]) -> shaone::Digest {
    rustcrypto_sha1::Sha1::digest(message).into()
}

fuzz_target!(|input: Input| {
    let message = input.message.repeat(1 + input.times as usize % 64);
    let mut plain = Sha1::new();
    let mut checked = CheckedSha1::new();
    let mut c = MaybeUninit::uninit();
    // SAFETY: a context that is ours alone, here and below.
    unsafe { native::shaone_init(c.as_mut_ptr()) };

    let mut at = 0;
    let rest = (message.len(), true);
    for (len, look) in input.pieces.iter().map(|&(len, look)| (len as usize, look)).chain([rest]) {
        let piece = &message[at..message.len().min(at + len)];
        at += piece.len();
        plain.update(piece);
        checked.update(piece);
        // SAFETY: the context was initialised, and the piece has this length.
        unsafe { native::shaone_update(c.as_mut_ptr(), piece.as_ptr().cast::<c_void>(), piece.len()) };
        if !look {
            continue;
        }
        let want = reference(&message[..at]);
        let mut copy = c;
        let mut digest = [0; 20];
        // SAFETY: a copy of an initialised context, and room for a digest.
        unsafe { native::shaone_final(digest.as_mut_ptr(), copy.as_mut_ptr()) };
        assert_eq!(digest, want, "shaone_final");
        // SAFETY: the same.
        unsafe { native::shaone_peek(digest.as_mut_ptr(), c.as_ptr()) };
        assert_eq!(digest, want, "shaone_peek");
        assert_eq!(plain.peek(), want, "Sha1::peek");
        assert_eq!(plain.clone().finalize(), want, "Sha1::finalize");
        let whole = shaone::checked_digest(&message[..at]);
        assert_eq!(whole.digest, want, "checked_digest");
        assert_eq!(checked.clone().finalize(), whole, "CheckedSha1::finalize");
    }
    assert_eq!(shaone::digest(&message), reference(&message), "digest");
});
