//! Our own API for many messages: the rest of `shaone.h`.

use core::cell::Cell;
use core::ffi::{c_uchar, c_void};
use core::mem::MaybeUninit;
use core::ops::Range;

use super::native::shaone_ctx;
use super::{Buffers, elements, elements_mut, elements_zeroed};
use crate::batch::{Messages, hash, hash_checked};
use crate::block::{self, BLOCK_LEN, Block, Digest, State};
use crate::hasher::{self, Context, Plain, padding};
use crate::many;
use crate::many::job::{Batch, End, Job};

/// The messages of a call. (One type for all of them, so that the planning of whole messages
/// is compiled once.)
#[derive(Clone, Copy)]
enum Input<'a> {
    Buffers(Buffers<'a>),
    /// Consecutive pieces of some bytes, of which the last may be shorter; their length is
    /// not 0.
    Pieces {
        bytes: &'a [u8],
        piece_len: usize,
    },
}

impl<'a> Messages<'a> for Input<'a> {
    #[inline(always)]
    fn count(&self) -> usize {
        match self {
            Input::Buffers(buffers) => buffers.count(),
            Input::Pieces { bytes, piece_len } => bytes.len().div_ceil(*piece_len),
        }
    }
    #[inline(always)]
    fn get(&self, i: usize) -> &'a [u8] {
        match self {
            Input::Buffers(buffers) => buffers.get(i),
            Input::Pieces { bytes, piece_len } => {
                let rest = &bytes[i * piece_len..];
                &rest[..rest.len().min(*piece_len)]
            }
        }
    }
    #[inline(always)]
    fn are_uniform(&self, range: Range<usize>) -> bool {
        match self {
            Input::Buffers(buffers) => {
                let [first, rest @ ..] = &buffers.len[range] else { return true };
                rest.iter().all(|len| len == first)
            }
            // Only the last may be shorter.
            Input::Pieces { bytes, piece_len } => range.end * piece_len <= bytes.len(),
        }
    }
}

/// Write the digests of n messages: digests[i] is that of the len[i] bytes at
/// data[i]. The messages are hashed side by side, on one core; they may be of any
/// lengths up to PTRDIFF_MAX and may overlap each other, but not the digests. A
/// message of length 0 may be NULL; so may all arrays when n is 0. Takes 24 KiB of
/// stack.
/// cbindgen:ptrs-as-arrays=[[data;], [len;], [digests;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_digest_many(
    n: usize,
    data: *const *const c_void,
    len: *const usize,
    digests: *mut [c_uchar; 20],
) {
    // SAFETY: the caller's arrays have n elements, and its messages these lengths; there is
    // room for n digests, which overlap nothing.
    let (messages, digests) = unsafe { (Buffers::new(n, data, len), elements_mut(digests, n)) };
    hash(Input::Buffers(messages), digests);
}

/// Write the digests of consecutive pieces of piece_len bytes of the len bytes at
/// data; the last piece may be shorter. BitTorrent's pieces and LLD's chunks are
/// such.
///
/// Returns how many pieces there are: 0 when len or piece_len is 0. The digests must
/// not overlap the data. Takes 24 KiB of stack.
/// cbindgen:ptrs-as-arrays=[[digests;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_pieces(
    data: *const c_void,
    len: usize,
    piece_len: usize,
    digests: *mut [c_uchar; 20],
) -> usize {
    if len == 0 || piece_len == 0 {
        return 0;
    }
    // SAFETY: the caller's data is readable for len bytes.
    let pieces = Input::Pieces { bytes: unsafe { elements(data.cast(), len) }, piece_len };
    let count = pieces.count();
    // SAFETY: there is room for as many digests as there are pieces.
    hash(pieces, unsafe { elements_mut(digests, count) });
    count
}

/// Bytes for as many contexts.
struct Updates<'a> {
    contexts: &'a [&'a Cell<shaone_ctx>],
    bytes: Buffers<'a>,
    next: usize,
}

impl<'a> Updates<'a> {
    /// The new bytes of a context: those that fill up the block of its waiting ones, and
    /// the others.
    fn split(&self, id: usize) -> (&'a [u8], &'a [u8]) {
        let head_len = (self.contexts[id].get().length().wrapping_neg() % BLOCK_LEN as u64) as usize;
        self.bytes.get(id).split_at(head_len)
    }
}

