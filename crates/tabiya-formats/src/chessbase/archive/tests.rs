//! Hand-made archives: valid, damaged, and with false sizes.

use des::{
    Des,
    cipher::{Array, BlockCipherEncrypt, KeyInit},
};

use super::*;

/// A block of a method and its data.
fn block(method: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() + 1) as u16;
    [&length.to_le_bytes()[..], &[0xab, 0xcd, method], data].concat()
}

/// An archive of members, each with name, packed bytes and size.
fn archive(members: &[(&str, Vec<u8>, u64)]) -> Vec<u8> {
    let mut bytes = vec![8, 0, members.len() as u8, 0, 173, 0, 3, 0];
    let mut offset = (bytes.len() + 173 * members.len()) as u64;
    for (name, packed, size) in members {
        let numbers = [offset, packed.len() as u64, *size];
        let mut entry = format!("{name}\0left over").into_bytes();
        entry.resize(128, 0);
        entry.extend(numbers.map(|number| (number as u32).to_le_bytes()).concat());
        entry.extend([7; 9]);
        entry.extend(numbers.map(u64::to_le_bytes).concat());
        bytes.extend(entry);
        offset += packed.len() as u64;
    }
    for (_, packed, _) in members {
        bytes.extend(packed);
    }
    bytes
}

fn unpacked(method: u8, data: &[u8], size: u64) -> Result<Vec<u8>> {
    let bytes = archive(&[("a.cbh", block(method, data), size)]);
    Archive::open(&bytes, None)?.unpack(0, &mut Progress::ignore)
}

/// Converts bits as text, with optional spaces, to bytes.
fn bits(text: &str) -> Vec<u8> {
    let bits: Vec<u8> = text.bytes().filter(|&bit| bit != b' ').collect();
    let byte = |bits: &[u8]| {
        let held = bits.iter().fold(0, |byte, bit| (byte << 1) + bit - b'0');
        held << (8 - bits.len())
    };
    bits.chunks(8).map(byte).collect()
}

/// Huffman codes 0 for `a`, 10 for `b` and 11 for the byte 0x30, then the coded bits.
fn huffman(length: u16, coded: &str) -> Vec<u8> {
    let mut table = String::new();
    for byte in 0..=u8::MAX {
        table.push_str(match byte {
            b'a' => "0001 0",
            b'b' => "0010 10",
            0x30 => "0010 11",
            _ => "0000",
        });
    }
    let mut data = length.to_be_bytes().to_vec();
    data.extend(bits(&(table + coded)));
    data
}

#[test]
fn every_method_and_token_unpacks() {
    assert_eq!(unpacked(0, b"abc", 3).unwrap(), b"abc");
    // Two literals; a copy of 5 from 4 back is refused, from 3 back into itself is not.
    let control = (0b0001_0000_0000_0000_u16).to_le_bytes();
    let data = [&control[..], b"abc", &[0x50, 0]].concat();
    assert_eq!(unpacked(1, &data, 8).unwrap(), b"abcabcab");
    let too_far = [&control[..], b"abc", &[0x51, 0]].concat();
    assert!(unpacked(1, &too_far, 8).is_err());
    // A short run, a long run, a long copy, and a single byte at the end.
    let control = (0b1110_0000_0000_0000_u16).to_le_bytes();
    let tokens = [0x02, b'x', 0x11, 1, b'y', 0x20, 0, 2];
    let literals = b"0123456789abc";
    let data = [&control[..], &tokens, literals, b"z"].concat();
    let mut expected = [vec![b'x'; 5], vec![b'y'; 36 + 18]].concat();
    expected.extend(literals);
    expected.push(b'z');
    assert_eq!(unpacked(1, &data, expected.len() as u64).unwrap(), expected);
    assert_eq!(unpacked(2, &huffman(4, "0 10 0 11"), 4).unwrap(), b"aba0");
    // The tokens "00" "ab": a control word, then a run of `low + 3`.
    let tokens = huffman(3, "11 11 0");
    assert_eq!(unpacked(3, &tokens, 1).unwrap(), b"a");
}

fn enciphered(mut bytes: Vec<u8>, key: [u8; 8]) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let (blocks, _) = Array::slice_as_chunks_mut(&mut bytes);
    Des::new(&Array(key)).encrypt_blocks(blocks);
    bytes
}

#[test]
fn a_password_deciphers_and_a_wrong_one_is_told() {
    let plain = archive(&[("a.cbh", block(0, b"abcdef"), 6)]);
    for (password, key) in [
        ("password", *b"password"),
        ("abc", *b"abcabcab"),
        (
            "password!",
            [b'p' << 1 ^ b'!', b'a', b's', b's', b'w', b'o', b'r', b'd'],
        ),
    ] {
        let bytes = enciphered(plain.clone(), key);
        let opened = Archive::open(&bytes, Some(password)).unwrap();
        assert_eq!(opened.unpack(0, &mut Progress::ignore).unwrap(), b"abcdef");
        for wrong in ["Password!", ""] {
            let error = Archive::open(&bytes, Some(wrong)).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::WrongPassword);
        }
        assert!(Archive::open(&bytes, None).is_err());
    }
    assert!(Archive::open(&plain, Some("unneeded")).is_ok());
}

