// SPDX-License-Identifier: MIT OR Apache-2.0

//! The implementations: ours and the C peers through `dlopen`, the Rust ones as crates.
//!
//! Each constructor gives an [`Entrant`], or says in a few words what is missing.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

use super::{Digest, Entrant};

pub mod many;
#[path = "../../tests/common/signatures.rs"]
#[allow(dead_code)] // The tests use all of them.
pub mod signatures;

use signatures::{Final, Init, Level, Name, OneShot, Set, Update};

/// One message.
type Plain = Entrant<[u8]>;
/// `Err` goes into a "not run" line.
type Found<T> = Result<T, String>;

/// Room for a peer's context of up to 8 * `WORDS` bytes, at the start of a cache line for
/// everyone: where a context crosses lines would otherwise be a matter of luck.
#[repr(align(64))]
struct Context<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Context<WORDS> {
    const fn new() -> Self {
        Context([0; WORDS])
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// A shared library that stays loaded, since pointers to its functions go everywhere.
struct Shared {
    library: &'static libloading::Library,
    path: String,
}

impl Shared {
    fn open(path: impl AsRef<Path>) -> Found<Shared> {
        let path = path.as_ref();
        // SAFETY: these libraries do nothing on loading that could harm this process.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|_| path.display().to_string())?;
        Ok(Shared { library: Box::leak(Box::new(library)), path: path.display().to_string() })
    }

    /// A system library under the first of its names that is here.
    fn named(names: &[&str]) -> Found<Shared> {
        names
            .iter()
            .find_map(|name| Shared::open(name).ok())
            .ok_or_else(|| format!("none of {}", names.join(", ")))
    }

    /// # Safety
    /// `F` is a function pointer of the symbol's type.
    unsafe fn get<F: Copy>(&self, symbol: &str) -> Found<F> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.library.get::<F>(symbol) };
        found.map(|symbol| *symbol).map_err(|_| format!("no {symbol} in {}", self.path))
    }
}

/// Names the implementation in the reason why it is not there.
fn named<T>(name: &str, found: Found<T>) -> Found<T> {
    found.map_err(|reason| format!("{name} ({reason})"))
}

fn digest_ptr(digests: &mut [Digest]) -> *mut u8 {
    digests[0].as_mut_ptr()
}

/// The shape that most have: init(ctx), update(ctx, data, len), final(digest, ctx).
///
/// # Safety
/// The library has three functions of these names and of this shape, returning `I`, `U`
/// and `F`, and a context of at most 8 * `WORDS` bytes that needs no clean-up.
unsafe fn streaming<const WORDS: usize, I: 'static, U: 'static, F: 'static>(
    name: &str,
    about: &str,
    lib: &Shared,
    symbols: [&str; 3],
) -> Found<Plain> {
    let [init, update, finish] = symbols;
    // SAFETY: the caller's promise.
    let (init, update, finish) =
        unsafe { (lib.get::<Init<I>>(init)?, lib.get::<Update<U>>(update)?, lib.get::<Final<F>>(finish)?) };
    let mut context = Context::<WORDS>::new();
    Ok(Entrant::new(name, about, move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: the caller's promise; `data` and the digest are as long as they say.
        unsafe {
            init(context.as_ptr());
            update(context.as_ptr(), data.as_ptr().cast(), data.len());
            finish(digest_ptr(digests), context.as_ptr());
        }
    }))
}

// ---- ours

/// The backend that our library takes on this CPU, which stands for the class of CPU.
pub fn backend(lib: &Path) -> Found<String> {
    string(&ours(lib)?, "shaone_backend")
}

/// Our library as a C program has it.
fn ours(lib: &Path) -> Found<Shared> {
    Shared::open(lib).map_err(|path| format!("no {path}; build it first"))
}

/// SHA-1 as it is.
pub fn shaone_plain(lib: &Path) -> Found<Plain> {
    let streaming = |lib| shaone_streaming("shaone", &about_shaone(&lib), &lib);
    named("shaone", ours(lib).and_then(streaming))
}

