//! `elenchus test --any-order`: has people tell what they know in random orders, and says what was heard of it.

use std::collections::BTreeMap;

use super::Group;
use crate::cli::{Exit, Failure, Output};
use crate::scenario::{self, Heard, any_order_json, any_order_text};

#[derive(Debug, clap::Args)]
pub(super) struct AnyOrder {
    /// Have the people of the scenarios tell what they know to the interviewer without a model, in random orders with
    /// talk in between, and count what it heard.
    #[arg(
        long = "any-order",
        value_name = "ORDERS",
        num_args = 0..=1,
        default_missing_value = "10",
        value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with_all = ["live", "record", "mutate", "coverage", "update_frames", "junit"],
        id = "any_order"
    )]
    pub orders: Option<u32>,
    /// The seed of the first order.
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "any_order")]
    seed: u64,
    /// Fail where a smaller share of all facts than this, from 0 to 1, is known as it was told.
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "any_order")]
    least_right: Option<f64>,
    /// Fail where a smaller share of all facts than this is known or offered for confirmation as it was told.
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "any_order")]
    least_heard: Option<f64>,
    /// Fail where more values than this were made of talk.
    #[arg(long, value_name = "COUNT", requires = "any_order")]
    most_junk: Option<usize>,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("it is not between 0 and 1".to_owned()) }
}

pub(super) async fn run(
    command: &AnyOrder,
    orders: u32,
    groups: &BTreeMap<String, Group>,
    json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut trials = Vec::new();
    for group in groups.values() {
        let mut heard: Vec<&str> = Vec::new();
        for person in group.cases.iter().filter_map(|case| case.person.as_deref()) {
            // Several scenarios have the same person.
            if heard.contains(&person.name.as_str()) {
                continue;
            }
            heard.push(&person.name);
            let trial = scenario::any_order(person, &group.engine, orders, command.seed).await;
            trials.push(trial.map_err(Failure::failed)?);
        }
    }
    if trials.is_empty() {
        return Err(Failure::usage("no scenario has a `person` who could tell something"));
    }
    if json {
        output.json(&any_order_json(&trials, command.seed));
    } else {
        output.text(&any_order_text(&trials));
    }
    let heard = trials.iter().fold(Heard::default(), |all, trial| all.and(&trial.heard));
    let misses = command.misses(&heard);
    for miss in &misses {
        output.complain(miss);
    }
    Ok(if misses.is_empty() { Exit::Ok } else { Exit::Failed })
}

impl AnyOrder {
    /// What is not as good as it was to be.
    fn misses(&self, heard: &Heard) -> Vec<String> {
        let percent = |share: f64| share * 100.0;
        let shares = [
            (self.least_right, heard.right_share(), "known as they were told"),
            (self.least_heard, heard.heard_share(), "known or offered as they were told"),
        ];
        let mut misses: Vec<String> = shares
            .into_iter()
            .filter_map(|(least, share, what)| {
                let least = least.filter(|least| share < *least)?;
                Some(format!(
                    "{:.1} % of the facts are {what}, at least {:.1} % were wanted",
                    percent(share),
                    percent(least)
                ))
            })
            .collect();
        if let Some(most) = self.most_junk.filter(|most| heard.junk > *most) {
            misses.push(format!("{} values are made of talk, at most {most} were to be", heard.junk));
        }
        misses
    }
}
