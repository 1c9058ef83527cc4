// SPDX-License-Identifier: MIT OR Apache-2.0

//! The same for many messages: one after the other, or all in one call.

use super::signatures::{CheckedMany, DigestMany};
use super::*;

/// Messages, one behind the other in memory.
pub struct Messages {
    data: Vec<*const c_void>,
    len: Vec<usize>,
    /// What `data` points into.
    bytes: Vec<u8>,
}

impl Messages {
    pub fn new(len: Vec<usize>) -> Self {
        let bytes = crate::harness::message(len.iter().sum());
        let start = |at: &mut usize, len: usize| Some(std::mem::replace(at, *at + len));
        let starts = len.iter().scan(0, |at, &len| start(at, len));
        let data = starts.map(|at| bytes[at..].as_ptr().cast()).collect();
        Messages { data, len, bytes }
    }

    pub fn count(&self) -> usize {
        self.len.len()
    }

    /// Bytes in all.
    pub fn total(&self) -> usize {
        self.bytes.len()
    }

    /// Their starts and lengths.
    fn each(&self) -> impl Iterator<Item = (*const c_void, usize)> {
        self.data.iter().copied().zip(self.len.iter().copied())
    }
}

type Many = Entrant<Messages>;

/// OpenSSL's functions as in the table `plain`, message after message.
pub fn openssl() -> Found<Many> {
    let found = || {
        let lib = Shared::named(&OPENSSL)?;
        // SAFETY: documented.
        let (init, update, finish) = unsafe {
            (
                lib.get::<Init<c_int>>("SHA1_Init")?,
                lib.get::<Update<c_int>>("SHA1_Update")?,
                lib.get::<Final<c_int>>("SHA1_Final")?,
            )
        };
        let mut context = Context::<12>::new();
        Ok(Entrant::new("openssl", &lib.path, move |messages: &Messages, digests: &mut [Digest]| {
            for ((data, len), digest) in messages.each().zip(digests) {
                // SAFETY: SHA_CTX has 96 bytes; data and digest are as they say.
                unsafe {
                    init(context.as_ptr());
                    update(context.as_ptr(), data, len);
                    finish(digest.as_mut_ptr(), context.as_ptr());
                }
            }
        }))
    };
    named("openssl", found())
}

/// Ours one after the other, in one call, with detection, and on other kinds of CPU.
pub fn shaone(lib: &Path, forced: &Path) -> Vec<Found<Many>> {
    const LEVELS: [&str; 3] = ["x86-sha-avx2", "x86-avx2", "x86-ssse3"];
    let mut found = vec![
        named("shaone_digest", ours(lib).and_then(|lib| one_by_one(&lib))),
        named("shaone_digest_many", ours(lib).and_then(|lib| together(&lib))),
        named("shaone_checked_digest_many", ours(lib).and_then(|lib| checked(&lib))),
    ];
    let first = Messages::new(vec![1 << 10; 40]);
    let digests = &mut [Digest::default(); 40];
    let make = |level: &str, lib: &Shared| forced_together(level, lib);
    let levels = at_levels(forced, "many:LEVEL", &first, digests, |level| LEVELS.contains(&level), make);
    match levels {
        Ok(levels) => found.extend(levels.into_iter().map(Ok)),
        Err(missing) => found.push(Err(missing)),
    }
    found
}

fn one_by_one(lib: &Shared) -> Found<Many> {
    // SAFETY: as declared in shaone.h.
    let digest = unsafe { lib.get::<OneShot>("shaone_digest")? };
    Ok(Entrant::new(
        "shaone_digest",
        about_shaone(lib),
        move |messages: &Messages, digests: &mut [Digest]| {
            for ((data, len), to) in messages.each().zip(digests) {
                // SAFETY: data and digest are as they say.
                unsafe { digest(data, len, to.as_mut_ptr()) }
            }
        },
    ))
}

fn digest_many(lib: &Shared) -> Found<DigestMany> {
    // SAFETY: as declared in shaone.h.
    unsafe { lib.get("shaone_digest_many") }
}

fn together(lib: &Shared) -> Found<Many> {
    let digest_many = digest_many(lib)?;
    Ok(Entrant::new("shaone_digest_many", "", move |messages: &Messages, digests: &mut [Digest]| {
        // SAFETY: as many messages and digests as it says.
        unsafe {
            digest_many(
                messages.count(),
                messages.data.as_ptr(),
                messages.len.as_ptr(),
                digests.as_mut_ptr(),
            );
        }
    }))
}