/// The same, in one call too, then each backend of the build with force-backend.
pub fn shaone(lib: &Path, forced: &Path) -> Vec<Found<Plain>> {
    let one_shot = |lib| shaone_digest(&lib);
    let mut found = vec![shaone_plain(lib), named("shaone_digest", ours(lib).and_then(one_shot))];
    let make = |level: &str, lib: &Shared| {
        let backend = string(lib, "shaone_backend")?;
        shaone_streaming(&format!("shaone:{backend}"), &format!("SHAONE_BACKEND={level}"), lib)
    };
    match plain_at_levels(forced, "shaone:BACKEND", |_| true, make) {
        Ok(backends) => found.extend(backends.into_iter().map(Ok)),
        Err(missing) => found.push(Err(missing)),
    }
    found
}

/// Our collision detection, then the same on other kinds of CPU.
pub fn shaone_checked(lib: &Path, forced: &Path) -> Vec<Found<Plain>> {
    const NAME: &str = "shaone checked";
    const LEVELS: [&str; 3] = ["x86-sha-avx2", "x86-avx2", "portable"];
    let mut found = vec![named(NAME, ours(lib).and_then(|lib| detection(NAME, "", &lib)))];
    let make = |level: &str, lib: &Shared| detection(&format!("{NAME}:{level}"), "", lib);
    match plain_at_levels(forced, "shaone checked:LEVEL", |level| LEVELS.contains(&level), make) {
        Ok(levels) => found.extend(levels.into_iter().map(Ok)),
        Err(missing) => found.push(Err(missing)),
    }
    found
}

/// sha1collisiondetection's functions, used as git does: the digest is SHA-1's
/// whatever is found.
fn detection(name: &str, about: &str, lib: &Shared) -> Found<Plain> {
    // SAFETY: as in sha1dc/sha1.h.
    let (init, set_safe_hash, update, finish) = unsafe {
        (
            lib.get::<Init>("SHA1DCInit")?,
            lib.get::<Set>("SHA1DCSetSafeHash")?,
            lib.get::<Update>("SHA1DCUpdate")?,
            lib.get::<Final<c_int>>("SHA1DCFinal")?,
        )
    };
    let mut context = Context::<300>::new();
    Ok(Entrant::new(name, about, move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: SHA1_CTX has 2400 bytes; `data` and the digest are as they say.
        unsafe {
            init(context.as_ptr());
            set_safe_hash(context.as_ptr(), 0);
            update(context.as_ptr(), data.as_ptr().cast(), data.len());
            finish(digest_ptr(digests), context.as_ptr());
        }
    }))
}

fn about_shaone(lib: &Shared) -> String {
    let known = |function| string(lib, function).unwrap_or_else(|_| "?".into());
    format!("{}, backend {}, {}", known("shaone_version"), known("shaone_backend"), lib.path)
}

/// What a `const char *function(void)` returns.
fn string(lib: &Shared, function: &str) -> Found<String> {
    // SAFETY: all our functions that are asked for here have this type.
    let function = unsafe { lib.get::<Name>(function)? };
    // SAFETY: they return a static string.
    Ok(unsafe { CStr::from_ptr(function()) }.to_string_lossy().into_owned())
}

fn shaone_streaming(name: &str, about: &str, lib: &Shared) -> Found<Plain> {
    // SAFETY: as declared in shaone.h.
    unsafe { streaming::<12, (), (), ()>(name, about, lib, ["sha1_init", "sha1_update", "sha1_final"]) }
}

fn shaone_digest(lib: &Shared) -> Found<Plain> {
    // SAFETY: as declared in shaone.h.
    let digest = unsafe { lib.get::<OneShot>("shaone_digest")? };
    Ok(Entrant::new("shaone_digest", "", move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: `data` and the digest are as long as they say.
        unsafe { digest(data.as_ptr().cast(), data.len(), digest_ptr(digests)) }
    }))
}

fn plain_at_levels(
    lib: &Path,
    name: &str,
    wanted: impl Fn(&str) -> bool,
    make: impl Fn(&str, &Shared) -> Found<Plain>,
) -> Found<Vec<Plain>> {
    // With candidates for detection.
    let first = super::message(1 << 16);
    at_levels(lib, name, &first[..], &mut [Digest::default()], wanted, make)
}

