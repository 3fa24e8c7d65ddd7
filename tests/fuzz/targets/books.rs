#![no_main]

libfuzzer_sys::fuzz_target!(
    init: tabiya_fuzz::work_alone(),
    |input: &[u8]| tabiya_fuzz::check("books", input)
);
