//! The `elenchus` program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    elenchus::cli::run(std::env::args_os())
}