/// The choice of a backend is made once per loaded library, by the first hash, that of
/// `first`; so every level gets a copy of the library of its own. Levels of which `make`
/// makes the same name as of another are left out.
fn at_levels<I: ?Sized>(
    lib: &Path,
    name: &str,
    first: &I,
    digests: &mut [Digest],
    wanted: impl Fn(&str) -> bool,
    make: impl Fn(&str, &Shared) -> Found<Entrant<I>>,
) -> Found<Vec<Entrant<I>>> {
    let shared = named(name, Shared::open(lib))?;
    let levels = levels(&shared).map_err(|_| {
        let path = &shared.path;
        format!("{name} ({path} has no feature force-backend)")
    })?;

    let directory = std::env::temp_dir().join(format!("shaone-bench-{}", std::process::id()));
    let mut copy = |level: &str| -> Found<Entrant<I>> {
        let path = directory.join(format!("{level}.so"));
        std::fs::copy(lib, &path).map_err(|error| error.to_string())?;
        // SAFETY: no thread of this process reads the environment now.
        unsafe { std::env::set_var("SHAONE_BACKEND", level) };
        let mut entrant = make(level, &Shared::open(&path)?)?;
        entrant.time(first, 1, digests);
        Ok(entrant)
    };
    let make_all = || {
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        let mut entrants = Vec::<Entrant<I>>::new();
        for level in levels.into_iter().filter(|level| wanted(level)) {
            let entrant = copy(&level)?;
            if entrants.iter().all(|other| other.name != entrant.name) {
                entrants.push(entrant);
            }
        }
        Ok(entrants)
    };
    let made = make_all();
    // What is loaded needs no name any more.
    let _ = std::fs::remove_dir_all(&directory);
    // SAFETY: as above.
    unsafe { std::env::remove_var("SHAONE_BACKEND") };
    named(name, made)
}

/// What SHAONE_BACKEND may be on this machine.
fn levels(lib: &Shared) -> Found<Vec<String>> {
    // SAFETY: as declared in src/capi/native.rs.
    let level = unsafe { lib.get::<Level>("shaone_level")? };
    let names = (0..).map_while(|index| {
        // SAFETY: it returns a static string, or NULL after the last.
        let name = unsafe { level(index, true).as_ref()? };
        // SAFETY: the same string.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_string_lossy().into_owned())
    });
    Ok(names.collect())
}

// ---- C

/// Its library, the newest first.
const OPENSSL: [&str; 3] = ["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1"];

/// OpenSSL's low-level functions: no provider, no allocation, the CPU's best code.
pub fn openssl() -> Found<Plain> {
    let found = || {
        let lib = Shared::named(&OPENSSL)?;
        type Version = unsafe extern "C" fn(c_int) -> *const c_char;
        // SAFETY: documented; 0 asks for the version as a static string.
        let version = unsafe { CStr::from_ptr(lib.get::<Version>("OpenSSL_version")?(0)) };
        let about = format!("{}, {}", version.to_string_lossy(), lib.path);
        let symbols = ["SHA1_Init", "SHA1_Update", "SHA1_Final"];
        // SAFETY: documented; SHA_CTX has 96 bytes.
        unsafe { streaming::<12, c_int, c_int, c_int>("openssl", &about, &lib, symbols) }
    };
    named("openssl", found())
}

/// All other C libraries; `peers` is where scripts/peers.sh has built some of them.
pub fn c_libraries(peers: &Path) -> Vec<Found<Plain>> {
    let built = |name| built(peers, name);
    vec![
        named("nettle", nettle()),
        named("gcrypt", gcrypt()),
        named("md", libmd()),
        named("mbedtls", mbedtls()),
        named("git", built("git").and_then(|lib| git(&lib))),
        named("gnulib", built("gnulib").and_then(|lib| gnulib("gnulib", &lib))),
        named("libiberty", built("libiberty").and_then(|lib| gnulib("libiberty", &lib))),
        sha1dc(peers),
    ]
}

