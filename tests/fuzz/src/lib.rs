//! What the fuzzers try, taken from the tests of the project: `cargo test` tries the same on some
//! hundred inputs.

#[path = "../../it/bodies/mod.rs"]
mod bodies;

/// What the bodies are made with.
#[expect(dead_code, reason = "the tests use more of it than the bodies do")]
#[path = "../../it/support"]
mod support {
    pub(crate) mod ask;
    pub(crate) mod binpack;
    pub(crate) mod books;
    pub(crate) mod cbf;
    pub(crate) mod conditions;
    pub(crate) mod dice;
    pub(crate) mod engine_eval;
    pub(crate) mod evals;
    pub(crate) mod exercise;
    pub(crate) mod frames;
    pub(crate) mod game;
    pub(crate) mod lines;
    pub(crate) mod lists;
    pub(crate) mod losses;
    pub(crate) mod moves;
    pub(crate) mod naive;
    pub(crate) mod opening;
    pub(crate) mod path;
    pub(crate) mod pool;
    pub(crate) mod queries;
    pub(crate) mod queries3;
    pub(crate) mod relations;
    pub(crate) mod remark;
    pub(crate) mod speeds;
    pub(crate) mod sums;
    pub(crate) mod texts;
    pub(crate) mod viri;
    pub(crate) mod walk;
    pub(crate) mod ways;
}

/// Tries an input.
pub fn check(name: &str, input: &[u8]) {
    (bodies::of(name).check)(input);
}

/// Returns what every fuzzer begins with, by its name.
pub fn seeds() -> impl Iterator<Item = (&'static str, Vec<Vec<u8>>)> {
    bodies::ALL.iter().map(|body| (body.name, (body.seeds)()))
}

/// Lets the thread that tries inputs do the work of all: libFuzzer counts what one thread does.
pub fn work_alone() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread();
    pool.build_global().expect("nothing has been run before");
}
