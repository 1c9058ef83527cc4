//! The Rust API.

use core::fmt;

use crate::batch;
use crate::block::{self, Digest};
use crate::detect::{self, Checked, CheckedHasher};
use crate::hasher::{self, Hasher, Plain};

/// A SHA-1 computation in progress.
///
/// It is 96 bytes of plain data, without pointers: clone it to go on with one message in two
/// ways.
///
/// ```
/// let mut sha1 = shaone::Sha1::new();
/// sha1.update(b"Hello ");
/// sha1.update(b"World!");
/// assert_eq!(sha1.finalize(), shaone::digest(b"Hello World!"));
/// ```
#[derive(Clone, Default)]
pub struct Sha1(Hasher);

impl Sha1 {
    /// A hash of nothing yet.
    #[inline]
    pub const fn new() -> Self {
        Sha1(Hasher::new())
    }

    /// Hash `data` as the next bytes of the message. How a message is cut into calls does
    /// not matter. SHA-1 is defined for messages of up to 2^61 - 1 bytes; the length of longer
    /// ones is taken modulo 2^61.
    #[inline]
    pub fn update(&mut self, data: impl AsRef<[u8]>) {
        hasher::update(&mut self.0, Plain, data.as_ref());
    }

    /// The digest of the message.
    #[inline]
    pub fn finalize(mut self) -> Digest {
        hasher::finish(&mut self.0, Plain)
    }

    /// The digest of the message so far, which can go on.
    ///
    /// ```
    /// let mut sha1 = shaone::Sha1::new();
    /// sha1.update(b"one");
    /// assert_eq!(sha1.peek(), shaone::digest(b"one"));
    /// sha1.update(b" two");
    /// assert_eq!(sha1.finalize(), shaone::digest(b"one two"));
    /// ```
    #[inline]
    pub fn peek(&self) -> Digest {
        self.clone().finalize()
    }
}

impl fmt::Debug for Sha1 {
    /// Nothing of the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sha1").finish_non_exhaustive()
    }
}

/// The digest of `data`.
///
/// ```
/// let digest = shaone::digest("abc");
/// assert_eq!(digest[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
#[inline]
pub fn digest(data: impl AsRef<[u8]>) -> Digest {
    hasher::digest(data.as_ref())
}

/// Write the digest of each message into the place of the same index.
///
/// The messages are hashed side by side on one core, in vector lanes or in interleaved
/// streams of SHA instructions: with AVX-512 more than four times as fast as one after the
/// other. They may have any lengths. Takes 24 KiB of stack and no heap.
///
/// ```
/// let messages = [&b"one"[..], b"two", b""];
/// let mut digests = [[0; 20]; 3];
/// shaone::digest_many_into(&messages, &mut digests);
/// assert_eq!(digests, messages.map(shaone::digest));
/// ```
///
/// # Panics
/// Where there are not as many digests as messages.
pub fn digest_many_into(messages: &[&[u8]], digests: &mut [Digest]) {
    assert_eq!(messages.len(), digests.len(), "a digest for each message");
    batch::hash(messages, block::as_uninit(digests));
}

/// What hashing with collision detection gives.
///
/// ```
/// use shaone::checked_digest;
///
/// # fn store(_: [u8; 20]) {}
/// let checked = checked_digest(b"some blob");
/// if checked.attack_found {
///     eprintln!("this blob is one half of a collision: refused");
/// } else {
///     store(checked.digest);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckedDigest {
    /// The digest, which is SHA-1's in any case.
    pub digest: Digest,
    /// Whether the message is part of a collision attack.
    pub attack_found: bool,
}

/// A SHA-1 computation that looks for collision attacks while it hashes (Stevens and Shumow,
/// USENIX Security 2017).
///
/// An attack makes two messages, of which one is enough to see it. Either message of the
/// SHAttered and of the SHA-1-is-a-Shambles collisions is found, and so is any that is made
/// along the 32 disturbance vectors that such attacks can use. An ordinary message is not:
/// what is found really is half of a collision.
///
/// A program that is told of an attack should refuse the message. The digest is SHA-1's
/// all the same, which the attack's two messages share; there is no "safe hash", as the C API
/// of sha1collisiondetection has, that would give each a digest of its own.
///
/// ```
/// let mut sha1 = shaone::CheckedSha1::new();
/// sha1.update(b"Hello World!");
/// let checked = sha1.finalize();
/// assert!(!checked.attack_found);
/// assert_eq!(checked.digest, shaone::digest(b"Hello World!"));
/// ```
#[derive(Clone, Default)]
pub struct CheckedSha1(CheckedHasher);

impl CheckedSha1 {
    /// A hash of nothing yet.
    #[inline]
    pub const fn new() -> Self {
        CheckedSha1(CheckedHasher::new())
    }

    /// Hash and check `data` as the next bytes of the message. Takes 20 KiB of stack.
    #[inline]
    pub fn update(&mut self, data: impl AsRef<[u8]>) {
        hasher::update(&mut self.0, Checked, data.as_ref());
    }

