//! Which processes come from which, read off `/proc`.

use std::collections::HashMap;

use rustix::process::Pid;

/// Every process that stems from `root`, without `root` itself.
pub fn descendants(root: Pid) -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (id, parent) in parents() {
        children.entry(parent).or_default().push(id);
    }
    let (mut found, mut open) = (Vec::new(), vec![root.as_raw_nonzero().get()]);
    while let Some(id) = open.pop() {
        // Taken out, so that a reused id cannot make this go round in a circle.
        let own = children.remove(&id).unwrap_or_default();
        found.extend(own.iter().filter_map(|id| Pid::from_raw(*id)));
        open.extend(own);
    }
    found
}

/// All processes with their parents. Those that have ended and wait to be collected take up a number too; and one whose
/// first thread has ended looks the same while others of it go on.
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| {
        let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Some((id, fields(&line)?.nth(1)?.parse().ok()?))
    })
    .collect()
}

/// How many threads a process has; none if it is gone.
pub fn threads(process: u32) -> usize {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    fields(&line).and_then(|mut fields| fields.nth(17)?.parse().ok()).unwrap_or(0)
}

/// What stands after the name, which is in brackets and may hold anything, brackets too.
fn fields(line: &str) -> Option<std::str::Split<'_, char>> {
    Some(line.rsplit_once(") ")?.1.split(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_children_that_wait_to_be_collected_count() {
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || told.recv());
        assert!(threads(std::process::id()) >= 2);
        drop(tell);
        let _ = waiting.join().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        let state = || {
            let line = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
            fields(&line).unwrap().next().unwrap().to_owned()
        };
        while state() != "Z" {
            std::thread::yield_now();
        }
        let found = descendants(rustix::process::getpid());
        assert!(found.iter().any(|pid| pid.as_raw_nonzero().get().unsigned_abs() == id));
        child.wait().unwrap();
    }
}
