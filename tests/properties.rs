//! Random messages, cuts and chaining values: every backend does the same as two
//! crates that share no code with ours.

#[path = "common/on_backend.rs"]
mod on_backend;

use on_backend::{OnBackend, digest};
use proptest::collection::vec;
use proptest::prelude::*;
use rustcrypto_sha1::Digest as _;
use shaone::Digest;
use shaone::compress::backends;

fn rustcrypto(data: &[u8]) -> Digest {
    rustcrypto_sha1::Sha1::digest(data).into()
}

fn smol(data: &[u8]) -> Digest {
    sha1_smol::Sha1::from(data).digest().bytes()
}

/// Mostly a few blocks, sometimes many.
fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => vec(any::<u8>(), 0..300), 1 => vec(any::<u8>(), 0..6000)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn digests(data in message()) {
        let want = rustcrypto(&data);
        prop_assert_eq!(smol(&data), want);
        for backend in backends() {
            prop_assert_eq!(digest(backend, &data), want, "{:?}", backend.name);
        }
    }

    /// However a message is cut, also into empty pieces.
    #[test]
    fn pieces(data in message(), cuts in vec(any::<prop::sample::Index>(), 0..12)) {
        let want = rustcrypto(&data);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(data.len() + 1)).collect();
        cuts.sort_unstable();
        for backend in backends() {
            let mut hash = OnBackend::new(backend);
            let mut from = 0;
            for &to in cuts.iter().chain([&data.len()]) {
                hash.update(&data[from..to]);
                from = to;
            }
            prop_assert_eq!(hash.finish(), want, "{:?}, cut at {:?}", backend.name, cuts);
        }
    }

    /// The same bytes at every address.
    #[test]
    fn alignments(data in vec(any::<u8>(), 300), len in 0usize..220, start in 0usize..64) {
        let message = &data[start..start + len];
        let want = smol(message);
        for backend in backends() {
            prop_assert_eq!(digest(backend, message), want, "{:?}", backend.name);
        }
    }

    /// Blocks into any chaining value, together and one by one.
    #[test]
    fn blocks(state in any::<[u32; 5]>(), data in vec(any::<[u64; 8]>(), 0..9)) {
        let blocks: Vec<[u8; 64]> =
            data.iter().map(|words| words.map(u64::to_be_bytes).concat().try_into().unwrap()).collect();
        let mut want = state;
        rustcrypto_sha1::block_api::compress(&mut want, &blocks);
        for backend in backends() {
            let mut got = state;
            backend.compress(&mut got, &blocks);
            prop_assert_eq!(got, want, "{:?}", backend.name);
            let mut got = state;
            for block in &blocks {
                backend.compress(&mut got, &[*block]);
            }
            prop_assert_eq!(got, want, "{:?}, one by one", backend.name);
        }
    }
}
