//! Guesses the encoding of names.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

use super::TextEncoding;

/// The most bytes of all names that are kept for the guess.
const BYTES_MAX: usize = 1 << 20;
/// Letters that must become others for a guess to count.
const LETTERS_MIN: usize = 8;
/// The first letter after those of Latin script.
const NEXT_SCRIPT: char = '\u{370}';

/// Detects which encoding with one byte for each character texts are written in. `None` for those
/// with several and for Windows-1252, which is also what is left if nothing is recognised.
pub(crate) fn detected<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Option<TextEncoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for text in texts {
        detector.feed(text, false);
        detector.feed(b"\n", false);
    }
    detector.feed(b"", true);
    let encoding: &'static Encoding = detector.guess(None, Utf8Detection::Deny);
    let is_other = encoding.is_single_byte() && encoding != WINDOWS_1252;
    is_other.then_some(encoding.into())
}

/// The names of a database that are not UTF-8, of which its encoding is guessed.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Each followed by a line feed.
    names: Vec<u8>,
}

impl Evidence {
    /// Adds a name, if it tells anything and there is room.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let has_room = self.names.len() + name.len() < BYTES_MAX;
        if has_room && !name.is_ascii() && std::str::from_utf8(name).is_err() {
            self.names.extend_from_slice(name);
            self.names.push(b'\n');
        }
    }

    /// Guesses the encoding; `None` unless it is clear that it is another than Windows-1252.
    ///
    /// Names are short, and those of many countries stand side by side, so that what is guessed of
    /// them all is not enough. Names in another script have words without a Latin letter. Latin
    /// letters are told apart by which of them follow each other, which must come out the same in
    /// every part of the names.
    pub(crate) fn guess(&self) -> Option<TextEncoding> {
        let names = || {
            self.names
                .split(|&byte| byte == b'\n')
                .filter(|name| !name.is_empty())
        };
        let guessed = detected(names())?;
        let [mut changed, mut gained, mut scripts, mut foreign] = [0; 4];
        for byte in self.names.iter().copied().filter(|byte| !byte.is_ascii()) {
            let (letter, western) = (guessed.letter(byte), western(byte));
            foreign += 1;
            changed += usize::from(letter != western);
            gained += usize::from(letter.is_alphabetic() && !western.is_alphabetic());
            scripts += usize::from(letter >= NEXT_SCRIPT && letter.is_alphabetic());
        }
        if changed < LETTERS_MIN {
            return None;
        }
        let is_clear = if 2 * scripts > foreign {
            let count = names().count();
            let mixed = names().filter(|name| mixes_scripts(name, guessed)).count();
            4 * mixed < count
        } else {
            // Signs inside words that become letters are evidence too.
            let parts = if 8 * gained >= foreign { 2 } else { 4 };
            let part = |first| names().skip(first).step_by(parts);
            (0..parts).all(|first| detected(part(first)) == Some(guessed))
        };
        is_clear.then_some(guessed)
    }
}

/// Returns the letter of a byte in Windows-1252.
fn western(byte: u8) -> char {
    TextEncoding::from(WINDOWS_1252).letter(byte)
}