    /// Whether an attack was found in the blocks that are complete so far.
    #[inline]
    pub fn attack_found(&self) -> bool {
        self.0.attack_found
    }

    /// The digest of the message, and whether it is part of an attack. Takes 20 KiB of
    /// stack.
    #[inline]
    pub fn finalize(mut self) -> CheckedDigest {
        let digest = hasher::finish(&mut self.0, Checked);
        CheckedDigest { digest, attack_found: self.0.attack_found }
    }

    /// The same of the message so far, which can go on.
    #[inline]
    pub fn peek(&self) -> CheckedDigest {
        self.clone().finalize()
    }
}

impl fmt::Debug for CheckedSha1 {
    /// Nothing of the message but whether it is part of an attack.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedSha1").field("attack_found", &self.attack_found()).finish_non_exhaustive()
    }
}

/// The digest of `data`, and whether it is part of a collision attack. Takes 20 KiB of
/// stack.
#[inline]
pub fn checked_digest(data: impl AsRef<[u8]>) -> CheckedDigest {
    let (digest, attack_found) = detect::checked_digest(data.as_ref());
    CheckedDigest { digest, attack_found }
}

#[cfg(feature = "std")]
mod with_std {
    use std::fs::File;
    use std::io::{self, ErrorKind, Read, Write};
    use std::path::Path;
    use std::vec;
    use std::vec::Vec;

    use super::{CheckedDigest, CheckedSha1, Sha1, digest_many_into};
    use crate::batch;
    use crate::block::{self, DIGEST_LEN, Digest};

    /// The digest of each message: see [`digest_many_into`], which needs no feature.
    ///
    /// ```
    /// let digests = shaone::digest_many(&[b"one", b"two"]);
    /// assert_eq!(digests[1], shaone::digest(b"two"));
    /// ```
    pub fn digest_many(messages: &[&[u8]]) -> Vec<Digest> {
        let mut digests = vec![[0; DIGEST_LEN]; messages.len()];
        digest_many_into(messages, &mut digests);
        digests
    }

    /// The digest of each message, and whether it is part of a collision attack. Takes 32
    /// KiB of stack.
    ///
    /// ```
    /// let checked = shaone::checked_digest_many(&[b"one", b"two"]);
    /// assert!(checked.iter().all(|message| !message.attack_found));
    /// ```
    pub fn checked_digest_many(messages: &[&[u8]]) -> Vec<CheckedDigest> {
        let mut digests = vec![[0; DIGEST_LEN]; messages.len()];
        let mut found = vec![0; messages.len()];
        batch::hash_checked(messages, block::as_uninit(&mut digests), &mut found);
        let with_verdict = |(digest, found)| CheckedDigest { digest, attack_found: found != 0 };
        digests.into_iter().zip(found).map(with_verdict).collect()
    }

    /// The digest of all that can be read.
    ///
    /// ```
    /// let digest = shaone::digest_reader(&b"abc"[..])?;
    /// assert_eq!(digest, shaone::digest(b"abc"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the reader reports, but for interruptions, after which it is asked again.
    pub fn digest_reader(mut reader: impl Read) -> io::Result<Digest> {
        let mut sha1 = Sha1::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return Ok(sha1.finalize()),
                Ok(n) => sha1.update(&piece[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The digest of a file.
    ///
    /// ```no_run
    /// let digest = shaone::digest_file("Cargo.toml")?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the file cannot be opened or read.
    pub fn digest_file(path: impl AsRef<Path>) -> io::Result<Digest> {
        digest_reader(File::open(path)?)
    }

    /// Bytes that are written are hashed, and it never fails.
    ///
    /// ```
    /// let mut sha1 = shaone::Sha1::new();
    /// std::io::copy(&mut &b"abc"[..], &mut sha1)?;
    /// assert_eq!(sha1.finalize(), shaone::digest(b"abc"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    impl Write for Sha1 {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.update(data);
            Ok(data.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Bytes that are written are hashed and checked, and it never fails.
    impl Write for CheckedSha1 {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.update(data);
            Ok(data.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(feature = "std")]
pub use with_std::{checked_digest_many, digest_file, digest_many, digest_reader};

/// The traits of the crate `digest`, for code that is generic over hash functions.
#[cfg(feature = "digest")]
mod with_digest {
    use ::digest::common::BlockSizeUser;
    use ::digest::consts::{U20, U64};
    use ::digest::{FixedOutput, HashMarker, Output, OutputSizeUser, Reset, Update};

    use super::Sha1;

    impl HashMarker for Sha1 {}

    impl OutputSizeUser for Sha1 {
        type OutputSize = U20;
    }

    impl BlockSizeUser for Sha1 {
        type BlockSize = U64;
    }

    impl Update for Sha1 {
        fn update(&mut self, data: &[u8]) {
            self.update(data);
        }
    }

    impl FixedOutput for Sha1 {
        fn finalize_into(self, out: &mut Output<Self>) {
            *out = self.finalize().into();
        }
    }

    impl Reset for Sha1 {
        fn reset(&mut self) {
            *self = Sha1::new();
        }
    }
}
