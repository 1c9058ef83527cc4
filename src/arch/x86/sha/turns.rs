//! Several messages in turns, with the schedule instructions. It takes all of x86-64's
//! registers.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::rounds::{Working, four_rounds};
use super::schedule::{Group, Msg, load_block};
use crate::lanes::{States, Step};

/// Two messages: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 2 lanes must be filled.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub unsafe fn two_msg(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the SHA instructions, SSSE3 and SSE4.1 are enabled here; the lanes are filled by
    // this function's contract.
    unsafe { in_turns::<2>(states, steps) }
}

/// Three messages: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 3 lanes must be filled.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub unsafe fn three_msg(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the SHA instructions, SSSE3 and SSE4.1 are enabled here; the lanes are filled by
    // this function's contract.
    unsafe { in_turns::<3>(states, steps) }
}

/// Four messages: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 4 lanes must be filled.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub unsafe fn four_msg(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the SHA instructions, SSSE3 and SSE4.1 are enabled here; the lanes are filled by
    // this function's contract.
    unsafe { in_turns::<4>(states, steps) }
}

/// `N` messages, step after step.
///
/// On Zen 3 this takes 65, 54 and 44 cycles a block with two, three and four messages. The
/// instructions of a group are put in order by hand, because that core gives each to one of
/// its units before it knows when the instruction can begin, and some orders fit the units
/// much better than others; and because the compiler, given the instructions one by one,
/// puts working words into memory instead of schedules: so three and four messages take 51
/// cycles at best and 60 more often.
///
/// # Safety
/// The CPU must have the SHA instructions, SSSE3 and SSE4.1, and in every step the first `N`
/// lanes must be filled.
#[inline(always)]
unsafe fn in_turns<const N: usize>(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the CPU has these instructions by this function's contract; the lanes of every
    // step are filled, and `i` is less than its count. `w` has room for all groups.
    unsafe {
        let mut hash = load_lanes::<N>(states);
        let mut t = Turns { working: hash, recent: [[_mm_setzero_si128(); 4]; N] };
        let mut w = MaybeUninit::<Schedules<N>>::uninit();
        let w = w.as_mut_ptr();
        for step in steps {
            for i in 0..step.count() {
                for (n, block) in step.nth::<N>(i).into_iter().enumerate() {
                    let first = &mut t.recent[n];
                    load_block::<Msg>(first, block);
                    t.working[n] = Working { abcd: hash[n].abcd, e: _mm_add_epi32(hash[n].e, first[0]) };
                    for g in 0..4 {
                        (*w)[g][n] = first[g];
                    }
                }
                t.group::<0, 0>(w);
                t.group::<1, 0>(w);
                t.group::<2, 0>(w);
                t.group::<3, 0>(w);
                t.group::<4, 0>(w);
                t.group::<5, 1>(w);
                t.group::<6, 1>(w);
                t.group::<7, 1>(w);
                t.group::<8, 1>(w);
                t.group::<9, 1>(w);
                t.group::<10, 2>(w);
                t.group::<11, 2>(w);
                t.group::<12, 2>(w);
                t.group::<13, 2>(w);
                t.group::<14, 2>(w);
                t.group::<15, 3>(w);
                t.last_group::<16>(&hash, w);
                t.last_group::<17>(&hash, w);
                t.last_group::<18>(&hash, w);
                t.last_group::<19>(&hash, w);
                for n in 0..N {
                    let abcd = _mm_add_epi32(hash[n].abcd, t.working[n].abcd);
                    hash[n] = Working { abcd, e: t.working[n].e };
                }
            }
            if step.ends != 0 {
                let begun = load_lanes::<N>(&step.exchange);
                store_lanes(&hash, &mut step.exchange);
                for n in 0..N {
                    if step.ends >> n & 1 != 0 {
                        hash[n] = begun[n];
                    }
                }
            }
        }
        store_lanes(&hash, states);
    }
}

/// The chaining values of the first `N` of four lanes.
///
/// # Safety
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn load_lanes<const N: usize>(states: &States) -> [Working; N] {
    // SAFETY: the CPU has SSE2 by this function's contract; four words are 16 bytes.
    unsafe {
        let [a, b, c, d, e] = states.0.each_ref().map(|words| _mm_loadu_si128(words.as_ptr().cast()));
        let (dc, dc_high) = (_mm_unpacklo_epi32(d, c), _mm_unpackhi_epi32(d, c));
        let (ba, ba_high) = (_mm_unpacklo_epi32(b, a), _mm_unpackhi_epi32(b, a));
        let lanes = [
            (_mm_unpacklo_epi64(dc, ba), _mm_slli_si128::<12>(e)),
            (_mm_unpackhi_epi64(dc, ba), _mm_slli_si128::<12>(_mm_srli_si128::<4>(e))),
            (_mm_unpacklo_epi64(dc_high, ba_high), _mm_slli_si128::<12>(_mm_srli_si128::<8>(e))),
            (_mm_unpackhi_epi64(dc_high, ba_high), _mm_slli_si128::<12>(_mm_srli_si128::<12>(e))),
        ];
        core::array::from_fn(|n| Working { abcd: lanes[n].0, e: lanes[n].1 })
    }
}

