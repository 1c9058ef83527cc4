//! The functions of git, gnulib, libiberty, libmd and OpenSSL beside their own: each step of
//! a computation is done by ours or by the peer, in the same context, whose layout both
//! share. sha1collisiondetection's contexts are not shared in the middle.
#![no_main]

use std::env;
use std::ffi::{CStr, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use libloading::Library;
use rustcrypto_sha1::Digest as _;
use shaone::Digest;

type Init = unsafe extern "C" fn(*mut c_void);
type Update = unsafe extern "C" fn(*mut c_void, *const c_void, usize);
type Final = unsafe extern "C" fn(*mut u8, *mut c_void);
type Process = unsafe extern "C" fn(*const c_void, usize, *mut c_void);
type Finish = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;
type Buffer = unsafe extern "C" fn(*const c_void, usize, *mut c_void) -> *mut c_void;
type Hmac = unsafe extern "C" fn(*const c_void, usize, *const c_void, usize, *mut c_void) -> c_int;
type Sha1dcUpdate = unsafe extern "C" fn(*mut c_void, *const c_void, usize);
type Sha1dcFinal = unsafe extern "C" fn(*mut u8, *mut c_void) -> c_int;

// Ours, under the names by which shaone.h and the headers of compat/ have the linker look for
// them; shim_* are functions of headers (shims.c).
unsafe extern "C" {
    fn blk_SHA1_Init(ctx: *mut c_void);
    fn blk_SHA1_Update(ctx: *mut c_void, data: *const c_void, len: usize);
    fn blk_SHA1_Final(digest: *mut u8, ctx: *mut c_void);
    fn shaone_sha1_init_ctx(ctx: *mut c_void);
    fn shaone_sha1_process_block(data: *const c_void, len: usize, ctx: *mut c_void);
    fn shaone_sha1_process_bytes(data: *const c_void, len: usize, ctx: *mut c_void);
    fn shaone_sha1_read_ctx(ctx: *mut c_void, digest: *mut c_void) -> *mut c_void;
    fn shaone_sha1_finish_ctx(ctx: *mut c_void, digest: *mut c_void) -> *mut c_void;
    fn shaone_sha1_buffer(data: *const c_void, len: usize, digest: *mut c_void) -> *mut c_void;
    fn shaone_hmac_sha1(
        key: *const c_void,
        key_len: usize,
        data: *const c_void,
        len: usize,
        mac: *mut c_void,
    ) -> c_int;
    fn SHA1DCInit(ctx: *mut c_void);
    fn SHA1DCUpdate(ctx: *mut c_void, data: *const c_void, len: usize);
    fn SHA1DCFinal(digest: *mut u8, ctx: *mut c_void) -> c_int;
    fn shim_md_init(ctx: *mut c_void);
    fn shim_md_update(ctx: *mut c_void, data: *const c_void, len: usize);
    fn shim_md_final(digest: *mut u8, ctx: *mut c_void);
    fn shim_openssl_init(ctx: *mut c_void);
    fn shim_openssl_update(ctx: *mut c_void, data: *const c_void, len: usize);
    fn shim_openssl_final(digest: *mut u8, ctx: *mut c_void);
}

/// Three steps, by one library.
#[derive(Clone, Copy)]
struct Steps {
    init: Init,
    update: Update,
    finish: Final,
}

/// gnulib's functions, and libiberty's.
#[derive(Clone, Copy)]
struct Gnulib {
    init: Init,
    block: Process,
    bytes: Process,
    read: Finish,
    finish: Finish,
    buffer: Buffer,
    hmac: Option<Hmac>,
}

struct Sha1dc {
    init: Init,
    update: Sha1dcUpdate,
    finish: Sha1dcFinal,
}

struct Peers {
    /// Ours, and theirs where they are here.
    steps: Vec<(&'static str, [Steps; 2])>,
    gnulib: Vec<(&'static str, [Gnulib; 2])>,
    sha1dc: Option<Sha1dc>,
}

/// A library that is never closed.
fn open(file: impl AsRef<Path>) -> Option<ManuallyDrop<Library>> {
    // SAFETY: the peers have no initialisers that matter.
    unsafe { Library::new(file.as_ref()) }.ok().map(ManuallyDrop::new)
}

/// A function of a library.
///
/// # Safety
/// F must be its type.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Option<F> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name.to_bytes_with_nul()).ok().map(|function| *function) }
}

fn steps(library: Option<ManuallyDrop<Library>>, names: [&CStr; 3]) -> Option<Steps> {
    let library = &library?;
    // SAFETY: their headers declare them like that (some return a number besides).
    unsafe {
        Some(Steps {
            init: function(library, names[0])?,
            update: function(library, names[1])?,
            finish: function(library, names[2])?,
        })
    }
}

fn gnulib(library: Option<ManuallyDrop<Library>>) -> Option<Gnulib> {
    let library = &library?;
    // SAFETY: gnulib's and libiberty's headers declare them like that.
    unsafe {
        Some(Gnulib {
            init: function(library, c"sha1_init_ctx")?,
            block: function(library, c"sha1_process_block")?,
            bytes: function(library, c"sha1_process_bytes")?,
            read: function(library, c"sha1_read_ctx")?,
            finish: function(library, c"sha1_finish_ctx")?,
            buffer: function(library, c"sha1_buffer")?,
            hmac: function(library, c"hmac_sha1"),
        })
    }
}

fn peers() -> &'static Peers {
    static PEERS: OnceLock<Peers> = OnceLock::new();
    PEERS.get_or_init(|| {
        let dir = env::var_os("SHAONE_PEERS").unwrap_or_default();
        let built = |name: &str| open(Path::new(&dir).join(format!("libpeer_{name}.so")));
        let git = Steps { init: blk_SHA1_Init, update: blk_SHA1_Update, finish: blk_SHA1_Final };
        let md = Steps { init: shim_md_init, update: shim_md_update, finish: shim_md_final };
        let openssl =
            Steps { init: shim_openssl_init, update: shim_openssl_update, finish: shim_openssl_final };
        let all_steps = [
            ("git", git, steps(built("git"), [c"blk_SHA1_Init", c"blk_SHA1_Update", c"blk_SHA1_Final"])),
            ("libmd", md, steps(open("libmd.so.0"), [c"SHA1Init", c"SHA1Update", c"SHA1Final"])),
            (
                "OpenSSL",
                openssl,
                steps(open("libcrypto.so.3"), [c"SHA1_Init", c"SHA1_Update", c"SHA1_Final"]),
            ),
        ];
        let ours = Gnulib {
            init: shaone_sha1_init_ctx,
            block: shaone_sha1_process_block,
            bytes: shaone_sha1_process_bytes,
            read: shaone_sha1_read_ctx,
            finish: shaone_sha1_finish_ctx,
            buffer: shaone_sha1_buffer,
            hmac: Some(shaone_hmac_sha1),
        };
        // SAFETY: sha1dc/sha1.h declares them like that.
        let sha1dc = built("sha1dc").and_then(|library| unsafe {
            Some(Sha1dc {
                init: function(&library, c"SHA1DCInit")?,
                update: function(&library, c"SHA1DCUpdate")?,
                finish: function(&library, c"SHA1DCFinal")?,
            })
        });
        let steps = all_steps.into_iter().filter_map(|(name, ours, theirs)| match theirs {
            Some(theirs) => Some((name, [ours, theirs])),
            None => {
                eprintln!("not run: {name}");
                None
            }
        });
        let gnulibs = ["gnulib", "libiberty"].into_iter().filter_map(|name| match gnulib(built(name)) {
            Some(theirs) => Some((name, [ours, theirs])),
            None => {
                eprintln!("not run: {name}");
                None
            }
        });
        Peers { steps: steps.collect(), gnulib: gnulibs.collect(), sha1dc }
    })
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Lengths of pieces; whether the peer does this one; whether the digest so far is read.
    pieces: Vec<(u16, bool, bool)>,
    peer_begins: bool,
    peer_ends: bool,
    key_len: u8,
    message: &'a [u8],
}

impl<'a> Input<'a> {
    /// The pieces of the message, by whom, and whether to look then.
    fn pieces(&self) -> impl Iterator<Item = (&'a [u8], usize, bool)> {
        let mut rest = self.message;
        let last = (u16::MAX, self.peer_ends, true);
        self.pieces.iter().copied().chain([last]).map(move |(len, peer, look)| {
            let (piece, more) = rest.split_at(rest.len().min(len.into()));
            rest = more;
            (piece, peer.into(), look)
        })
    }
}

/// Memory for any context, for which gnulib's digests may be read as words as well.
#[repr(align(16))]
struct Context([u8; 4096]);

fuzz_target!(|input: Input| {
    let message = &input.message[..input.message.len().min(u16::MAX.into())];
    let input = Input { message, ..input };
    let want: Digest = rustcrypto_sha1::Sha1::digest(message).into();
    let peers = peers();
    let mut memory = Context([0xa5; 4096]);
    let ctx: *mut c_void = memory.0.as_mut_ptr().cast();
    let mut digest = [0_u32; 5];
    let to: *mut u8 = digest.as_mut_ptr().cast();
    // SAFETY: there is room for the digest.
    let digest = || -> Digest { unsafe { *to.cast() } };

    for (name, by) in &peers.steps {
        // SAFETY: there is room for any context; the pieces have these lengths.
        unsafe {
            (by[usize::from(input.peer_begins)].init)(ctx);
            for (piece, who, _) in input.pieces() {
                (by[who].update)(ctx, piece.as_ptr().cast(), piece.len());
            }
            (by[usize::from(input.peer_ends)].finish)(to, ctx);
        }
        assert_eq!(digest(), want, "{name}");
    }

    for (name, by) in &peers.gnulib {
        // Even at the end of a block something can wait in the context: gnulib leaves a full
        // buffer for the next call.
        // SAFETY: only asked once the context has been initialised; `buflen` is its eighth word.
        let nothing_waits = || unsafe { ctx.cast::<u32>().add(7).read() == 0 };
        // SAFETY: the same; whole blocks may go to the function for them while nothing waits.
        unsafe {
            (by[usize::from(input.peer_begins)].init)(ctx);
            for (piece, who, look) in input.pieces() {
                let blocks = look && piece.len() % 64 == 0 && nothing_waits();
                let process = if blocks { by[who].block } else { by[who].bytes };
                process(piece.as_ptr().cast(), piece.len(), ctx);
                if look && nothing_waits() {
                    // The chaining value, as bytes.
                    (by[0].read)(ctx, to.cast());
                    let ours = digest();
                    (by[1].read)(ctx, to.cast());
                    assert_eq!(digest(), ours, "{name}: sha1_read_ctx");
                }
            }
            (by[usize::from(input.peer_ends)].finish)(ctx, to.cast());
            assert_eq!(digest(), want, "{name}");
            (by[0].buffer)(message.as_ptr().cast(), message.len(), to.cast());
            assert_eq!(digest(), want, "{name}: sha1_buffer");
            let (key, data) = message.split_at(message.len().min(input.key_len.into()));
            let macs = by.map(|library| {
                let hmac = library.hmac?;
                hmac(key.as_ptr().cast(), key.len(), data.as_ptr().cast(), data.len(), to.cast());
                Some(digest())
            });
            assert!(macs[1].is_none() || macs[0] == macs[1], "{name}: hmac_sha1");
        }
    }

    if let Some(theirs) = &peers.sha1dc {
        let ours = Sha1dc { init: SHA1DCInit, update: SHA1DCUpdate, finish: SHA1DCFinal };
        let [ours, theirs] = [&ours, theirs].map(|by| {
            // SAFETY: as above.
            let found = unsafe {
                (by.init)(ctx);
                for (piece, ..) in input.pieces() {
                    (by.update)(ctx, piece.as_ptr().cast(), piece.len());
                }
                (by.finish)(to, ctx)
            };
            (found != 0, digest())
        });
        assert_eq!(ours, theirs, "sha1dc");
    }
});
