//! A context of the tests' own, which hashes by the backend that it names.

use shaone::block::{BLOCK_LEN, Block, Digest, State};
use shaone::compress::Backend;
use shaone::hasher::{self, Context, Engine};

pub struct Hash {
    backend: &'static Backend,
    state: State,
    block: Block,
    len: u64,
}

impl Context for Hash {
    fn parts(&mut self) -> (&mut State, &mut Block) {
        (&mut self.state, &mut self.block)
    }
    fn length(&self) -> u64 {
        self.len
    }
    fn set_length(&mut self, len: u64) {
        self.len = len;
    }
}

/// The engine of a `Hash`.
struct Named;

impl Engine<Hash> for Named {
    fn compress(ctx: &mut Hash, blocks: &[Block], _at: u64) {
        ctx.backend.compress(&mut ctx.state, blocks);
    }
    fn compress_waiting(ctx: &mut Hash, _at: u64) {
        ctx.backend.compress(&mut ctx.state, &[ctx.block]);
    }
}

impl Hash {
    pub fn new(backend: &'static Backend) -> Self {
        let mut hash = Hash { backend, state: [0; 5], block: [0; BLOCK_LEN], len: 0 };
        hasher::init(&mut hash);
        hash
    }

    pub fn update(&mut self, data: &[u8]) {
        hasher::update::<_, Named>(self, data);
    }

    pub fn finish(mut self) -> Digest {
        hasher::finish::<_, Named>(&mut self)
    }
}

/// The digest of `data`, hashed in one call.
pub fn digest(backend: &'static Backend, data: &[u8]) -> Digest {
    let mut hash = Hash::new(backend);
    hash.update(data);
    hash.finish()
}