/// The choice for many messages is made anew in each call, so the level must be there
/// in each. To ask for it costs up to some microseconds, which the installed library
/// does not do: look at long messages only.
fn forced_together(level: &str, lib: &Shared) -> Found<Many> {
    let digest_many = digest_many(lib)?;
    let level = level.to_string();
    Ok(Entrant::new(
        format!("many:{level}"),
        "too slow by some microseconds a call",
        move |messages: &Messages, digests: &mut [Digest]| {
            // SAFETY: this process has one thread; as many messages and digests as it says.
            unsafe {
                std::env::set_var("SHAONE_BACKEND", &level);
                digest_many(
                    messages.count(),
                    messages.data.as_ptr(),
                    messages.len.as_ptr(),
                    digests.as_mut_ptr(),
                );
            }
        },
    ))
}

fn checked(lib: &Shared) -> Found<Many> {
    // SAFETY: as declared in shaone.h.
    let digest_many = unsafe { lib.get::<CheckedMany>("shaone_checked_digest_many")? };
    let mut found = Vec::new();
    Ok(Entrant::new("shaone_checked_digest_many", "", move |messages: &Messages, digests: &mut [Digest]| {
        found.resize(messages.count(), 0);
        // SAFETY: as many messages, digests and verdicts as it says.
        unsafe {
            digest_many(
                messages.count(),
                messages.data.as_ptr(),
                messages.len.as_ptr(),
                digests.as_mut_ptr(),
                found.as_mut_ptr(),
            );
        }
    }))
}

/// What ISA-L has for each message, ISAL_SHA1_HASH_CTX: only what is used of it.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct IsalContext {
    _buffer: [u64; 8],
    digest: [u32; 5],
    _job: [u32; 11],
    status: c_int,
    error: c_int,
    /// The rest takes 160 bytes on LP64.
    _rest: [u64; 23],
}

/// Room for an ISAL_SHA1_HASH_CTX_MGR, of less than 1 KiB.
#[repr(C, align(64))]
struct IsalManager([u64; 512]);

/// Intel's ISA-L crypto, where the environment variable ISAL_CRYPTO names its shared
/// library.
pub fn isal() -> Found<Many> {
    const COMPLETE: c_int = 4;
    const ENTIRE: c_int = 3;
    type Init = unsafe extern "C" fn(*mut IsalManager);
    type Submit = unsafe extern "C" fn(
        *mut IsalManager,
        *mut IsalContext,
        *const c_void,
        u32,
        c_int,
    ) -> *mut IsalContext;
    type Flush = unsafe extern "C" fn(*mut IsalManager) -> *mut IsalContext;
    let found = || {
        let path = std::env::var_os("ISAL_CRYPTO").ok_or("ISAL_CRYPTO names no libisal_crypto.so")?;
        let lib = Shared::open(path)?;
        // SAFETY: as in its sha1_mb.h. Versions with isal_sha1_ctx_mgr_* have these too.
        let (init, submit, flush) = unsafe {
            (
                lib.get::<Init>("sha1_ctx_mgr_init")?,
                lib.get::<Submit>("sha1_ctx_mgr_submit")?,
                lib.get::<Flush>("sha1_ctx_mgr_flush")?,
            )
        };
        let mut manager = Box::new(IsalManager([0; 512]));
        // SAFETY: it is large enough, and stays where it is.
        unsafe { init(&raw mut *manager) };
        let new = IsalContext {
            _buffer: [0; 8],
            digest: [0; 5],
            _job: [0; 11],
            status: COMPLETE,
            error: 0,
            _rest: [0; 23],
        };
        let mut contexts = Vec::new();
        Ok(Entrant::new("isa-l", &lib.path, move |messages: &Messages, digests: &mut [Digest]| {
            contexts.resize(messages.count(), new);
            for ((data, len), context) in messages.each().zip(&mut contexts) {
                let len = u32::try_from(len).expect("a message of less than 4 GiB");
                // SAFETY: context and message stay until the manager is empty.
                unsafe { submit(&raw mut *manager, context, data, len, ENTIRE) };
            }
            // SAFETY: as above.
            while !unsafe { flush(&raw mut *manager) }.is_null() {}
            for (context, digest) in contexts.iter().zip(digests) {
                for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(context.digest) {
                    *bytes = word.to_be_bytes();
                }
            }
        }))
    };
    named("isa-l", found())
}
