//! Where the real data are, and the line that says that they are not.

use std::{
    env,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{LazyLock, Once},
};

/// The folder, if it is there.
pub(crate) static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = match env::var_os("TABIYA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    folder.join("data").is_dir().then_some(folder)
});

/// Returns the path of a part of the folder if it is there. Otherwise prints, once for each
/// program of tests, what is skipped, or fails if the data are required.
pub(crate) fn found(path: Option<PathBuf>, part: &str) -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let path = path.filter(|path| path.exists());
    if path.is_none() {
        let required = env::var("TABIYA_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(
            !required,
            "the shared data is required, and {part} is not there"
        );
        let absent = match &*FOLDER {
            Some(_) => format!("`{part}` is not in ../shared"),
            None => "../shared/data is not there (CONTRIBUTING.md says what it is)".to_owned(),
        };
        // Past the test harness, which keeps back what passing tests print.
        SAID.call_once(|| {
            let mut errors = std::io::stderr();
            let _ = writeln!(errors, "SKIPPED: tests on real databases, since {absent}");
        });
    }
    path
}
