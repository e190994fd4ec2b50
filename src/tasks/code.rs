//! What of a command line is code, and whether it can be held on to and shown.
//!
//! A program is a file of the engine's folder, a compiled program, or a script, whose text is shown. Programs that run
//! other files (shells, interpreters, `env`, `timeout`…) are known by their names: what they are told to run before a
//! script of the engine's folder was named is code too.

use std::path::{Path, PathBuf};

use super::pin::{self, Content, PinnedFile};
use super::sanitise;
use crate::sandbox::belongs_to_system;

/// Programs that read code from a file or a folder they are given.
const INTERPRETERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bc",
    "bun",
    "busybox",
    "clisp",
    "csh",
    "dash",
    "dc",
    "deno",
    "ed",
    "elixir",
    "emacs",
    "erl",
    "escript",
    "ex",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "gmake",
    "groovy",
    "guile",
    "java",
    "jq",
    "julia",
    "just",
    "ksh",
    "kotlin",
    "lua",
    "luajit",
    "m4",
    "make",
    "mawk",
    "mksh",
    "nawk",
    "ninja",
    "node",
    "nodejs",
    "original-awk",
    "osascript",
    "perl",
    "php",
    "psql",
    "pwsh",
    "pypy",
    "python",
    "R",
    "racket",
    "rbash",
    "Rscript",
    "ruby",
    "runghc",
    "runhaskell",
    "sbcl",
    "scala",
    "sed",
    "sh",
    "sqlite",
    "tclsh",
    "tcsh",
    "toybox",
    "vi",
    "vim",
    "wish",
    "zsh",
];
/// Programs that start another one, which their arguments name.
const STARTERS: &[&str] = &[
    "capsh",
    "chroot",
    "chrt",
    "doas",
    "env",
    "find",
    "flock",
    "git",
    "ionice",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "prlimit",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "ssh",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tar",
    "taskset",
    "time",
    "timeout",
    "unshare",
    "watch",
    "xargs",
];
/// Of the interpreters those that take code as the argument after `-c`.
const TAKE_CODE: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "python", "rbash", "sh", "zsh"];

/// A name without its version: `python3.12` is `python`.
fn plain(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

fn is_among(file: &Path, names: &[&str]) -> bool {
    let known = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // The loader of the system runs any program that it is given.
        names.contains(&name) || names.contains(&plain(name)) || (name.starts_with("ld-") && names == STARTERS)
    };
    known(file) || file.canonicalize().is_ok_and(|real| known(&real))
}

/// The arguments of a program, looked through one by one.
pub(super) struct Arguments<'a> {
    pub files: &'a [PinnedFile],
    /// The folders that were asked for by `read` or `write`.
    pub granted: &'a [PathBuf],
    /// Whether the next argument may be code that is to be run.
    runs: bool,
    interprets: bool,
    /// Whether the argument before names a program that takes code after `-c`.
    takes_code: bool,
    /// Files of the system that it would run.
    outside: Vec<PinnedFile>,
}

impl<'a> Arguments<'a> {
    /// Those of a program; `None` stands for a file of the engine's folder, which the user sees.
    pub fn of(program: Option<&Path>, files: &'a [PinnedFile], granted: &'a [PathBuf]) -> Self {
        let among = |names| program.is_some_and(|program| is_among(program, names));
        let interprets = among(INTERPRETERS);
        let runs = interprets || among(STARTERS);
        Self { files, granted, runs, interprets, takes_code: among(TAKE_CODE), outside: Vec::new() }
    }

    /// The files of the system that would be run, with the texts of scripts; or why it cannot be allowed.
    pub fn check(mut self, args: &[String]) -> Result<Vec<PinnedFile>, String> {
        for arg in args {
            let took_code = std::mem::take(&mut self.takes_code);
            if arg.starts_with("./") || arg.starts_with("../") {
                own(arg, self.files, true)?;
                self.runs = false;
            } else if self.runs && took_code && arg == "-c" {
                // The code is the next argument, which is shown as it is.
                self.runs = false;
            } else if self.runs {
                self.code(arg)?;
            } else {
                self.material(arg)?;
            }
        }
        Ok(self.outside)
    }

    /// An argument that may name what is to be run.
    fn code(&mut self, arg: &str) -> Result<(), String> {
        let path = Path::new(arg);
        self.interprets |= is_among(path, INTERPRETERS);
        self.takes_code = is_among(path, TAKE_CODE);
        if !path.is_absolute() {
            return named_within(arg).map_or(Ok(()), |file| Err(outside_words(&file)));
        }
        if path.is_dir() && !self.interprets {
            return self.material(arg);
        }
        if path.is_dir() || !belongs_to_system(path) {
            return Err(outside_words(arg));
        }
        let file = script(path)?;
        self.runs = file.content == Content::Compiled;
        self.outside.push(file);
        Ok(())
    }

    /// An argument that names something to work on: what cannot change, or what was asked for by `read` or `write`.
    fn material(&self, arg: &str) -> Result<(), String> {
        let file = Path::new(arg);
        if !file.is_absolute() || belongs_to_system(file) {
            return Ok(());
        }
        let granted = self.granted.iter().any(|path| file.starts_with(path));
        if file.is_file() && (!granted || pin::looks_like_code(file)) {
            return Err(outside_words(arg));
        }
        Ok(())
    }
}

/// A path within an option or an assignment (`--file=/srv/x`), if there is something.
fn named_within(arg: &str) -> Option<String> {
    let path = &arg[arg.find('/')?..];
    let there = path.len() > 1 && Path::new(path).exists() && !belongs_to_system(Path::new(path));
    there.then(|| path.to_owned())
}

