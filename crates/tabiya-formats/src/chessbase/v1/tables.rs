//! The encodings of move codes as bytes in `.cbg`.
//!
//! The lowest six bits of a game's first byte select one of twelve encodings. Each has its own
//! substitution table. It adds the number of moves so far (modulo 256, variations included) either
//! before or after the substitution. The tables are arbitrary permutations that follow no rule, so
//! they are stored verbatim.

/// Whether a move is one byte (with few exceptions) or always two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// One byte, with the meanings of [`codes`](super::codes).
    Compact,
    /// A big-endian word of two bytes: from, to, promotion, and where lines end and branch.
    Simple,
}

/// When the number of moves so far is subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    /// On reading, it is subtracted before the table is applied.
    BeforeTable,
    /// On reading, it is subtracted after the table is applied.
    AfterTable,
}

/// One encoding of move codes.
#[derive(Debug)]
pub(crate) struct Encoding {
    /// Maps bytes to codes, for reading.
    pub(crate) decode: [u8; 256],
    /// Maps codes to bytes, for writing; the inverse of `decode`.
    pub(crate) encode: [u8; 256],
    pub(crate) width: Width,
    pub(crate) counter: Counter,
    /// Whether men are numbered from h8 down to a1 instead of from a1 up to h8, and the from and to
    /// squares of a [simple](Width::Simple) word are swapped.
    pub(crate) reversed: bool,
}

impl Encoding {
    /// Returns the code of a byte after `moves` moves (modulo 256).
    pub(crate) const fn code(&self, byte: u8, moves: u8) -> u8 {
        match self.counter {
            Counter::BeforeTable => self.decode[byte.wrapping_sub(moves) as usize],
            Counter::AfterTable => self.decode[byte as usize].wrapping_sub(moves),
        }
    }

    /// Returns the byte of a code after `moves` moves (modulo 256).
    pub(crate) const fn byte(&self, code: u8, moves: u8) -> u8 {
        match self.counter {
            Counter::BeforeTable => self.encode[code as usize].wrapping_add(moves),
            Counter::AfterTable => self.encode[code.wrapping_add(moves) as usize],
        }
    }

    const fn new(table: usize, width: Width, counter: Counter, reversed: bool) -> Encoding {
        let decode = parsed(TABLES[table]);
        Encoding {
            encode: inverse(&decode),
            decode,
            width,
            counter,
            reversed,
        }
    }
}

/// Number of supported modes: ordinary chess 0 to 7, losing chess 8 and 9, Chess960 10 and 11.
pub(crate) const MODE_COUNT: usize = 12;

/// The encodings, indexed by mode.
pub(crate) static MODES: [Encoding; MODE_COUNT] = {
    use Counter::{AfterTable, BeforeTable};
    use Width::{Compact, Simple};
    [
        Encoding::new(0, Compact, BeforeTable, false),
        Encoding::new(1, Simple, BeforeTable, false),
        Encoding::new(2, Compact, BeforeTable, true),
        Encoding::new(3, Simple, BeforeTable, true),
        Encoding::new(4, Compact, AfterTable, false),
        Encoding::new(5, Simple, AfterTable, false),
        Encoding::new(6, Compact, AfterTable, true),
        Encoding::new(7, Simple, AfterTable, true),
        Encoding::new(8, Compact, AfterTable, false),
        Encoding::new(9, Compact, AfterTable, true),
        Encoding::new(10, Compact, AfterTable, false),
        Encoding::new(11, Compact, AfterTable, true),
    ]
};

/// The encoding of the moves inside a quotation annotation.
pub(crate) static QUOTATION: Encoding =
    Encoding::new(MODE_COUNT, Width::Simple, Counter::BeforeTable, false);

const fn parsed(hex: &str) -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 512 {
        table[at / 2] = table[at / 2] << 4 | hex_digit(hex.as_bytes()[at]);
        at += 1;
    }
    table
}

const fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit - b'a' + 10,
    }
}

const fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut at = 0;
    while at < 256 {
        inverse[table[at] as usize] = at as u8;
        at += 1;
    }
    inverse
}

