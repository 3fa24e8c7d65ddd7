//! A shell in a folder with a copy of the fixtures, where the program is found by its name: the one
//! that is tested, or that of another system, in the folder `TABIYA_PROGRAMS`.

use std::{
    env,
    ffi::OsString,
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

pub(super) struct Shell {
    folder: TempDir,
    path: OsString,
}

impl Shell {
    pub(super) fn new() -> Shell {
        let folder = TempDir::new().unwrap();
        for name in ["fixtures", "fixtures/lines"] {
            let copy = folder.path().join(name);
            fs::create_dir(&copy).unwrap();
            let there = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            for entry in there.read_dir().unwrap() {
                let entry = entry.unwrap();
                if entry.path().is_file() {
                    fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
                }
            }
        }
        let tested = Path::new(env!("CARGO_BIN_EXE_tabiya")).parent().unwrap();
        let other = env::var_os("TABIYA_PROGRAMS");
        let mut path = other.unwrap_or_else(|| tested.as_os_str().to_owned());
        path.push(":");
        path.push(env::var_os("PATH").unwrap_or_default());
        Shell { folder, path }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn run(&self, command: &str) -> Output {
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .env_remove("COLUMNS")
            .output()
            .unwrap()
    }
}
