//! Collision detection beside the reference, sha1collisiondetection in C, and on
//! every kind of CPU that this machine can play.

#[path = "common/attacks.rs"]
mod attacks;
mod common;

use std::env;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::process::Command;

use attacks::*;
use common::signatures::{CheckedMany, Final, Init, OneShot, Set, Update};
use common::{force_stage, levels, not_run, output, peers};
use libloading::Library;
use shaone::Digest;
use shaone::detect::Options;
use shaone::detect::vectors::VECTORS;

/// A library with sha1collisiondetection's functions: ours or its own.
struct Sha1dc {
    name: String,
    init: Init,
    setters: [Set; 4],
    update: Update,
    finish: Final<c_int>,
    library: Library,
}

impl Sha1dc {
    fn open(name: &str, path: &Path) -> Self {
        // SAFETY: neither library has initialisers.
        let library = unsafe { Library::new(path) }.unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: all are declared like that in sha1dc/sha1.h, and used only while
        // the library is open.
        unsafe {
            let set = |name: &str| *library.get::<Set>(name).unwrap();
            Sha1dc {
                name: name.into(),
                init: *library.get("SHA1DCInit").unwrap(),
                setters: [
                    set("SHA1DCSetUseDetectColl"),
                    set("SHA1DCSetUseUBC"),
                    set("SHA1DCSetDetectReducedRoundCollision"),
                    set("SHA1DCSetSafeHash"),
                ],
                update: *library.get("SHA1DCUpdate").unwrap(),
                finish: *library.get("SHA1DCFinal").unwrap(),
                library,
            }
        }
    }

    fn hash(&self, message: &[u8], options: Options, cut: usize) -> (Digest, bool) {
        // SHA1_CTX, of which only the size matters here.
        let mut ctx = [0_u64; 300];
        let ctx: *mut c_void = ctx.as_mut_ptr().cast();
        let mut digest = [0; 20];
        let Options { detect, conditions, reduced_round, safe_hash } = options;
        // SAFETY: as declared; a context has 2400 bytes.
        let found = unsafe {
            (self.init)(ctx);
            for (set, value) in self.setters.iter().zip([detect, conditions, reduced_round, safe_hash]) {
                set(ctx, c_int::from(value));
            }
            for part in [&message[..cut], &message[cut..]] {
                (self.update)(ctx, part.as_ptr().cast(), part.len());
            }
            (self.finish)(digest.as_mut_ptr(), ctx)
        };
        (digest, found != 0)
    }
}

/// The reference, if scripts/peers.sh has built it.
fn peer() -> Option<Sha1dc> {
    let path = peers()?.join("libpeer_sha1dc.so");
    path.exists().then(|| Sha1dc::open("sha1collisiondetection", &path))
}

/// Run a test of this file, which calls this, again for each level: a process
/// chooses once and for all. There, our library.
fn on_every_level(test: &str) -> Option<Sha1dc> {
    if let (Ok(level), Some(path)) = (env::var("SHAONE_BACKEND"), env::var_os("SHAONE_FORCED_LIB")) {
        return Some(Sha1dc::open(&level, path.as_ref()));
    }
    for level in levels() {
        let mut child = Command::new(env::current_exe().unwrap());
        child.env("SHAONE_BACKEND", level).env("SHAONE_FORCED_LIB", force_stage().join("libshaone.so"));
        let printed = output(child.args(["--exact", test, "--nocapture"]));
        assert!(printed.contains("1 passed"), "{printed}");
    }
    None
}

#[test]
fn hostile_messages() {
    // Ours in the children, the reference's here.
    let Some(library) = on_every_level("hostile_messages").or_else(peer) else {
        return not_run("sha1collisiondetection's own verdicts (scripts/peers.sh builds it)");
    };
    let mut random = Random::new(20);
    let options: Vec<Options> = all_options().collect();
    let runs = rounds(1_000, 10_000);
    let mut found = 0;
    for run in 0..runs {
        let message = hostile_message(&mut random);
        let options = options[run % options.len()];
        let cut = random.below(message.len() + 1);
        let want = reference(&message, options);
        let got = library.hash(&message, options, cut);
        let (name, len) = (&library.name, message.len());
        assert_eq!(got, want, "{name}, run {run}, {len} bytes cut at {cut}, {options:?}");
        found += usize::from(want.1);
    }
    assert!(found > runs / 10, "{found} of {runs} with an attack");
}

