//! `elenchus completions` and `elenchus man`: what shells and `man` know of the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Arguments, Exit, Failure, Output};

pub fn script(shell: Shell, output: &mut Output) -> Exit {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "elenchus", &mut bytes);
    output.text(&String::from_utf8_lossy(&bytes));
    Exit::Ok
}

pub(crate) fn manual(output: &mut Output) -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut bytes).map_err(Failure::failed)?;
    output.text(&String::from_utf8_lossy(&bytes));
    Ok(Exit::Ok)
}