/// The decoding tables, indexed by mode; the last one is for quotations.
const TABLES: [&str; MODE_COUNT + 1] = [
    // Mode 0.
    "\
     a29543f5c13d4a6c5383cc7cffae68add1928b8d35815e74268eabcafd9af3a0\
     a515fcb11eed30ea22eba7cd4e6f2e243294418c6e588250bb028ad8fa60de52\
     ba46ac299dd7df08210166a3f11927b591d5420eb44cd9185fbc25a69604566a\
     aa331c2b73f0dda437d3c510bf5a2334755bb855d26b093a5712b37748859b0f\
     9ec7c8a17f7ac0bd316df63ec31171ce7ddaa85490971f444016c9e32ccb84ec\
     9f3f5ce6760b3c20b73600dce7f94ff7af0607e01a0aa94b0cd66387891d131b\
     e4700547677b2feee2e8980defcfc4f4fbb0179964f2d42a034d78c6fe658688\
     79453be5498f2db9be629314e9d0389cb2c2595db67251f8287e6139e1db6980",
    // Mode 1.
    "\
     a82238fb277c65dd41833cad81e9afcb86cc87cfb1eb798f16d12dbe21520f8b\
     284ce8991afd62ea40b7c819918a5f0dc234390c7be076d0f1aa4723e3a517a4\
     0a58c4bbfa433193a6927098759f89356c146373dfe41146d34402dab3f2eff9\
     2554299d1dcaecc7b2c568bcf77e2fe15c90e6f636954d2a0397edd62e6eb874\
     26a25951acd7304882334910d8fed5159ca0537d0b32963761ee4fa95ad4e707\
     451cab67941e0ea1003ef00104b9ce1f135bf5bfc60818de5755e556cd056ab0\
     0620db80f8b642d28daeb5f47f78f369604e6f2b1b853a8c716ba3c1c96d8e3b\
     dc889b12fc9e4a6650643d099aff24bd4bd9baa7b484e2775e5d2c727a3fc3c0",
    // Mode 2.
    "\
     72c66657968c4ea0dd158d2f16d810534d445fa99161c205e406f50ce2fe9d2e\
     735d63a3f8c804a1bdb3005a644c98ed197b54c0d71ce8e3cafdfa806fd1b407\
     02d9b0eba497e7508218593c47f986490ec47143a6993e85bf7801f0ff1dd68b\
     414a278a346adf624869f1a7b82c6068c38ee6cfad389c9a0decd017256b2975\
     23c93dd5a8b13a46b6ee28dcab310f6dc5f47a394224e16720908435655e305c\
     d479a5bca21b14889b40f65612937652ace99f814b94ae0b2213d37f9226be7e\
     1a6c11b5af37834521ccfbdeb92b2d33fc3feab7dbf2f3890a519eef4f6ebbda\
     b2d2f7c1cb550970c7e0ba7795085832e57d1e368f2a741fce5b033baacd877c",
    // Mode 3.
    "\
     9b93661c750b5b01c19d49b95ffd844fce53ca7e8d4cb8fb975a234d1510e7d8\
     09ade594f0e6ff1e332ef4f94070b7cf03bd476d6017bc21315029c6a4b3181b\
     823e4ee239dadb265c891a355405e9d28b87fe278536950d807d3474923d6e2f\
     d6a28855c74383376c5877a0fcc3e3efae24abeadf86e1785db002f65920a3cc\
     fa8f41b6a8bb79073f13a532ecd77251529e5748e081dcee3a90d1de6f287b11\
     6a8c9ad9af7a0861447c6942990c4600717fa738a1e4c2b22c4bbe12621d19c8\
     0ed5ed0a0616bfc476ddacc9d3f8a9652b6314f7a6bad4f2d06bcb91cd9f3b73\
     f52ac55ec0224a45961f64985668aa8e0fb1e8042d30253cb5f19ceb67b4f38a",
    // Mode 4.
    "\
     58a3ee7247b91fa026fddc6df1e3cbc5e2d029e789e1ae7b3441354ba57cf6e5\
     db8c5f3705bb32544cef5d2a7fd38186df18c34416f7850f4d30791445aaa26c\
     1592a6624819e93c389428a866090363207d36d72e98ecda01132473cd9ecfd9\
     d5688bd2ab5b69b027fc311b537e65765575af0accc7c4b2b522e8a7bef5005a\
     21d1748ede9ce4422bb19b93c17870d6b6ad4e6a647a5749119d12c03a2fe684\
     c607ce08820490b887ca6e1e401a50b410bc438a710b8d5c3b3f88baf4f3611d\
     f9fe25510debc8591746a4f256b7022d339fd883fbbfeaedac606739dd966ba9\
     c2770c0e91fa999ae0a1f05ec9064fbd5280d4f897233e1c2c954a8f3d6fffb3",
    // Mode 5.
    "\
     e01b9786a248f0230137faeb50765dcd801a315cffbc78dae5a375b371e1a10e\
     56413fe30dc425e6888970dc99a60b9a142c579e697adf55ad737cc50372f545\
     628eaf5fccc05ef31813b53809283cbd108be9dd8c940881a7fe2479442bc136\
     327f67e4fd494b21a95b771f1cf640653df95af8472653d420d2d84f27aefbb6\
     9b74b842fc166fd79fb97b60dec246069cd32ac705853eb10015d196ce909511\
     338fc68284b739a0e8341e7da8d0eae2ef4cc3584e021db27e982d07d5ca68cb\
     30b4ac8363ec87ee2ebecf6d4d8ad604b035c8c91217618d640fa554293a4a6b\
     bb2fd93b936aaaa422f419436ef1f7db92ed66590abf6c519152f20c9dabbae7",
    // Mode 6.
    "\
     e5999372cd0d5c1216a3b7b2c78b21441134f7e37649becfaf9efeb0739568c8\
     414f509db1d02be7d7c1bdfacee075142227e90a6f0631014d79711715f2099f\
     64a90fe11ed9daee9ca660d3f4f9458ee2fb35fc9bba398082e8c41a2530cc48\
     7c473cc2625f050b43f1aee4073b53776e1c196b363769f056659094ad5ad6c5\
     def5207bac0c6cdfa5d52fdcb8ab2eb474bbf87dbfe6c9d15996aa929a3e334b\
     3d322983420e916681635e67ca8c5170c0b36aa7891fa210977eb578c61bd43a\
     a02a843ff3a802248dd2cb04380352ec5d54bca42cd8287f871d5b8f4a4e8adb\
     ef85eb8855a1085700ea7a98dd2ded58c34c6d611346b9fd268623b61840f6ff",
    // Mode 7.
    "\
     2213559b2e726ff1b75e65818767d8337c4ce56d2a8495ad41cb7674b260ab3f\
     bd08b04792becafdee2f6b9dc416c77fb614061d6c43d27e12d0386296239098\
     363d508ecf64cd3b217dceb3aea1e6f2a0d418e74d024baa9e7a7928f4071a94\
     f8c1b91f75f73591fe8a1939292c3100322dd1cc1ba55a5b450597690a71ebe4\
     f9772b6ad65fe8d948edbbbc15f6a3b8ba4625449983823a52c93e17ace3bfdd\
     dc40700c3c1e9a8b88574fe10d0b7ba7e9b58fafec03b1da6809df497827d51c\
     db42fbff53c2118ca24e24a634d373fa3089de0e10b45c5dc8a86e58f0a95480\
     850fe201ef37c69cf561048da463fc51ead7c3c0e04ac5209f5659669386f326",
    // Mode 8.
    "\
     b6c693c19baa3035ee96fec70516a70fb577763712674abde254ec5f21d0018c\
     87f61b8e087d57a81423d80490a14f0c532ff342ead4e8b1fda261c26d492933\
     6402f8811ed58d5227116e7ff0acefdf3e32850928d62d831d9c19e90be68299\
     cdd3d20373b213c3ff3c849eb9f5cf44620df740f91c0e4c4878c446984e8f7b\
     af157eb71ffc70103dfa4d4575eb633968a4f48ad7a05dc0aee78b943a38dc56\
     be2c513f0a47bc007add205b6ca5db3665062a3b079a316a5ab8fbe15c7c8634\
     c99524b41a6f2225abed9297d9ad88e0d1f280de66da7269742be471ce17435e\
     c5a9ba26b3bf419fa3552ef1e318bb894b79e5b06b91a69dca58cbc85960cc50",
    // Mode 9.
    "\
     e385aedcb26346911a16c2c1761f3104459f3dcca4ffc8b037e2cbca9e6e3c5f\
     11fca0c765fedb877a8144e6ef4124f0bb42185db9c5faaae1275a8dab28b1c4\
     fd8256da671c899a35c3130f0923bf2b32866b194e6f1b4947b7a9174fafe714\
     70fb10295bc98e734352a65c0a018b5ec0f492903369d8bd975968a37c48a1dd\
     3a06f2bcb5980ca5603475515374de4bedd7b82ccea700718c8f3be0b3cdbed1\
     07128aba64ac4ddfc620ee663e80628861d238ea4a9b03b683366df83f9c2e7b\
     7e2de9a26a7279e895d96c2293d42650f602d330f5b4210b407d39150dcf54f1\
     96e47899e57ff94cebec7725f31d58d59d842f1ef72ad6d055a805080ead5794",
    // Mode 10.
    "\
     385064cc9f566f734d4166a2c6b99647eecfb16d484f442015be82093499eb1a\
     337cab59002224b0b4fa85dd57f3d9d28a8d70b56e43a70b2708eab3941c631b\
     2bc50cd43f37e8dea623ef06fd3ec14032df2dc8d00ff1e27a95ec3cca4911e0\
     25d830fe2ebadcaa534cd15e678b0d9ea9bf057835c4b6a44bd60452a8762cbd\
     ae39b2e30381179a3d68c06592c9f77716fff5e11e36bb868ef99dd56bf47480\
     2f7b149729e54a02935ccba15879f85f26288f7ea5edd389c7889b548760daf0\
     453ac2849021f6f25a2a55186101fbe68c6a12b862839810715be4addb420acd\
     46d77207ce19b73b319c51c369a391e90e1ffc756c1d7de7af5da0bc137fac4e",
    // Mode 11.
    "\
     1a884fd2d7410e97590db7745d1bad1df98942c3a4ff06e88b1eae8a21075f2b\
     d1265b6adbfca2ec53485a616793d520048019cd3be181844a29f0a7f8feb21f\
     b905148f30cc969b3e86ab57917f22c865a615ac0fe223b832a84900907c25d8\
     d07b098243c61352470cdae33ab370c2f7244e739a4503eaf22785f44d6f8c2d\
     aa5ce9b6b40234e6753c6672369416afdc589968c1402a2f39ebdf76c083e46d\
     7e7af16b98f6bcbe33924c8717d935696210cbf5a9cfed2cbb9c8e286eb531bf\
     79dd3d0aa0e5e79fa37dca78d45037b1b09e4477a1e00b55468d9d6456d65e38\
     0854fd51182ef36c01fafbc5a512de714bbdceef3f1cc463c7ba6095eec9d311",
    // The moves inside a quotation.
    "\
     816bc397730b7eb8995605d472453e63c8ec49018d47dab587e69450f557c0eb\
     fa425da28eb94a7a1d176de5c28543126c1455d160bc5f0ea01648a64ce7d9e3\
     cfa120ea041bbd23dfff8c22688fbedb2cdc33a75e77f1b0f7abfeee89d0c980\
     e41e74a4b2ac4e02d83b4609c1d632a3c4ad58d513c5afb6f659293a7935242e\
     212786d2f061342b5be9657106f3a918b7ed9de10dca7507302a1078cb0cb454\
     91e21a8bfd39f24dc73df4a5bf3f9f0092844bfbe840fc0fde53ba7f9a9003d3\
     cc44524f3c38938a88955c835a2fb17bf876676ab3c6cd2641256470bbef8208\
     6e2de037dd157c1c2866ae7d6f1faa319c19ce6936510a62969b989ed711a8f9",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_a_permutation_and_writing_undoes_reading() {
        for encoding in MODES.iter().chain([&QUOTATION]) {
            let mut seen = [false; 256];
            for code in encoding.decode {
                seen[usize::from(code)] = true;
            }
            assert!(seen.iter().all(|&seen| seen));
            for moves in [0, 1, 100, 255] {
                for code in 0..=255 {
                    assert_eq!(encoding.code(encoding.byte(code, moves), moves), code);
                }
            }
        }
    }

    #[test]
    fn known_bytes_have_their_known_codes() {
        // The end of an ordinary game is 0x0c plus the number of moves.
        assert_eq!(MODES[0].byte(255, 0), 0x0c);
        assert_eq!(MODES[0].code(0x0c + 57, 57), 255);
        assert_eq!(MODES[0].byte(236, 0), 0x9f);
        assert_eq!(MODES[4].code(0x00, 8), 0x50);
    }
}
