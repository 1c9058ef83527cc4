//! Which CPU features are here, and the test-only override.
//!
//! Detection is by the crate `cpufeatures`: it also asks whether the operating
//! system saves the registers, needs no std, and caches each answer (a CPUID
//! instruction costs thousands of cycles in a virtual machine).

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a backend can ask for. Each stands for all that its code enables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// SSSE3.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Ssse3,
    /// AVX2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// The SHA instructions, with SSE4.1.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sha,
    /// AVX-512 F and VL.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512Vl,
    /// AVX-512 F, VL and BW.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512Bw,
    /// AVX-512 F, VL, BW, VBMI and GFNI.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512Vbmi,
    /// The SHA-1 instructions, which AArch64 has together with SHA-256's.
    #[cfg(target_arch = "aarch64")]
    Sha2,
}

#[allow(unused_imports)] // Other architectures have no feature yet.
use Feature::*;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(ssse3, "ssse3");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(avx2, "avx2");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(sha, "sha", "ssse3", "sse4.1");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(avx512vl, "avx512f", "avx512vl", "avx2");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(avx512bw, "avx512f", "avx512vl", "avx512bw", "avx2");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(avx512vbmi, "avx512f", "avx512vl", "avx512bw", "avx512vbmi", "gfni", "avx2");
#[cfg(target_arch = "aarch64")]
cpufeatures::new!(sha2, "sha2");

/// One way of several to do something, for one kind of CPU.
pub trait Way: 'static {
    /// What the CPU must have.
    fn needs(&self) -> &'static [Feature];

    /// Whether this CPU and its operating system can go it.
    fn available(&self) -> bool {
        has(self.needs())
    }
}

/// The cached choice of the best way in a list. Threads that race for it all
/// choose the same.
pub struct Best(AtomicUsize);

impl Best {
    /// Not yet chosen.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }

    /// The first of `ways`, always the same list, that is available.
    ///
    /// # Panics
    /// Where none is: the last should be for every CPU.
    #[inline(always)]
    pub fn of<W: Way>(&self, ways: &'static [W]) -> &'static W {
        ways.get(self.0.load(Relaxed)).unwrap_or_else(|| self.choose(ways))
    }

    #[cold]
    fn choose<W: Way>(&self, ways: &'static [W]) -> &'static W {
        let best = ways.iter().position(W::available).expect("the last way is for every CPU");
        self.0.store(best, Relaxed);
        &ways[best]
    }
}

/// Whether this CPU and its operating system have all of `features`.
pub fn has(features: &[Feature]) -> bool {
    features.iter().all(|&feature| permitted(feature) && here(feature))
}

fn here(feature: Feature) -> bool {
    match feature {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Ssse3 => ssse3::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx2 => avx2::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Sha => sha::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx512Vl => avx512vl::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx512Bw => avx512bw::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx512Vbmi => avx512vbmi::get(),
        #[cfg(target_arch = "aarch64")]
        Sha2 => sha2::get(),
    }
}

#[cfg(feature = "force-backend")]
type Level = (&'static core::ffi::CStr, &'static [Feature]);

/// Kinds of CPU to pretend to be, by name, with the features left to each.
#[cfg(feature = "force-backend")]
static LEVELS: &[Level] = &[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx512", &[Ssse3, Avx2, Sha, Avx512Vl, Avx512Bw, Avx512Vbmi]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx512vl", &[Ssse3, Avx2, Sha, Avx512Vl]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx2", &[Ssse3, Avx2, Sha]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha", &[Ssse3, Sha]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-avx2", &[Ssse3, Avx2]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-ssse3", &[Ssse3]),
    #[cfg(target_arch = "aarch64")]
    (c"aarch64-sha2", &[Sha2]),
    (c"portable", &[]),
];

/// The levels that this machine can play.
#[cfg(feature = "force-backend")]
pub fn levels() -> impl Iterator<Item = &'static Level> {
    LEVELS.iter().filter(|(_, features)| features.iter().all(|&feature| here(feature)))
}

#[cfg(not(feature = "force-backend"))]
fn permitted(_: Feature) -> bool {
    true
}

/// Obey `SHAONE_BACKEND`, the name of one of [`levels`]. Anything else in it ends the
/// program, lest a test pass on the wrong path.
#[cfg(feature = "force-backend")]
fn permitted(feature: Feature) -> bool {
    use core::ffi::CStr;

    // SAFETY: the name is a C string, and tests do not change their
    // environment while they hash.
    let wanted = unsafe { libc::getenv(c"SHAONE_BACKEND".as_ptr()) };
    if wanted.is_null() {
        return true;
    }
    // SAFETY: the environment holds C strings.
    let wanted = unsafe { CStr::from_ptr(wanted) };
    match levels().find(|(name, _)| *name == wanted) {
        Some((_, features)) => features.contains(&feature),
        None => {
            for text in [c"shaone: SHAONE_BACKEND names no backend of this machine: ", wanted, c"\n"] {
                // SAFETY: a C string has as many readable bytes.
                unsafe { libc::write(2, text.as_ptr().cast(), text.count_bytes()) };
            }
            // SAFETY: `abort` may be called at any time.
            unsafe { libc::abort() }
        }
    }
}
