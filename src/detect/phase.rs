//! The unit of work of the checking engine.

/// Blocks in a phase: enough that its beginning and end do not count, few enough that its
/// traces (6 KiB) are no burden on a caller's stack.
pub const PHASE: usize = 32;

/// A set of blocks of a phase: bit i is block i.
pub type Suspects = u64;

const _: () = assert!(PHASE <= Suspects::BITS as usize);