/// Store chaining values into the first four lanes; those without a message get any words.
///
/// # Safety
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn store_lanes<const N: usize>(hash: &[Working; N], states: &mut States) {
    // SAFETY: the CPU has SSE2 by this function's contract; four words are 16 bytes.
    unsafe {
        let [p, q, r, s] = core::array::from_fn(|n| hash[n.min(N - 1)]);
        let (dc, ba) = (_mm_unpacklo_epi32(p.abcd, q.abcd), _mm_unpackhi_epi32(p.abcd, q.abcd));
        let (dc_high, ba_high) = (_mm_unpacklo_epi32(r.abcd, s.abcd), _mm_unpackhi_epi32(r.abcd, s.abcd));
        let (e, e_high) = (_mm_unpackhi_epi32(p.e, q.e), _mm_unpackhi_epi32(r.e, s.e));
        let words = [
            _mm_unpackhi_epi64(ba, ba_high),
            _mm_unpacklo_epi64(ba, ba_high),
            _mm_unpackhi_epi64(dc, dc_high),
            _mm_unpacklo_epi64(dc, dc_high),
            _mm_unpackhi_epi64(e, e_high),
        ];
        for (to, words) in states.0.iter_mut().zip(words) {
            _mm_storeu_si128(to.as_mut_ptr().cast(), words);
        }
    }
}

/// All groups of several messages, where there are not enough registers.
type Schedules<const N: usize> = [[Group; N]; 20];

/// Several messages in turns, with schedule instructions.
struct Turns<const N: usize> {
    working: [Working; N],
    /// The newest four groups, as far as there are registers for them.
    recent: [[Group; 4]; N],
}

impl<const N: usize> Turns<N> {
    /// Four rounds of each message, and the words of four groups later.
    ///
    /// # Safety
    /// The CPU must have the SHA instructions; with three or four messages, the groups up
    /// to `G + 3` must be in `w`.
    #[inline(always)]
    unsafe fn group<const G: usize, const PART: i32>(&mut self, w: *mut Schedules<N>) {
        // SAFETY: each of these functions has a part of this one's contract.
        unsafe {
            match N {
                2 => self.two_in_registers::<PART>(),
                3 => {
                    self.one::<G, PART>(0, w);
                    self.one::<G, PART>(1, w);
                    self.one::<G, PART>(2, w);
                }
                4 => {
                    self.two::<G, PART>(0, w);
                    self.two::<G, PART>(2, w);
                }
                _ => unreachable!(),
            }
        }
    }

    /// One of the last four groups, for which no words are left to make.
    ///
    /// # Safety
    /// The CPU must have the SHA instructions; with three or four messages, all groups must
    /// be in `w`.
    #[inline(always)]
    unsafe fn last_group<const G: usize>(&mut self, hash: &[Working; N], w: *const Schedules<N>) {
        for n in 0..N {
            // SAFETY: the CPU has the SHA instructions, and where there are more than two
            // messages all groups are in `w`, by this function's contract.
            unsafe {
                let next = match G {
                    19 => hash[n].e,
                    _ if N == 2 => self.recent[n][G - 15],
                    _ => (*w)[G + 1][n],
                };
                self.working[n] = four_rounds::<Msg, 3>(self.working[n], next);
            }
        }
    }

    /// What has become of the words and of E.
    #[inline(always)]
    fn advance(&mut self, n: usize, e: __m128i, newest: Group) {
        self.working[n].e = e;
        let [_, a, b, c] = self.recent[n];
        self.recent[n] = [a, b, c, newest];
    }