/// One of those that scripts/peers.sh builds.
fn built(peers: &Path, name: &str) -> Found<Shared> {
    Shared::open(peers.join(format!("libpeer_{name}.so")))
        .map_err(|path| format!("no {path}; see scripts/peers.sh"))
}

fn git(lib: &Shared) -> Found<Plain> {
    let symbols = ["blk_SHA1_Init", "blk_SHA1_Update", "blk_SHA1_Final"];
    // SAFETY: as in git's block-sha1/sha1.h; blk_SHA_CTX has 96 bytes.
    unsafe { streaming::<12, (), (), ()>("git", "", lib, symbols) }
}

/// The reference of collision detection; git's default.
pub fn sha1dc(peers: &Path) -> Found<Plain> {
    named(
        "sha1dc",
        built(peers, "sha1dc").and_then(|lib| detection("sha1dc", "with collision detection", &lib)),
    )
}

fn libmd() -> Found<Plain> {
    let lib = Shared::named(&["libmd.so.0"])?;
    let symbols = ["SHA1Init", "SHA1Update", "SHA1Final"];
    // SAFETY: documented; SHA1_CTX has 96 bytes.
    unsafe { streaming::<12, (), (), ()>("md", &lib.path, &lib, symbols) }
}

/// gnulib's functions, and libiberty's of the same names.
fn gnulib(name: &str, lib: &Shared) -> Found<Plain> {
    type Process = unsafe extern "C" fn(*const c_void, usize, *mut c_void);
    type Finish = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;
    // SAFETY: as in their sha1.h.
    let (init, process, finish) = unsafe {
        (
            lib.get::<Init>("sha1_init_ctx")?,
            lib.get::<Process>("sha1_process_bytes")?,
            lib.get::<Finish>("sha1_finish_ctx")?,
        )
    };
    let mut context = Context::<20>::new();
    Ok(Entrant::new(name, "", move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: struct sha1_ctx has 160 bytes; `data` and the digest are as they say.
        unsafe {
            init(context.as_ptr());
            process(data.as_ptr().cast(), data.len(), context.as_ptr());
            finish(context.as_ptr(), digest_ptr(digests).cast());
        }
    }))
}

fn nettle() -> Found<Plain> {
    type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
    type Finish = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
    // Not .so.9: there digest lost its length.
    let lib = Shared::named(&["libnettle.so.8", "libnettle.so.7", "libnettle.so.6"])?;
    // SAFETY: documented.
    let (init, update, finish) = unsafe {
        (
            lib.get::<Init>("nettle_sha1_init")?,
            lib.get::<Update>("nettle_sha1_update")?,
            lib.get::<Finish>("nettle_sha1_digest")?,
        )
    };
    let mut context = Context::<32>::new();
    Ok(Entrant::new("nettle", lib.path, move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: struct sha1_ctx has 104 bytes; `data` and the digest are as they say.
        unsafe {
            init(context.as_ptr());
            update(context.as_ptr(), data.len(), data.as_ptr());
            finish(context.as_ptr(), 20, digest_ptr(digests));
        }
    }))
}

/// One handle for all messages: to open one allocates, which isn't SHA-1's fault.
fn gcrypt() -> Found<Plain> {
    const GCRY_MD_SHA1: c_int = 2;
    type CheckVersion = unsafe extern "C" fn(*const c_char) -> *const c_char;
    type Open = unsafe extern "C" fn(*mut *mut c_void, c_int, c_uint) -> c_uint;
    type Reset = unsafe extern "C" fn(*mut c_void);
    type Write = unsafe extern "C" fn(*mut c_void, *const c_void, usize);
    type Read = unsafe extern "C" fn(*mut c_void, c_int) -> *const u8;
    let lib = Shared::named(&["libgcrypt.so.20"])?;
    // SAFETY: documented.
    let (check_version, open, reset, write, read) = unsafe {
        (
            lib.get::<CheckVersion>("gcry_check_version")?,
            lib.get::<Open>("gcry_md_open")?,
            lib.get::<Reset>("gcry_md_reset")?,
            lib.get::<Write>("gcry_md_write")?,
            lib.get::<Read>("gcry_md_read")?,
        )
    };
    let mut handle = std::ptr::null_mut();
    // SAFETY: the library wants to be asked for its version first.
    let error = unsafe {
        check_version(std::ptr::null());
        open(&raw mut handle, GCRY_MD_SHA1, 0)
    };
    if error != 0 {
        return Err(format!("gcry_md_open: error {error}"));
    }
    Ok(Entrant::new("gcrypt", lib.path, move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: the handle is open for good; gcry_md_read gives 20 bytes of its own.
        unsafe {
            reset(handle);
            write(handle, data.as_ptr().cast(), data.len());
            digests[0] = *read(handle, GCRY_MD_SHA1).cast::<Digest>();
        }
    }))
}

