//! The disturbance vectors, and the message differences that follow from them.
//!
//! A collision attack on SHA-1 adds a differential path along a disturbance
//! vector (DV): 80 words that obey the recurrence of the message schedule,
//! whose bits say where a local collision begins. Stevens and Shumow, "Speeding
//! up detection of SHA-1 collision attacks using unavoidable attack conditions"
//! (USENIX Security 2017), section 3, name the 32 that an attack could use:
//! I(K, b) and II(K, b), where b is a rotation. The words K to K + 14 of I(K, b) are zero and
//! K + 15 is 2^b; of II(K, b) also K + 1 and K + 3 are not zero.

use crate::trace::MessageDifference;

/// One disturbance vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisturbanceVector {
    /// The type: 1 for I(K, b), 2 for II(K, b).
    pub kind: u8,
    /// K.
    pub k: u8,
    /// b.
    pub b: u8,
}

/// All vectors. A vector's place here is its number everywhere.
#[rustfmt::skip]
pub const VECTORS: [DisturbanceVector; 32] = {
    const fn v(kind: u8, k: u8, b: u8) -> DisturbanceVector {
        DisturbanceVector { kind, k, b }
    }
    [
        v(1, 43, 0), v(1, 44, 0), v(1, 45, 0), v(1, 46, 0), v(1, 46, 2), v(1, 47, 0), v(1, 47, 2), v(1, 48, 0),
        v(1, 48, 2), v(1, 49, 0), v(1, 49, 2), v(1, 50, 0), v(1, 50, 2), v(1, 51, 0), v(1, 51, 2), v(1, 52, 0),
        v(2, 45, 0), v(2, 46, 0), v(2, 46, 2), v(2, 47, 0), v(2, 48, 0), v(2, 49, 0), v(2, 49, 2), v(2, 50, 0),
        v(2, 50, 2), v(2, 51, 0), v(2, 51, 2), v(2, 52, 0), v(2, 53, 0), v(2, 54, 0), v(2, 55, 0), v(2, 56, 0),
    ]
};

impl DisturbanceVector {
    /// The test step: the step before which the two messages of an attack have the same
    /// working words. Recompression starts there.
    ///
    /// A disturbance is corrected in the five steps after it, so the working words before
    /// step t are the same where the words t - 5 to t - 1 of the disturbance vector are zero.
    /// Words 53 to 57 are for every K below 50, words 60 to 64 for all others.
    pub const fn test_step(&self) -> usize {
        if self.k < 50 { 58 } else { 65 }
    }

    /// The difference of the two expanded messages. Every disturbance starts a local
    /// collision, which five later words correct.
    pub fn difference(&self) -> MessageDifference {
        let table = match (self.kind, self.b) {
            (1, 0) => &I_0,
            (1, _) => &I_2,
            (_, 0) => &II_0,
            _ => &II_2,
        };
        // Vectors of a type and b are the same words, moved along with K.
        let words = table[usize::from(self.k) - LEAST_K..].first_chunk();
        MessageDifference::from_reversed(words.expect("80 words behind any start"))
    }
}

/// The smallest and the largest K.
const LEAST_K: usize = 43;
const MOST_K: usize = 56;
/// How many words hold the 80 of every K.
const LEN: usize = 80 + MOST_K - LEAST_K;

static I_0: [u32; LEN] = differences(1, 0);
static I_2: [u32; LEN] = differences(1, 2);
static II_0: [u32; LEN] = differences(2, 0);
static II_2: [u32; LEN] = differences(2, 2);

/// The message differences of a type and b (section 3 of the paper), from the last word
/// to the first: those of the smallest K begin at place 0, those of the next at place 1.
const fn differences(kind: u8, b: u32) -> [u32; LEN] {
    // DV[t] is kept at t + 5: the corrections reach back five words.
    const BACK: usize = 5;
    let mut dv = [0u32; LEN + BACK];
    let k = MOST_K + BACK;
    dv[k + 15] = 1 << b;
    if kind == 2 {
        dv[k + 1] = 1u32.rotate_right(1).rotate_left(b);
        dv[k + 3] = dv[k + 1];
    }
    // W[t] = rotl1(W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16]), onwards and back.
    let mut t = k + 16;
    while t < dv.len() {
        dv[t] = (dv[t - 3] ^ dv[t - 8] ^ dv[t - 14] ^ dv[t - 16]).rotate_left(1);
        t += 1;
    }
    let mut t = k;
    while t > 0 {
        t -= 1;
        dv[t] = dv[t + 16].rotate_right(1) ^ dv[t + 13] ^ dv[t + 8] ^ dv[t + 2];
    }
    let mut dm = [0; LEN];
    let mut t = 0;
    while t < LEN {
        let i = t + BACK;
        dm[LEN - 1 - t] = dv[i]
            ^ dv[i - 1].rotate_left(5)
            ^ dv[i - 2]
            ^ dv[i - 3].rotate_left(30)
            ^ dv[i - 4].rotate_left(30)
            ^ dv[i - 5].rotate_left(30);
        t += 1;
    }
    dm
}
