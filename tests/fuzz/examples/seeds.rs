//! Writes what the fuzzers begin with into a folder: `seeds FOLDER` makes `FOLDER/TARGET/seed-N`.

use std::{env, fs, path::PathBuf};

fn main() -> std::io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: seeds FOLDER");
        std::process::exit(2);
    };
    for (target, seeds) in tabiya_fuzz::seeds() {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
