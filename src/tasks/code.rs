//! What of a command line is code, and whether it can be held on to and shown.
//!
//! A program is a file of the engine's folder, a compiled program, or a script, whose text is shown. Programs that run
//! other files (shells, interpreters, `env`, `timeout`…) are known by their names: all that they are told is code, but for
//! what stands after the script of an interpreter that looks no further then.

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
    "run-parts",
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
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"];
const PYTHON: &[&str] = &["pypy", "python"];
/// Of the other interpreters those whose first argument is the script, and all the rest is for it.
const TAKE_A_SCRIPT: &[&str] =
    &["escript", "fish", "guile", "lua", "luajit", "node", "nodejs", "perl", "php", "Rscript", "ruby", "tclsh"];
/// Those that take a script after `-f`, and options also after it.
const TAKE_A_FILE: &[&str] = &["awk", "gawk", "jq", "mawk", "nawk", "original-awk", "sed"];
/// Options without a value that may stand before the script.
const FLAGS: &[(&[&str], &str)] = &[(SHELLS, "aefux"), (PYTHON, "bBEIOsSu"), (&["jq"], "cnrs"), (&["sed"], "Enrsz")];

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

/// Which argument is the script, or the code itself, where nothing after it can be code.
fn script_at(program: &Path, args: &[String]) -> Option<usize> {
    let known = FLAGS.iter().find(|(names, _)| is_among(program, names)).map_or("", |(_, flags)| *flags);
    let is_flag = |arg: &&String| {
        arg.strip_prefix('-').is_some_and(|flags| !flags.is_empty() && flags.chars().all(|flag| known.contains(flag)))
    };
    let flags = args.iter().take_while(is_flag).count();
    let mut rest = args[flags..].iter().map(String::as_str);
    let is_script = |arg: &str| arg.starts_with("./") || (arg.starts_with('/') && belongs_to_system(Path::new(arg)));
    let takes_code = is_among(program, SHELLS) || is_among(program, PYTHON);
    match rest.next()? {
        "-c" if takes_code => Some(flags + 1),
        "-f" if is_among(program, TAKE_A_FILE) => {
            let found = is_script(rest.next()?) && !rest.any(|arg| arg.starts_with('-'));
            found.then_some(flags + 1)
        }
        first => (is_script(first) && (takes_code || is_among(program, TAKE_A_SCRIPT))).then_some(flags),
    }
}

/// The arguments of a program, looked through one by one.
pub(super) struct Arguments<'a> {
    /// `None` stands for a file of the engine's folder, which the user sees.
    program: Option<&'a Path>,
    files: &'a [PinnedFile],
    /// The folders that were asked for by `read` or `write`.
    granted: &'a [PathBuf],
    /// Whether a folder can be code.
    interprets: bool,
    /// Files of the system that it would run.
    outside: Vec<PinnedFile>,
}

impl<'a> Arguments<'a> {
    pub fn of(program: Option<&'a Path>, files: &'a [PinnedFile], granted: &'a [PathBuf]) -> Self {
        let interprets = program.is_some_and(|program| is_among(program, INTERPRETERS));
        Self { program, files, granted, interprets, outside: Vec::new() }
    }

    /// The files of the system that would be run, with the texts of scripts; or why it cannot be allowed.
    pub fn check(mut self, args: &[String]) -> Result<Vec<PinnedFile>, String> {
        let starts = self.program.is_some_and(|program| is_among(program, STARTERS));
        let runs = starts || self.interprets;
        // Where a starter finds its program depends on its options, so that nothing of it is taken for material.
        let script = self.program.filter(|_| !starts).and_then(|program| script_at(program, args));
        for (at, arg) in args.iter().enumerate() {
            if arg.starts_with("./") || arg.starts_with("../") {
                own(arg, self.files, true)?;
            } else if script == Some(at) && at > 0 && args[at - 1] == "-c" {
                // It is the code itself, which is shown as it is.
            } else if runs && script.is_none_or(|script| at <= script) {
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
        if !path.is_absolute() {
            return named_within(arg).map_or(Ok(()), |file| Err(outside_words(&file)));
        }
        if path.is_dir() && !self.interprets {
            return self.material(arg);
        }
        if path.is_dir() || !belongs_to_system(path) {
            return Err(outside_words(arg));
        }
        self.outside.push(script(path)?);
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
         name it in `read` and after the script that reads it"
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
            ("/bin/sh", vec!["-eu", "./a.sh", &data]),
            ("/usr/bin/python3", vec!["-u", "./a.sh", "--file", &data]),
            ("/usr/bin/awk", vec!["-f", "./a.sh", &data]),
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
            // A file of the folder that is not what is run.
            ("/usr/bin/make", vec!["./a.sh", "-sf", &data, "all"]),
            ("/usr/bin/find", vec!["./a.sh", "-exec", "/bin/sh", &data, ";"]),
            ("/usr/bin/find", vec!["-name", "sh", "./a.sh", "-exec", "sh", &data, ";"]),
            ("/usr/bin/find", vec!["/bin/sh", "-exec", "sh", "-c", "./a.sh", &data, ";"]),
            ("/usr/bin/xargs", vec!["-a", "./a.sh", "/bin/sh", &data]),
            ("/usr/bin/flock", vec!["./a.sh", "/bin/sh", &data]),
            ("/usr/bin/env", vec!["-u", "./a.sh", "sh", &data]),
            ("/bin/bash", vec!["--rcfile", "./a.sh", &data]),
            ("/usr/bin/perl", vec!["-I", "./a.sh", &data]),
            ("/usr/bin/sed", vec!["-f", "./a.sh", "figures", "-f", &data]),
            ("/usr/bin/run-parts", vec![&*folder]),
        ] {
            assert!(found(program, &args).is_err(), "{program} {args:?}");
        }
    }
}
