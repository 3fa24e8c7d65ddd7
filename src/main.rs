//! The program `tabiya`: queries chess databases from a command line.
//!
//! It is a thin user of the library's public interface; see [`cli`].

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
