//! Which CPU features are here, and the test-only override.
//!
//! Detection is by the crate `cpufeatures`: it also asks whether the operating
//! system saves the registers, needs no std, and caches each answer (a CPUID
//! instruction costs thousands of cycles in a virtual machine).

use core::ops::Deref;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use core::sync::atomic::AtomicU8;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a variant can ask for.
///
/// Each stands for the CPU features that the `cpufeatures::new!` line of its name below
/// lists. A function that is called on account of it enables those and no others, which
/// `tests/architecture.rs` checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// SSSE3, and with it SSE2 and SSE3.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Ssse3,
    /// AVX2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// AVX2, BMI1 and BMI2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2Bmi,
    /// The SHA instructions, SSSE3 and SSE4.1.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sha,
    /// The same as `Sha`, on a CPU that is quick at the instructions for the schedule.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    ShaSchedule,
    /// AVX-512 F and VL, and AVX2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512Vl,
    /// AVX-512 F, VL and BW, and AVX2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512Bw,
    /// AVX-512 F, VL, BW and VBMI, GFNI and AVX2.
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
cpufeatures::new!(avx2bmi, "avx2", "bmi1", "bmi2");
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

/// One of several implementations of the same thing, for one kind of CPU.
pub trait Variant: 'static {
    /// What the CPU must have.
    fn needs(&self) -> &'static [Feature];
}

/// A variant that this CPU can run.
///
/// Only this module makes one, and only after it has looked: whoever holds an
/// `Available` may call what needs the variant's features.
pub struct Available<V: 'static>(&'static V);

impl<V: Variant> Available<V> {
    /// The variant, if this CPU and its operating system have what it needs.
    #[inline]
    pub fn new(variant: &'static V) -> Option<Self> {
        has(variant.needs()).then_some(Self(variant))
    }
}

impl<V> Deref for Available<V> {
    type Target = V;
    #[inline(always)]
    fn deref(&self) -> &V {
        self.0
    }
}

impl<V> Clone for Available<V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Available<V> {}

/// A list of variants, best first, and the cached choice among them. Threads that race
/// for the choice all make the same one.
pub struct Dispatch<V: 'static> {
    variants: &'static [V],
    /// The place of the best one in the list; beyond its end as long as nobody has asked.
    best: AtomicUsize,
}

impl<V: Variant> Dispatch<V> {
    /// A list whose last variant runs on every CPU.
    pub const fn new(variants: &'static [V]) -> Self {
        Self { variants, best: AtomicUsize::new(usize::MAX) }
    }

    /// The variants that this CPU and its operating system can run, best first.
    pub fn available(&self) -> impl Iterator<Item = Available<V>> + use<V> {
        self.variants.iter().filter_map(Available::new)
    }

    /// The first of them.
    ///
    /// # Panics
    /// Where there is none.
    #[inline(always)]
    pub fn best(&self) -> Available<V> {
        match self.variants.get(self.best.load(Relaxed)) {
            // It is stored only after it was found to be available.
            Some(best) => Available(best),
            None => self.choose(),
        }
    }

    #[cold]
    fn choose(&self) -> Available<V> {
        let best = self.variants.iter().position(|variant| has(variant.needs()));
        let best = best.expect("the last variant runs on every CPU");
        self.best.store(best, Relaxed);
        Available(&self.variants[best])
    }
}

/// Whether this CPU and its operating system have all of `features`, and are good at them.
pub fn has(features: &[Feature]) -> bool {
    features.iter().all(|&feature| is_usable(feature))
}

