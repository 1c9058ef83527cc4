//! Our own API for many messages: the rest of `shaone.h`.

use core::ffi::{c_uchar, c_void};
use core::slice;

use super::native::{checked_digest_of, digest_of, shaone_ctx};
use crate::block::{self, BLOCK_LEN, Block, Digest, INITIAL, State};
use crate::compress::lanes::{self, Lanes, WIDEST};
use crate::compress::tail;
use crate::detect;
use crate::hasher::{self, Context, Plain};
use crate::many::{self, Batch, End, Equals, Job};

/// Whole messages.
struct Messages {
    from: From,
    next: usize,
    count: usize,
    digests: *mut Digest,
}

/// Where they are.
enum From {
    Arrays { data: *const *const c_void, len: *const usize },
    Pieces { data: &'static [u8], piece_len: usize },
}

impl Messages {
    #[inline(always)]
    fn message(&self, id: usize) -> &'static [u8] {
        match self.from {
            // SAFETY: the caller's arrays and messages.
            From::Arrays { data, len } => unsafe { message(*data.add(id), *len.add(id)) },
            From::Pieces { data, piece_len } => {
                let rest = &data[id * piece_len..];
                &rest[..rest.len().min(piece_len)]
            }
        }
    }

    /// Whether they are best hashed one by one, without ado.
    fn are_few(&self) -> bool {
        self.count == 1
            || !many::is_worth_a_plan((0..self.count).map(|id| self.message(id).len()))
                && lanes::for_count(WIDEST).is_none_or(|lanes| self.count < lanes.count)
    }
}

impl Batch<'static> for Messages {
    #[inline]
    fn is_fresh(&self) -> bool {
        true
    }

    #[inline]
    fn next(&mut self) -> Option<Job<'static>> {
        if self.next == self.count {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let message = self.message(id);
        Some(Job { id, before: None, rest: message, end: End::Padded(message.len() as u64) })
    }

    #[inline]
    fn state(&self, _: usize) -> State {
        INITIAL
    }

    #[inline]
    fn end(&mut self, id: usize, state: &State) {
        // SAFETY: there is a digest for each message.
        unsafe { *self.digests.add(id) = block::digest(state) }
    }
}

impl Equals<'static> for Messages {
    #[inline]
    fn next_equal(&mut self, count: usize) -> Option<usize> {
        let first = self.next;
        if self.count - first < count {
            return None;
        }
        let len = self.message(first).len();
        if (first + 1..first + count).any(|id| self.message(id).len() != len) {
            return None;
        }
        self.next += count;
        Some(first)
    }

    #[inline]
    fn message(&self, id: usize) -> &'static [u8] {
        self.message(id)
    }
}

/// Hash whole messages.
fn run(mut messages: Messages) {
    if messages.are_few() {
        for id in 0..messages.count {
            let message = messages.message(id);
            // SAFETY: there is a digest for each message.
            unsafe { digest_of(message.as_ptr().cast(), message.len(), messages.digests.add(id).cast()) }
        }
        return;
    }
    many::run_equals(&mut messages);
    many::run(&mut messages);
}

/// The message at `data`, which the caller's contract makes readable.
///
/// # Safety
/// As for `slice::from_raw_parts`; but `data` may be NULL when `len` is 0.
#[inline(always)]
unsafe fn message<'a>(data: *const c_void, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: this function's contract.
    unsafe { slice::from_raw_parts(data.cast(), len) }
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
    run(Messages { from: From::Arrays { data, len }, next: 0, count: n, digests });
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
    let count = len.div_ceil(piece_len);
    // SAFETY: the caller's data and digests.
    unsafe {
        let from = From::Pieces { data: message(data, len), piece_len };
        run(Messages { from, next: 0, count, digests });
    }
    count
}

/// Bytes for as many contexts.
struct Updates {
    ctx: *const *mut shaone_ctx,
    data: *const *const c_void,
    len: *const usize,
    next: usize,
    count: usize,
}

impl Updates {
    /// The context and all of its new bytes.
    fn at(&self, id: usize) -> (&'static mut shaone_ctx, &'static [u8]) {
        // SAFETY: the caller's arrays, contexts and data; no context is there twice.
        unsafe { (&mut **self.ctx.add(id), message(*self.data.add(id), *self.len.add(id))) }
    }
}

/// How many of the new bytes fill up the block of a context's waiting ones.
fn head_len(ctx: &shaone_ctx) -> usize {
    (ctx.length().wrapping_neg() % BLOCK_LEN as u64) as usize
}

