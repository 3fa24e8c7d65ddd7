//! The cipher of `.cbz`: DES over the whole file, each eight bytes by themselves.

use des::{
    Des,
    cipher::{Array, BlockCipherDecrypt, KeyInit},
};

use crate::chess::text;

const BLOCK_BYTES: usize = 8;

/// Deciphers a file; bytes behind the last whole block stay as they are. `None` for an empty
/// password, which makes no key.
pub(super) fn deciphered(bytes: &[u8], password: &str) -> Option<Vec<u8>> {
    let des = Des::new(&Array(key(password)?));
    let mut plain = bytes.to_vec();
    let (blocks, _) = Array::slice_as_chunks_mut(&mut plain);
    des.decrypt_blocks(blocks);
    Some(plain)
}

/// Makes the key: a short password is repeated, what a long one has beyond eight bytes is
/// folded over its beginning. DES does not use the lowest bit of each byte, so some wrong
/// passwords open the file as well.
fn key(password: &str) -> Option<[u8; BLOCK_BYTES]> {
    let encoded = text::encode_windows_1252(password);
    let password = encoded.as_deref().unwrap_or(password.as_bytes());
    if password.is_empty() {
        return None;
    }
    let mut key = [0_u8; BLOCK_BYTES];
    let bytes = password.iter().cycle();
    for (at, byte) in bytes.take(password.len().max(BLOCK_BYTES)).enumerate() {
        let place = &mut key[at % BLOCK_BYTES];
        *place = *place << 1 ^ byte;
    }
    Some(key)
}