    /// A group of two messages of two.
    ///
    /// # Safety
    /// The CPU must have the SHA instructions.
    #[inline(always)]
    unsafe fn two_in_registers<const PART: i32>(&mut self) {
        let [mut newest0, mut newest1] = [self.recent[0][0], self.recent[1][0]];
        let (e0, e1);
        // SAFETY: the CPU has the SHA instructions by this function's contract; the code uses
        // nothing but the operands.
        unsafe {
            asm!(
                "movdqa {next0}, {abcd0}",
                "movdqa {next1}, {abcd1}",
                "sha1rnds4 {abcd0}, {e0}, {part}",
                "sha1rnds4 {abcd1}, {e1}, {part}",
                "sha1nexte {next0}, {b0}",
                "sha1nexte {next1}, {b1}",
                "sha1msg1 {a0}, {b0}",
                "pxor {a0}, {c0}",
                "sha1msg2 {a0}, {d0}",
                "sha1msg1 {a1}, {b1}",
                "pxor {a1}, {c1}",
                "sha1msg2 {a1}, {d1}",
                part = const PART,
                abcd0 = inout(xmm_reg) self.working[0].abcd,
                abcd1 = inout(xmm_reg) self.working[1].abcd,
                e0 = in(xmm_reg) self.working[0].e,
                e1 = in(xmm_reg) self.working[1].e,
                next0 = out(xmm_reg) e0,
                next1 = out(xmm_reg) e1,
                a0 = inout(xmm_reg) newest0,
                a1 = inout(xmm_reg) newest1,
                b0 = in(xmm_reg) self.recent[0][1],
                b1 = in(xmm_reg) self.recent[1][1],
                c0 = in(xmm_reg) self.recent[0][2],
                c1 = in(xmm_reg) self.recent[1][2],
                d0 = in(xmm_reg) self.recent[0][3],
                d1 = in(xmm_reg) self.recent[1][3],
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        self.advance(0, e0, newest0);
        self.advance(1, e1, newest1);
    }

    /// A group of one message of three: only its newest two groups of words are in registers.
    ///
    /// # Safety
    /// The CPU must have the SHA instructions, and the groups `G` to `G + 3` be in `w`, which
    /// has room for all.
    #[inline(always)]
    unsafe fn one<const G: usize, const PART: i32>(&mut self, n: usize, w: *mut Schedules<N>) {
        let (e, newest);
        // SAFETY: the CPU has the SHA instructions, and the groups that are read are in `w`,
        // by this function's contract; they are 48 bytes apart. Group `G + 4` is written.
        unsafe {
            asm!(
                "movdqa {next}, {abcd}",
                "sha1rnds4 {abcd}, {e}, {part}",
                "sha1nexte {next}, [{w} + {group}]",
                "movdqa {e}, [{w}]",
                "sha1msg1 {e}, [{w} + {group}]",
                "pxor {e}, {c}",
                "sha1msg2 {e}, {d}",
                "movdqa [{w} + 4 * {group}], {e}",
                w = in(reg) &raw mut (*w)[G][n],
                group = const 3 * size_of::<Group>(),
                part = const PART,
                abcd = inout(xmm_reg) self.working[n].abcd,
                e = inout(xmm_reg) self.working[n].e => newest,
                next = out(xmm_reg) e,
                c = in(xmm_reg) self.recent[n][2],
                d = in(xmm_reg) self.recent[n][3],
                options(nostack, preserves_flags),
            );
        }
        self.advance(n, e, newest);
    }

    /// A group of two messages of four, `n` and the next: only their newest words are
    /// in registers.
    ///
    /// # Safety
    /// The CPU must have the SHA instructions, and the groups `G` to `G + 3` be in `w`, which
    /// has room for all.
    #[inline(always)]
    unsafe fn two<const G: usize, const PART: i32>(&mut self, n: usize, w: *mut Schedules<N>) {
        let (e0, e1, newest0, newest1);
        // SAFETY: the CPU has the SHA instructions, and the groups that are read are in `w`,
        // by this function's contract; they are 64 bytes apart. Group `G + 4` is written.
        unsafe {
            asm!(
                "movdqa {x0}, [{w}]",
                "sha1msg1 {x0}, [{w} + 64]",
                "movdqa {x1}, [{w} + 16]",
                "sha1msg1 {x1}, [{w} + 80]",
                "movdqa {next0}, {abcd0}",
                "sha1nexte {next0}, [{w} + 64]",
                "movdqa {next1}, {abcd1}",
                "sha1nexte {next1}, [{w} + 80]",
                "sha1rnds4 {abcd0}, {e0}, {part}",
                "sha1rnds4 {abcd1}, {e1}, {part}",
                "pxor {x0}, [{w} + 128]",
                "pxor {x1}, [{w} + 144]",
                "sha1msg2 {x0}, {d0}",
                "movdqa [{w} + 256], {x0}",
                "sha1msg2 {x1}, {d1}",
                "movdqa [{w} + 272], {x1}",
                w = in(reg) &raw mut (*w)[G][n],
                part = const PART,
                abcd0 = inout(xmm_reg) self.working[n].abcd,
                abcd1 = inout(xmm_reg) self.working[n + 1].abcd,
                e0 = in(xmm_reg) self.working[n].e,
                e1 = in(xmm_reg) self.working[n + 1].e,
                next0 = out(xmm_reg) e0,
                next1 = out(xmm_reg) e1,
                x0 = out(xmm_reg) newest0,
                x1 = out(xmm_reg) newest1,
                d0 = in(xmm_reg) self.recent[n][3],
                d1 = in(xmm_reg) self.recent[n + 1][3],
                options(nostack, preserves_flags),
            );
        }
        self.advance(n, e0, newest0);
        self.advance(n + 1, e1, newest1);
    }
}