impl Batch<'static> for Updates {
    fn is_fresh(&self) -> bool {
        false
    }

    fn next(&mut self) -> Option<Job<'static>> {
        while self.next < self.count {
            let id = self.next;
            self.next += 1;
            let (ctx, bytes) = self.at(id);
            let head = head_len(ctx);
            if bytes.len() < if head == 0 { BLOCK_LEN } else { head } {
                // Too few for a block.
                hasher::update::<_, Plain>(ctx, bytes);
                continue;
            }
            let (head, rest) = bytes.split_at(head);
            let block = ctx.parts().1;
            block[BLOCK_LEN - head.len()..].copy_from_slice(head);
            let before = if head.is_empty() { None } else { Some(&*block) };
            return Some(Job { id, before, rest, end: End::Open });
        }
        None
    }

    fn state(&self, id: usize) -> State {
        // SAFETY: as in `at`; no reference, because the job may borrow the block.
        unsafe { (&raw const (**self.ctx.add(id)).h).read() }
    }

    fn end(&mut self, id: usize, state: &State) {
        let (ctx, bytes) = self.at(id);
        let tail = bytes[head_len(ctx)..].as_chunks::<BLOCK_LEN>().1;
        ctx.set_length(ctx.length().wrapping_add(bytes.len() as u64));
        let (ctx_state, block) = ctx.parts();
        *ctx_state = *state;
        tail::store(block, tail);
    }
}

/// sha1_update for n computations at once: len[i] bytes at data[i] for ctx[i]. No
/// context may be there twice. Otherwise as shaone_digest_many.
/// cbindgen:ptrs-as-arrays=[[ctx;], [data;], [len;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_update_many(
    n: usize,
    ctx: *const *mut shaone_ctx,
    data: *const *const c_void,
    len: *const usize,
) {
    many::run::<dyn Batch>(&mut Updates { ctx, data, len, next: 0, count: n });
}

/// The ends of as many contexts.
struct Finals {
    ctx: *const *mut shaone_ctx,
    digests: *mut Digest,
    next: usize,
    count: usize,
}

impl Finals {
    fn at(&self, id: usize) -> &'static mut shaone_ctx {
        // SAFETY: the caller's array and contexts; no context is there twice.
        unsafe { &mut **self.ctx.add(id) }
    }
}

impl Batch<'static> for Finals {
    fn is_fresh(&self) -> bool {
        false
    }

    fn next(&mut self) -> Option<Job<'static>> {
        if self.next == self.count {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let ctx = self.at(id);
        let len = ctx.length();
        let rest = &ctx.parts().1[..(len % BLOCK_LEN as u64) as usize];
        Some(Job { id, before: None, rest, end: End::Padded(len) })
    }

    fn state(&self, id: usize) -> State {
        // SAFETY: as in `at`; no reference, because the job borrows the block.
        unsafe { (&raw const (**self.ctx.add(id)).h).read() }
    }

    fn end(&mut self, id: usize, state: &State) {
        // SAFETY: there is a digest for each context.
        unsafe { *self.digests.add(id) = block::digest(state) }
    }
}

/// sha1_final for n computations at once: digests[i] is that of ctx[i]. No context
/// may be there twice; all are used up. The digests must not overlap the contexts.
/// Takes 24 KiB of stack.
/// cbindgen:ptrs-as-arrays=[[digests;], [ctx;]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_final_many(
    n: usize,
    digests: *mut [c_uchar; 20],
    ctx: *const *mut shaone_ctx,
) {
    many::run::<dyn Batch>(&mut Finals { ctx, digests, next: 0, count: n });
}

/// Whole messages, and which of them are part of an attack.
struct Checked {
    messages: Messages,
    found: *mut c_uchar,
    how_many: usize,
}

impl Batch<'static> for Checked {
    fn is_fresh(&self) -> bool {
        self.messages.is_fresh()
    }

    fn next(&mut self) -> Option<Job<'static>> {
        let job = self.messages.next()?;
        // SAFETY: there is a byte for each message.
        unsafe { *self.found.add(job.id) = 0 };
        Some(job)
    }

    fn state(&self, id: usize) -> State {
        self.messages.state(id)
    }

    fn end(&mut self, id: usize, state: &State) {
        self.messages.end(id, state);
    }

    fn width(&self, count: usize) -> Option<&'static Lanes> {
        detect::lanes_for_count(count)
    }

    fn compress(&mut self, id: usize, state: &mut State, blocks: &[Block]) {
        if detect::compress_checked(state, blocks) {
            self.found(id);
        }
    }

    fn found(&mut self, id: usize) {
        // SAFETY: there is a byte for each message.
        let found = unsafe { &mut *self.found.add(id) };
        self.how_many += usize::from(*found == 0);
        *found = 1;
    }
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
    let messages = Messages { from: From::Arrays { data, len }, next: 0, count: n, digests };
    if messages.are_few() {
        let check = |id| {
            let message = messages.message(id);
            // SAFETY: the caller's message; there are a digest and a byte for each.
            unsafe {
                let attack =
                    checked_digest_of(message.as_ptr().cast(), message.len(), digests.add(id).cast());
                *found.add(id) = attack as c_uchar;
                attack as usize
            }
        };
        return (0..n).map(check).sum();
    }
    let mut batch = Checked { messages, found, how_many: 0 };
    many::run::<dyn Batch>(&mut batch);
    batch.how_many
}
