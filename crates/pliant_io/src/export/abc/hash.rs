//! The 128-bit MurmurHash3 (x64 variant, seed 0) that stands before every Alembic sample.
//!
//! Readers may use it as the identity of the sample, so it has to be the true one.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Hash of `bytes`, in file order.
pub(super) fn murmur(bytes: &[u8]) -> [u8; 16] {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let (blocks, tail) = bytes.as_chunks::<16>();
    for block in blocks {
        let [k1, k2] = halves(block);
        h1 ^= mix_first(k1);
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix_second(k2);
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    // Zeros mix to zero, so a padded tail equals the usual byte-wise one.
    let mut padded = [0; 16];
    padded[..tail.len()].copy_from_slice(tail);
    let [k1, k2] = halves(&padded);
    h1 ^= mix_first(k1);
    h2 ^= mix_second(k2);

    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = avalanche(h1);
    h2 = avalanche(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&h1.to_le_bytes());
    hash[8..].copy_from_slice(&h2.to_le_bytes());
    hash
}

fn halves(block: &[u8; 16]) -> [u64; 2] {
    let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|i| block[8 * k + i]));
    [word(0), word(1)]
}

fn mix_first(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_second(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn avalanche(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}

#[cfg(test)]
mod tests {
    use super::murmur;

    /// Read from files written by the official library (Alembic 1.8.3 in Blender 5.0).
    #[test]
    fn hash_equals_the_official_library() {
        let hex = |bytes: &[u8]| murmur(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(&[1]), "16fe7483905cce7a85670e43e4678877");
        assert_eq!(hex(&[0x30]), "80a346d5bedec92a095e873ce5e98d3a");
        let cube = [-1.0_f64, -1.0, -1.0, 1.0, 1.0, 1.0].map(f64::to_le_bytes);
        assert_eq!(hex(cube.as_flattened()), "7d697629067355c655ad13052989dde6");
    }
}