fn mbedtls() -> Found<Plain> {
    type Starts = unsafe extern "C" fn(*mut c_void) -> c_int;
    type Update = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
    type Finish = unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int;
    let lib = Shared::named(&["libmbedcrypto.so.16", "libmbedcrypto.so.7", "libmbedcrypto.so.3"])?;
    // SAFETY: documented; version 2 has the functions that return int as *_ret.
    let functions = |suffix: &str| unsafe {
        Found::Ok((
            lib.get::<Init>("mbedtls_sha1_init")?,
            lib.get::<Starts>(&format!("mbedtls_sha1_starts{suffix}"))?,
            lib.get::<Update>(&format!("mbedtls_sha1_update{suffix}"))?,
            lib.get::<Finish>(&format!("mbedtls_sha1_finish{suffix}"))?,
        ))
    };
    let (init, starts, update, finish) = functions("_ret").or_else(|_| functions(""))?;
    let mut context = Context::<32>::new();
    Ok(Entrant::new("mbedtls", lib.path.clone(), move |data: &[u8], digests: &mut [Digest]| {
        // SAFETY: mbedtls_sha1_context has 92 bytes; `data` and the digest are as they say.
        unsafe {
            init(context.as_ptr());
            starts(context.as_ptr());
            update(context.as_ptr(), data.as_ptr(), data.len());
            finish(context.as_ptr(), digest_ptr(digests));
        }
    }))
}

// ---- Rust

/// Called as their users do: no C between.
pub fn rust_crates() -> Vec<Found<Plain>> {
    vec![
        Ok(Entrant::new("crate sha1", "RustCrypto", |data: &[u8], digests: &mut [Digest]| {
            use rustcrypto_sha1::Digest as _;
            let mut hasher = rustcrypto_sha1::Sha1::new();
            hasher.update(data);
            digests[0] = hasher.finalize().into();
        })),
        Ok(Entrant::new("crate sha1_smol", "", |data: &[u8], digests: &mut [Digest]| {
            let mut hasher = sha1_smol::Sha1::new();
            hasher.update(data);
            digests[0] = hasher.digest().bytes();
        })),
    ]
}

/// Those that detect collisions; as everywhere, the digest is SHA-1's.
pub fn checking_crates() -> Vec<Found<Plain>> {
    vec![
        Ok(Entrant::new("crate sha1-checked", "RustCrypto", |data: &[u8], digests: &mut [Digest]| {
            use sha1_checked::Digest as _;
            let mut hasher = sha1_checked::Sha1::builder().safe_hash(false).build();
            hasher.update(data);
            digests[0] = (*hasher.try_finalize().hash()).into();
        })),
        Ok(Entrant::new("crate sha1collisiondetection", "", |data: &[u8], digests: &mut [Digest]| {
            let mut hasher = sha1collisiondetection::Sha1CD::configure().safe_hash(false).build();
            hasher.update(data);
            let mut digest = sha1collisiondetection::Output::default();
            // The verdict is of no interest here.
            let _ = hasher.finalize_into_dirty_cd(&mut digest);
            digests[0] = digest.into();
        })),
        Ok(Entrant::new("crate sha1dc", "", |data: &[u8], digests: &mut [Digest]| {
            let mut hasher = sha1dc::Hasher::new();
            hasher.update(data);
            digests[0] = hasher.finalize().unwrap_or_else(|collision| collision.digest()).to_bytes();
        })),
    ]
}
