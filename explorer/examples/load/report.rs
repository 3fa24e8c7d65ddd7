//! The figures.

use std::time::Duration;

use crate::{Timing, walks::Walk};

/// The answers of one endpoint.
pub(crate) struct Times<'a> {
    asked: &'a [Timing],
    /// Those about positions that no game before had, so no answer could be kept from before.
    new: Vec<&'a Timing>,
    walks: &'a [Walk],
}

/// Says what was asked.
pub(crate) fn walks(walks: &[Walk], clients: usize, compared: usize) {
    let positions = walks.iter().map(Walk::positions).sum::<usize>();
    let new = |walk: &Walk| {
        (0..walk.positions())
            .filter(|&ply| walk.is_new(ply))
            .count()
    };
    let different = walks.iter().map(new).sum::<usize>();
    let games = walks.len();
    println!("{positions} positions on {games} games, {different} different; {clients} clients");
    println!("{compared} answers compared with the library's trees: all equal");
    println!();
    println!("milliseconds                    p50     p90     p95     p99     max    mean");
}

impl<'a> Times<'a> {
    pub(crate) fn of(asked: &'a [Timing], walks: &'a [Walk]) -> Times<'a> {
        let is_new = |asked: &&Timing| walks[asked.walk].is_new(asked.ply);
        Times {
            asked,
            new: asked.iter().filter(is_new).collect(),
            walks,
        }
    }

    pub(crate) fn print(&self, took: Duration) {
        let Some(slowest) = self.asked.iter().max_by_key(|asked| asked.server) else {
            return;
        };
        let name = slowest.endpoint.name();
        let all = |time: fn(&Timing) -> Duration| self.asked.iter().map(time).collect();
        let new =
            |time: fn(&Timing) -> Duration| self.new.iter().map(|asked| time(asked)).collect();
        row(name, "server, all", all(|asked| asked.server));
        row(name, "server, new", new(|asked| asked.server));
        row(name, "client, all", all(|asked| asked.client));
        row(name, "client, new", new(|asked| asked.client));
        let rate = self.asked.len() as f64 / took.as_secs_f64();
        println!("{name:<10} {rate:.0} answers a second");
        let walk = &self.walks[slowest.walk];
        println!(
            "{name:<10} slowest: {}",
            slowest.endpoint.address(walk, slowest.ply)
        );
        println!();
    }
}

fn row(name: &str, what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let count = times.len().max(1);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let rank = |percent: usize| (count * percent).div_ceil(100).saturating_sub(1);
    let at = |percent: usize| times.get(rank(percent)).copied().map_or(0.0, milliseconds);
    let mean = milliseconds(times.iter().sum::<Duration>()) / count as f64;
    let [p50, p90, p95, p99, max] = [50, 90, 95, 99, 100].map(at);
    println!(
        "{name:<10} {what:<13} {p50:>10.2} {p90:>7.2} {p95:>7.2} {p99:>7.2} {max:>7.2} {mean:>7.2}"
    );
}
