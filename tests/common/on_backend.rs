//! Hashing by a backend that the test names.

use shaone::Digest;
use shaone::compress::Backend;
use shaone::cpu::Available;
use shaone::hasher::{self, Hasher};

pub struct OnBackend {
    backend: Available<Backend>,
    hasher: Hasher,
}

impl OnBackend {
    pub fn new(backend: Available<Backend>) -> Self {
        OnBackend { backend, hasher: Hasher::new() }
    }

    pub fn update(&mut self, data: &[u8]) {
        hasher::update(&mut self.hasher, self.backend, data);
    }

    pub fn finish(mut self) -> Digest {
        hasher::finish(&mut self.hasher, self.backend)
    }
}

/// The digest of `data`, hashed in one call.
pub fn digest(backend: Available<Backend>, data: &[u8]) -> Digest {
    let mut hash = OnBackend::new(backend);
    hash.update(data);
    hash.finish()
}
