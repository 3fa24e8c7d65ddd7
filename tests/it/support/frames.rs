//! Text in the frames of zstd, whose blocks are as they are: no packer is needed.

/// Bytes of a block at most.
const BLOCK_BYTES: usize = 1 << 17;

/// Returns a text as frames of so many bytes of it: for each the magic number, that its length
/// follows, and its blocks, of which the last says that it is.
pub(crate) fn in_frames(text: &[u8], frame_bytes: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    for frame in text.chunks(frame_bytes) {
        packed.extend_from_slice(b"\x28\xb5\x2f\xfd\xa0");
        packed.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        let mut blocks = frame.chunks(BLOCK_BYTES).peekable();
        while let Some(block) = blocks.next() {
            let is_last = u32::from(blocks.peek().is_none());
            let head = (block.len() as u32) << 3 | is_last;
            packed.extend_from_slice(&head.to_le_bytes()[..3]);
            packed.extend_from_slice(block);
        }
    }
    packed
}