/// Whether the instructions are there.
fn here(feature: Feature) -> bool {
    match feature {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Ssse3 => ssse3::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx2 => avx2::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Avx2Bmi => avx2bmi::get(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Sha | ShaSchedule => sha::get(),
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

/// Whether it is good to use what is there.
#[allow(unreachable_patterns)] // Some architectures have no feature.
fn suits(feature: Feature) -> bool {
    match feature {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        ShaSchedule => sha_schedule_is_quick(),
        _ => true,
    }
}

/// Whether `sha1msg1` and `sha1msg2` are quick here, if there are any.
///
/// Intel's cores run `sha1msg2` from microcode, in four to five cycles that stop all
/// else. AMD's start one or two of them a cycle (Zen 3): there the plain vector schedule costs
/// 8 % more for one message and 40 % more for four. The vendor tells: all of AMD's
/// families that have SHA instructions at all, from 17h on, are alike, so are Hygon's,
/// which are Zen, and Zhaoxin's own.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn sha_schedule_is_quick() -> bool {
    const UNKNOWN: u8 = 2;
    static QUICK: AtomicU8 = AtomicU8::new(UNKNOWN);
    match QUICK.load(Relaxed) {
        UNKNOWN => {
            let quick = [*b"AuthenticAMD", *b"HygonGenuine", *b"CentaurHauls", *b"  Shanghai  "];
            let quick = quick.contains(&vendor());
            QUICK.store(quick.into(), Relaxed);
            quick
        }
        quick => quick != 0,
    }
}

/// The vendor's name in the CPU. It is asked for only where there are SHA instructions.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[allow(unsafe_code)]
fn vendor() -> [u8; 12] {
    #[cfg(target_arch = "x86")]
    use core::arch::x86::__cpuid;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::__cpuid;

    #[allow(unused_unsafe)] // Since Rust 1.94 it is safe.
    // SAFETY: a CPU with SHA instructions has CPUID, and leaf 0 of it.
    let leaf = unsafe { __cpuid(0) };
    let mut name = [0; 12];
    for (bytes, word) in name.chunks_exact_mut(4).zip([leaf.ebx, leaf.edx, leaf.ecx]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    name
}

#[cfg(feature = "force-backend")]
type Level = (&'static core::ffi::CStr, &'static [Feature]);

/// Kinds of CPU to pretend to be, by name, with the features left to each.
#[cfg(feature = "force-backend")]
static LEVELS: &[Level] = &[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx512", &[Ssse3, Avx2, Avx2Bmi, Sha, Avx512Vl, Avx512Bw, Avx512Vbmi]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx512vl", &[Ssse3, Avx2, Avx2Bmi, Sha, Avx512Vl]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-msg-avx512", &[Ssse3, Avx2, Avx2Bmi, Sha, ShaSchedule, Avx512Vl, Avx512Bw, Avx512Vbmi]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-msg-avx2", &[Ssse3, Avx2, Avx2Bmi, Sha, ShaSchedule]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-msg", &[Ssse3, Sha, ShaSchedule]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha-avx2", &[Ssse3, Avx2, Avx2Bmi, Sha]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-sha", &[Ssse3, Sha]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-avx2", &[Ssse3, Avx2, Avx2Bmi]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    (c"x86-ssse3", &[Ssse3]),
    #[cfg(target_arch = "aarch64")]
    (c"aarch64-sha2", &[Sha2]),
    (c"portable", &[]),
];

/// The levels that this machine can play, or those that it cannot.
#[cfg(feature = "force-backend")]
pub fn levels(playable: bool) -> impl Iterator<Item = &'static Level> {
    LEVELS.iter().filter(move |(_, features)| features.iter().all(|&feature| here(feature)) == playable)
}

#[cfg(not(feature = "force-backend"))]
fn is_usable(feature: Feature) -> bool {
    here(feature) && suits(feature)
}

/// Obey `SHAONE_BACKEND`, the name of a level that this machine can play. Anything else in it ends the
/// program, lest a test pass on the wrong path.
#[cfg(feature = "force-backend")]
fn is_usable(feature: Feature) -> bool {
    use core::ffi::CStr;

    // SAFETY: the name is a C string, and tests do not change their
    // environment while they hash.
    let wanted = unsafe { libc::getenv(c"SHAONE_BACKEND".as_ptr()) };
    if wanted.is_null() {
        return here(feature) && suits(feature);
    }
    // SAFETY: the environment holds C strings.
    let wanted = unsafe { CStr::from_ptr(wanted) };
    match levels(true).find(|(name, _)| *name == wanted) {
        Some((_, features)) => features.contains(&feature),
        None => {
            for text in [c"shaone: SHAONE_BACKEND names no level of this machine: ", wanted, c"\n"] {
                // SAFETY: a C string has as many readable bytes.
                unsafe { libc::write(2, text.as_ptr().cast(), text.count_bytes()) };
            }
            // SAFETY: `abort` may be called at any time.
            unsafe { libc::abort() }
        }
    }
}