fn outside_words(arg: &str) -> String {
    let shown = sanitise::line(arg, 200);
    format!(
        "{shown} lies outside the engine's folder, where it can change: put it into the folder, or, if it is no code, \
         name it in `read`"
    )
}

/// A file outside the engine's folder that would be run: a compiled program, or a script that can be shown.
pub(super) fn script(path: &Path) -> Result<PinnedFile, String> {
    let shown = sanitise::line(&path.to_string_lossy(), 200);
    let file = pin::outside(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    match &file.content {
        Content::Text(text) => check_first_line(&shown, text)?,
        Content::Compiled => {}
        Content::TooLong | Content::Opaque => return Err(unshown(&shown, &file.content)),
    }
    Ok(file)
}

/// The name of a file of the engine's folder, if it is one that the user can read before agreeing to it.
pub(super) fn own(word: &str, files: &[PinnedFile], is_argument: bool) -> Result<String, String> {
    let shown = sanitise::line(word, 200);
    let name = pin::own_name(word).ok_or_else(|| {
        format!("{shown} leads out of the engine's folder, where it can change: put it into the folder")
    })?;
    match files.iter().find(|file| file.path == name).map(|file| &file.content) {
        Some(Content::Text(text)) => check_first_line(&shown, text).map(|()| name),
        Some(Content::Compiled) if is_argument => {
            Err(format!("{shown} is a compiled program, which only `program` can name"))
        }
        Some(Content::Compiled) => Ok(name),
        Some(content) => Err(unshown(&shown, content)),
        None => Err(format!("there is no {shown} among the files of the engine's folder that can be run")),
    }
}

/// Why a file cannot be shown.
pub(super) fn unshown(name: &str, content: &Content) -> String {
    match content {
        Content::TooLong => format!("{name} is too long to be shown before you agree to it"),
        _ => format!("{name} is neither a text in UTF-8 nor a compiled program: it cannot be shown before you agree"),
    }
}

/// The first line of a script names what runs it: that must not be a file that can change.
fn check_first_line(shown: &str, text: &str) -> Result<(), String> {
    let Some(line) = text.strip_prefix("#!") else { return Ok(()) };
    let line = line.lines().next().unwrap_or_default();
    let outside = line.split_whitespace().find(|word| {
        let path = word.find('/').map(|at| Path::new(&word[at..]));
        path.is_some_and(|path| !belongs_to_system(path))
    });
    match outside {
        Some(word) => {
            let word = sanitise::line(word, 200);
            Err(format!("{shown} is to be run by {word}, which lies outside the engine's folder and the system"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_run_others_are_known_whatever_their_version() {
        for name in ["/usr/bin/python3.12", "/bin/sh", "perl5.38", "env", "sqlite3", "/lib64/ld-linux-x86-64.so.2"] {
            let path = Path::new(name);
            assert!(is_among(path, INTERPRETERS) || is_among(path, STARTERS), "{name}");
        }
        assert!(!is_among(Path::new("/usr/bin/wc"), INTERPRETERS) && !is_among(Path::new("/usr/bin/wc"), STARTERS));
    }

    #[test]
    fn what_an_interpreter_gets_before_its_script_is_code_and_after_it_material() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let text = |name: &str, text: &str| {
            std::fs::write(root.join(name), text).unwrap();
            root.join(name).display().to_string()
        };
        let (data, script) = (text("figures.csv", "1,2\n"), text("x.sh", "#!/bin/sh\necho\n"));
        let own = PinnedFile {
            path: "a.sh".to_owned(),
            bytes: 4,
            executable: false,
            digest: crate::store::Digest::of(b"echo"),
            content: Content::Text("echo".to_owned()),
        };
        let (files, granted) = ([own], [root.clone()]);
        let found = |program: &str, args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let found = Arguments::of(Some(Path::new(program)), &files, &granted).check(&args);
            found.map(|files| files.into_iter().map(|file| file.path).collect::<Vec<_>>())
        };
        let folder = root.display().to_string();
        // Material, and nothing that would have to be shown.
        for (program, args) in [
            ("/bin/sh", vec!["./a.sh", &data]),
            ("/bin/sh", vec!["-c", "cat \"$1\"", "sh", &data]),
            ("/usr/bin/wc", vec!["-w", &data]),
            ("/usr/bin/find", vec![&folder, "-name", "*.csv"]),
        ] {
            assert_eq!(found(program, &args), Ok(Vec::new()), "{program} {args:?}");
        }
        // Of the system: held on to, and shown if it is a text.
        assert_eq!(found("/usr/bin/env", &["/usr/bin/wc", "./a.sh"]), Ok(vec!["/usr/bin/wc".to_owned()]));
        // Code that would run unseen.
        let (rc, path) = (format!("--rcfile={script}"), format!("PYTHONPATH={folder}"));
        for (program, args) in [
            ("/bin/bash", vec![&*rc, "./a.sh"]),
            ("/usr/bin/env", vec![&*path, "python3", "./a.sh"]),
            ("/usr/bin/perl", vec![&*folder]),
            ("/usr/bin/env", vec!["python3", &folder]),
            ("/usr/bin/wc", vec![&*script]),
            ("/bin/sh", vec![&*script]),
            ("/usr/bin/env", vec!["sh", "-e", &data]),
            ("/bin/sh", vec!["/nowhere/x.sh"]),
        ] {
            assert!(found(program, &args).is_err(), "{program} {args:?}");
        }
    }
}