/// Whether a word of a name has Latin letters and others.
fn mixes_scripts(name: &[u8], encoding: TextEncoding) -> bool {
    let text = encoding.decode(name);
    let mut words = text.split(|letter: char| !letter.is_alphabetic());
    words.any(|word| {
        let is_latin = |letter: char| letter < NEXT_SCRIPT;
        word.contains(is_latin) && !word.chars().all(is_latin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is guessed of names in an encoding.
    fn guessed(names: &[&str], encoding: &str) -> Option<String> {
        let encoding = Encoding::for_label(encoding.as_bytes()).expect("an encoding");
        let mut evidence = Evidence::default();
        for name in names {
            let (bytes, _, has_lost) = encoding.encode(name);
            assert!(!has_lost, "{name}");
            evidence.add(&bytes);
        }
        evidence.guess().map(|guessed| guessed.to_string())
    }

    const RUSSIAN: [&str; 4] = ["Иванов, Petr", "Щукина, Юлия", "Москва", "Adams"];
    const GREEK: [&str; 3] = ["Μπάνικας, Χρήστος", "Γκρίβας, Ευστράτιος", "Αθήνα"];
    const POLISH: [&str; 12] = [
        "Wojtaszek, Radosław",
        "Świercz, Dariusz",
        "Soćko, Bartosz",
        "Kempiński, Robert",
        "Śliwa, Bogdan",
        "Żółtek, Wojciech",
        "Kuczyński, Robert",
        "Łódź",
        "Mistrzostwa Polski Mężczyzn",
        "Mądry, Stanisław",
        "Przepiórka, Dawid",
        "Bąk, Jan",
    ];
    const TURKISH: [&str; 12] = [
        "Şahin, Mehmet",
        "Yılmaz, Mustafa",
        "Ataşkın, Ali",
        "Esen, Barış",
        "Şanal, Vahap",
        "Haznedaroğlu, Kıvanç",
        "Erdoğdu, Mert",
        "Yıldız, Betül",
        "Atalık, Suat",
        "Dağlı, Ömer",
        "İzmir",
        "Kılıç, Hüseyin",
    ];
    const WESTERN: [&str; 16] = [
        "Müller, Karsten",
        "Hübner, Robert",
        "Großmann, Jürgen",
        "Lautier, Joël",
        "Bacrot, Étienne",
        "Polgár, László",
        "Núñez, José",
        "Gonçalves, João",
        "Ståhlberg, Gideon",
        "Åkesson, Ralf",
        "Østenstad, Berge",
        "Bjarnason, Sævar",
        "Þórhallsson, Þröstur",
        "Ólafsson, Friðrik",
        "Rõtov, Boris",
        "Forlì",
    ];

    #[test]
    fn names_in_other_scripts_are_recognised_by_few_of_them() {
        for (encoding, known) in [
            ("windows-1251", "windows-1251"),
            // The two differ in letters that Russian does not have.
            ("koi8-r", "koi8-u"),
            ("iso-8859-5", "iso-8859-5"),
            ("ibm866", "ibm866"),
        ] {
            assert_eq!(guessed(&RUSSIAN, encoding).as_deref(), Some(known));
        }
        assert_eq!(
            guessed(&GREEK, "windows-1253").as_deref(),
            Some("windows-1253")
        );
    }

    #[test]
    fn names_in_latin_letters_are_recognised_if_all_parts_agree() {
        for (names, encoding) in [
            (&POLISH[..], "windows-1250"),
            (&POLISH, "iso-8859-2"),
            (&TURKISH, "windows-1254"),
        ] {
            assert_eq!(guessed(names, encoding).as_deref(), Some(encoding));
        }
        assert_eq!(guessed(&POLISH[..3], "windows-1250"), None);
        assert_eq!(guessed(&POLISH, "utf-8"), None);
    }

    #[test]
    fn western_names_are_not_taken_for_others() {
        assert_eq!(guessed(&WESTERN, "windows-1252"), None);
        for first in 0..WESTERN.len() {
            for count in 1..WESTERN.len() {
                let names = WESTERN.iter().cycle().skip(first).step_by(count);
                let names: Vec<&str> = names.copied().take(8).collect();
                assert_eq!(guessed(&names, "windows-1252"), None, "{names:?}");
            }
        }
    }

    #[test]
    fn names_of_two_scripts_that_no_encoding_holds_are_not_guessed() {
        let mut evidence = Evidence::default();
        for name in WESTERN {
            evidence.add(&WINDOWS_1252.encode(name).0);
        }
        for name in RUSSIAN {
            evidence.add(&encoding_rs::WINDOWS_1251.encode(name).0);
        }
        assert_eq!(evidence.guess(), None);
    }
}