impl<'a> Batch<'a> for Updates<'a> {
    fn all_begin_initial(&self) -> bool {
        false
    }

    fn next(&mut self) -> Option<Job<'a>> {
        while self.next < self.contexts.len() {
            let id = self.next;
            self.next += 1;
            let mut ctx = self.contexts[id].get();
            let bytes = self.bytes.get(id);
            let waiting = (ctx.length() % BLOCK_LEN as u64) as usize;
            if waiting + bytes.len() < BLOCK_LEN {
                hasher::update(&mut ctx, Plain, bytes);
                self.contexts[id].set(ctx);
                continue;
            }
            let (head, rest) = self.split(id);
            return Some(Job { id, has_head: !head.is_empty(), rest, end: End::Open });
        }
        None
    }

    fn ihv(&self, id: usize) -> State {
        *self.contexts[id].get().parts().0
    }

    fn head(&self, id: usize) -> Block {
        let (head, _) = self.split(id);
        let mut block = self.contexts[id].get().waiting_block();
        block[BLOCK_LEN - head.len()..].copy_from_slice(head);
        block
    }

    fn finish(&mut self, id: usize, state: &State) {
        let tail = self.split(id).1.as_chunks::<BLOCK_LEN>().1;
        let mut ctx = self.contexts[id].get();
        *ctx.parts().0 = *state;
        // The length that the context has when it has compressed all whole blocks.
        let len = ctx.length().wrapping_add(self.bytes.get(id).len() as u64);
        ctx.set_length(len - len % BLOCK_LEN as u64);
        hasher::update(&mut ctx, Plain, tail);
        self.contexts[id].set(ctx);
    }
}

/// shaone_update for n computations at once: len[i] bytes at data[i] for ctx[i]. No
/// context may be there twice. Otherwise as shaone_digest_many.
/// cbindgen:ptrs-as-arrays=[[ctx;], [data;], [len;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_update_many(
    n: usize,
    ctx: *const *mut shaone_ctx,
    data: *const *const c_void,
    len: *const usize,
) {
    // SAFETY: the caller's arrays have n elements, its contexts are initialised and nobody
    // else's during the call, and its buffers have these lengths. (Pointers that are not
    // NULL are like references to cells, which may alias.)
    let (contexts, bytes) = unsafe { (elements(ctx.cast(), n), Buffers::new(n, data, len)) };
    many::run(&mut Updates { contexts, bytes, next: 0 });
}

/// The ends of as many contexts.
struct Finals<'a> {
    contexts: &'a [&'a Cell<shaone_ctx>],
    digests: &'a mut [MaybeUninit<Digest>],
    next: usize,
}

impl<'a> Batch<'a> for Finals<'a> {
    fn all_begin_initial(&self) -> bool {
        false
    }

    fn next(&mut self) -> Option<Job<'a>> {
        let id = self.next;
        let len = self.contexts.get(id)?.get().length();
        self.next += 1;
        // Padded here, because a cell lends nothing: the job has its last blocks as head
        // and, where there are two, as the block of the length.
        let end = if padding::takes_two_blocks(len) { End::LengthBlock(len) } else { End::Open };
        Some(Job { id, has_head: true, rest: &[], end })
    }

    fn ihv(&self, id: usize) -> State {
        *self.contexts[id].get().parts().0
    }

    fn head(&self, id: usize) -> Block {
        let ctx = self.contexts[id].get();
        padding::padding(&ctx.waiting_block(), ctx.length()).0
    }

    fn finish(&mut self, id: usize, state: &State) {
        self.digests[id].write(block::digest(state));
    }
}

/// shaone_final for n computations at once: digests[i] is that of ctx[i]. No context
/// may be there twice; all are used up. The digests must not overlap the contexts.
/// Takes 24 KiB of stack.
/// cbindgen:ptrs-as-arrays=[[digests;], [ctx;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_final_many(
    n: usize,
    digests: *mut [c_uchar; 20],
    ctx: *const *mut shaone_ctx,
) {
    // SAFETY: the caller's array has n elements, its contexts are initialised and nobody
    // else's during the call; there is room for n digests, which overlap nothing. (Pointers
    // that are not NULL are like references to cells, which may alias.)
    let (contexts, digests) = unsafe { (elements(ctx.cast(), n), elements_mut(digests, n)) };
    many::run(&mut Finals { contexts, digests, next: 0 });
}

/// shaone_digest_many with collision detection: found[i] is 1 when message i is
/// part of a collision attack, otherwise 0; the digests are SHA-1's in any case.
///
/// Returns how many were found. Takes 32 KiB of stack.
/// cbindgen:ptrs-as-arrays=[[data;], [len;], [digests;], [found;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_checked_digest_many(
    n: usize,
    data: *const *const c_void,
    len: *const usize,
    digests: *mut [c_uchar; 20],
    found: *mut c_uchar,
) -> usize {
    // SAFETY: the caller's arrays have n elements, and its messages these lengths; there is
    // room for n digests and as many bytes, which overlap nothing.
    let (messages, digests, found) =
        unsafe { (Buffers::new(n, data, len), elements_mut(digests, n), elements_zeroed(found, n)) };
    hash_checked(Input::Buffers(messages), digests, found)
}