/// The same messages at once, many together: the digest and the verdict of each.
#[test]
fn many_hostile_messages() {
    let Some(Sha1dc { name, library, .. }) = on_every_level("many_hostile_messages") else { return };
    // SAFETY: they are declared like that in shaone.h.
    let (checked, checked_many) = unsafe {
        let checked = library.get::<OneShot<c_int>>("shaone_checked_digest").unwrap();
        (checked, library.get::<CheckedMany>("shaone_checked_digest_many").unwrap())
    };
    let mut random = Random::new(22);
    for run in 0..rounds(100, 1_000) {
        let mut messages: Vec<Vec<u8>> =
            (0..random.below(40)).map(|_| hostile_message(&mut random)).collect();
        if run % 3 == 0 {
            // All of a length go through the lanes side by side.
            messages.iter_mut().for_each(|message| message.resize(1000, b'9'));
        }
        let want: Vec<_> = messages.iter().map(|message| reference(message, Options::DETECT)).collect();
        let pointers: Vec<*const c_void> = messages.iter().map(|message| message.as_ptr().cast()).collect();
        let lens: Vec<usize> = messages.iter().map(Vec::len).collect();
        let mut digests = vec![[0; 20]; messages.len()];
        let mut found = vec![0xa5; messages.len()];
        let (n, data) = (messages.len(), pointers.as_ptr());
        // SAFETY: as declared; all have as many elements as there are messages.
        let count = unsafe { checked_many(n, data, lens.as_ptr(), digests.as_mut_ptr(), found.as_mut_ptr()) };
        assert!(found.iter().all(|&found| found <= 1), "{name}, run {run}: {found:?}");
        let got: Vec<_> = digests.into_iter().zip(found.iter().map(|&found| found == 1)).collect();
        assert_eq!(got, want, "{name}, run {run}");
        assert_eq!(count, want.iter().filter(|want| want.1).count(), "{name}, run {run}");
        for (message, want) in messages.iter().zip(&want) {
            let mut digest = [0; 20];
            // SAFETY: as declared.
            let found = unsafe { checked(message.as_ptr().cast(), message.len(), digest.as_mut_ptr()) };
            assert_eq!((digest, found == 1), *want, "{name}, run {run}, alone");
        }
    }
}

/// The reference's own table of vectors, and its conditions in the form that it
/// computes: the same as the list of the published ones, and as ours.
#[test]
fn tables_of_the_reference() {
    let Some(peer) = peer() else {
        return not_run("sha1collisiondetection's tables (scripts/peers.sh builds it)");
    };
    #[repr(C)]
    struct Info {
        kind: c_int,
        k: c_int,
        b: c_int,
        start: c_int,
        word: c_int,
        bit: c_int,
        difference: Words,
    }
    type Check = unsafe extern "C" fn(*const Words, *mut u32);
    // SAFETY: both are declared like that in ubc_check.h; the table has 32 vectors
    // and one of type 0 behind them.
    let (table, check) = unsafe {
        (
            &**peer.library.get::<*const [Info; 33]>("sha1_dvs").unwrap(),
            *peer.library.get::<Check>("ubc_check").unwrap(),
        )
    };

    let numbers: Vec<usize> = table[..32]
        .iter()
        .map(|info| number(info.kind as u8, info.k as u8, info.b as u8).expect("a vector that we have too"))
        .collect();
    assert_eq!(numbers.iter().map(|&number| 1 << number).sum::<Vectors>(), !0, "all of them");
    assert_eq!(table[32].kind, 0, "and no more");
    for (info, &number) in table.iter().zip(&numbers) {
        let difference: Words = std::array::from_fn(|t| VECTORS[number].difference().word(t));
        assert_eq!(info.difference, difference, "{:?}", VECTORS[number]);
        assert_eq!(info.start as usize, VECTORS[number].test_step(), "{:?}", VECTORS[number]);
        assert_eq!(info.word, 0, "one word for all");
    }
    let live = |w: &Words| {
        let mut mask = !0;
        // SAFETY: as declared.
        unsafe { check(w, &mut mask) };
        let places = table.iter().zip(&numbers).filter(|(info, _)| mask >> info.bit & 1 == 1);
        places.map(|(_, &number)| 1 << number).sum::<Vectors>()
    };
    let same = |w: &Words| {
        let want = live(w);
        assert_eq!(published_live(w), want, "the published conditions");
        assert_eq!(vectors(shaone::detect::conditions::live(&window(w))), want, "ours");
    };

    let mut random = Random::new(21);
    for _ in 0..rounds(100_000, 1_000_000) {
        let mut block = [0; 16];
        block.fill_with(|| random.word());
        same(&expand(&block));
        let mut w = [0; 80];
        w.fill_with(|| random.word());
        same(&w);
    }
    for i in 0..rounds(3_000, 30_000) {
        let mut w = expand(&match i % 2 {
            0 => hostile(&mut random, 1),
            _ => hostile(&mut random, 32),
        });
        for _ in 0..8 {
            same(&w);
            w[35 + random.below(30)] ^= 1 << random.below(32);
        }
    }
}
