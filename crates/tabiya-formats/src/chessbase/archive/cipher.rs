//! The cipher of `.cbz`: DES over the whole file, each block of eight bytes on its own.

use des::{
    Des,
    cipher::{Array, BlockCipherDecrypt, KeyInit},
};
use tabiya_chess::text;

const BLOCK_BYTES: usize = 8;

/// Decrypts a file; bytes after the last whole block are unchanged. `None` for an empty password,
/// which has no key.
pub(super) fn deciphered(bytes: &[u8], password: &str) -> Option<Vec<u8>> {
    let des = Des::new(&Array(key(password)?));
    let mut plain = bytes.to_vec();
    let (blocks, _) = Array::slice_as_chunks_mut(&mut plain);
    des.decrypt_blocks(blocks);
    Some(plain)
}

/// Derives the key. A short password is repeated; bytes of a long one beyond the eighth are folded
/// into the first ones. DES ignores the lowest bit of each byte, so some wrong passwords open the
/// file as well.
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
