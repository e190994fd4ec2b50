//! Which processes come from which, read off `/proc`.

use std::collections::HashMap;

use rustix::process::Pid;

/// Every living process that stems from `root`, without `root` itself.
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

/// All processes with their parents, those left out that have ended and only wait to be collected.
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| {
        let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name stands in brackets and may hold anything, brackets too.
        let mut fields = line.rsplit_once(") ")?.1.split(' ');
        let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
        (state != "Z").then_some((id, parent))
    })
    .collect()
}
