//! `elenchus __confined`: no command for people. The program starts itself by it to limit itself and then become a
//! program of an engine (`sandbox::helper`).

use std::ffi::OsString;
use std::process::ExitCode;

use super::Output;
use crate::sandbox::helper::{WORD, become_confined};

/// The status by which it is seen that the sandbox failed, and not the program in it.
const FAILED: u8 = 125;

/// Whether these arguments are for the helper.
pub fn is_meant(arguments: &[OsString]) -> bool {
    arguments.get(1).is_some_and(|word| word == WORD)
}

pub fn run(arguments: Vec<OsString>) -> ExitCode {
    match become_confined(arguments.into_iter().skip(2)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            Output::new().complain(&why);
            ExitCode::from(FAILED)
        }
    }
}