#[test]
fn the_set_of_files_is_that_of_the_first_index() {
    let member = |name| (name, block(0, b""), 0);
    let bytes = archive(&[
        member("Other.ini"),
        member("My\\Base.CBG"),
        member("My\\base.cbh"),
        member("My\\base.html\\1.html"),
        member("second.cbh"),
    ]);
    let archive = Archive::open(&bytes, None).unwrap();
    let files = archive.set_of_files();
    assert_eq!(files, [("cbh".to_owned(), 2), ("cbg".to_owned(), 1)]);
    assert_eq!(archive.members()[1].name(), "Base.CBG");
    assert_eq!(archive.members()[1].path(), "My\\Base.CBG");
}

#[test]
fn sizes_that_the_bytes_cannot_give_are_refused() {
    let claims = |size| {
        let bytes = archive(&[("a.cbh", block(0, b"abc"), size)]);
        let opened = Archive::open(&bytes, None);
        opened
            .and_then(|archive| archive.unpack(0, &mut Progress::ignore))
            .unwrap_err()
    };
    assert!(matches!(claims(u64::MAX).kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(claims(1 << 20).kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(claims(4).kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(claims(2).kind(), ErrorKind::LimitExceeded { .. }));
}

#[test]
fn what_is_whole_in_an_archive_that_is_cut_short_unpacks() {
    let bytes = archive(&[
        ("a.cbh", block(0, b"abc"), 3),
        ("a.cbg", block(0, b"def"), u64::MAX),
        ("a.cba", block(0, b"ghi"), 3),
    ]);
    let cut = &bytes[..bytes.len() - 1];
    let archive = Archive::open(cut, None).unwrap();
    assert_eq!(archive.unpack(0, &mut Progress::ignore).unwrap(), b"abc");
    let kind = |member| {
        archive
            .unpack(member, &mut Progress::ignore)
            .unwrap_err()
            .kind()
            .clone()
    };
    assert!(matches!(kind(1), ErrorKind::Corrupt { .. }));
    assert!(matches!(kind(2), ErrorKind::Truncated { .. }));
    assert!(matches!(kind(3), ErrorKind::Corrupt { .. }));
}

#[test]
fn an_archive_that_unpacks_to_far_too_much_is_refused_unread() {
    // Runs of 4 114 bytes, as many as a block holds: 1 MiB of them would give 1.3 GiB.
    let run = [0x1f, 0xff, 0];
    let data = [&[0xff; 2][..], &run.repeat(16)].concat().repeat(1300);
    let packed = block(1, &data).repeat(16);
    let size = 4114 * 16 * 1300 * 16;
    let bytes = archive(&[("a.cbh", packed, size)]);
    for (bytes, password) in [
        (bytes.clone(), None),
        (enciphered(bytes, *b"password"), Some("password")),
    ] {
        let error = Archive::open(&bytes, password).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
    }
}

#[test]
fn members_that_share_their_bytes_count_each() {
    let packed = block(1, &[&[0xff; 2][..], &[0x1f, 0xff, 0].repeat(16)].concat());
    let size = 4114 * 16;
    let members = 2000;
    let mut bytes = vec![
        8,
        0,
        (members & 255) as u8,
        (members >> 8) as u8,
        173,
        0,
        3,
        0,
    ];
    let offset = 8 + 173 * members as u64;
    let one = archive(&[("a", packed.clone(), size)]);
    let mut entry = one[8..8 + 173].to_vec();
    entry[128..132].copy_from_slice(&(offset as u32).to_le_bytes());
    entry[149..157].copy_from_slice(&offset.to_le_bytes());
    bytes.extend(entry.repeat(members));
    bytes.extend(packed);
    let error = Archive::open(&bytes, None).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
        "{error}"
    );
}

/// Opens and unpacks arbitrary bytes; errors are ignored.
fn read_all(bytes: &[u8]) {
    if let Ok(archive) = Archive::open(bytes, None) {
        let _ = archive.set_of_files();
        for member in 0..archive.members().len() {
            let _ = archive.unpack(member, &mut Progress::ignore);
        }
    }
}

#[test]
fn unpacking_stops_between_blocks_when_it_is_asked_to() {
    let blocks = block(0, b"ab").repeat(9);
    let bytes = archive(&[("a.cbh", blocks, 18)]);
    let mut asked = 0;
    let mut stop = |_| {
        asked += 1;
        tabiya_chess::follow::break_if(asked > 3)
    };
    let plain = Archive::open(&bytes, None).unwrap();
    let error = plain.unpack(0, &mut stop).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Interrupted);
    let damaged = Archive::salvage(&bytes, None).unwrap();
    let (_, fault) = damaged.unpack_salvaged(0, &mut stop);
    assert_eq!(fault.unwrap().kind(), &ErrorKind::Interrupted);
    assert_eq!(asked, 6);
}

#[test]
fn no_truncation_and_no_changed_byte_panics() {
    let control = (0b0001_0000_0000_0000_u16).to_le_bytes();
    let bytes = archive(&[
        ("a.cbh", block(0, b"abc").repeat(2), 6),
        (
            "a.cbg",
            block(1, &[&control[..], b"abc", &[0x50, 0]].concat()),
            8,
        ),
        ("a.cba", block(2, &huffman(4, "0 10 0 11")), 4),
        ("a.cbp", block(3, &huffman(3, "11 11 0")), 1),
    ]);
    assert_eq!(Archive::open(&bytes, None).unwrap().members().len(), 4);
    for length in 0..bytes.len() {
        read_all(&bytes[..length]);
    }
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() {
        for change in [0x01, 0xff] {
            damaged[at] = bytes[at] ^ change;
            read_all(&damaged);
        }
        damaged[at] = bytes[at];
    }
}
