//! One figure and its target.

use std::time::{Duration, Instant};

/// Prints a figure beside its target.
pub fn show(what: &str, figure: f64, unit: &str, target: f64) {
    let verdict = if figure <= target { "ok" } else { "MISSED" };
    println!("{what:<60} {figure:>9.3} {unit:<4} target {target:>6} {unit:<4} {verdict}");
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The median time of many runs.
pub fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[runs / 2]
}
