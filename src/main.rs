//! The program `tabiya`: queries chess databases from the command line.
//!
//! It only uses the library's public interface; see [`cli`].

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
