//! `novelty`: where games leave what other games had before.

use serde_json::Value;
use tabiya::{Database, LineEnd, Match, Novelties, Novelty, Query};

use super::{
    args::{NoveltyArgs, RowFormat},
    columns::{self, Take, or_empty},
    databases::{self, Opened},
    failure::Outcome,
    interrupt,
    output::{self, Output},
    progress::Progress,
    query,
    render::{Records, Row},
};

/// Titles of the columns. The last is left out with one base.
const TITLES: [&str; 9] = [
    "#number", "white", "black", "date", "#ply", "move", "#before", "#latest", "base",
];
/// Names of the machine-readable fields.
const NAMES: [&str; 9] = [
    "game", "ply", "move", "before", "latest", "white", "black", "date", "base",
];

pub(crate) fn run(args: &NoveltyArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let query = query::read(&args.query)?;
    let games = databases::open(&args.database)?;
    let bases = args.against.iter().map(|path| databases::open(path));
    let bases: Vec<Database> = bases.collect::<anyhow::Result<_>>()?;
    interrupt::watch();
    let mut progress = Progress::new("games");
    let novelties = Novelties::new().query(&query).variations(args.variations);
    let (found, report) = novelties
        .on_progress(|at| progress.update(at))
        .run(&games, &bases)?;
    progress.clear();
    interrupt::check()?;
    let label = games.name();
    let told = Printed {
        games: Opened {
            database: games,
            label,
        },
        bases,
    };
    told.print(&found[..args.most.of(found.len())], args.format, out)?;
    out.finish()?;
    databases::warn_of_damaged(told.games.database.path(), report.damaged);
    if found.is_empty() && query != Query::All {
        output::summarize("no game that matches leaves the base");
    }
    Ok(Outcome::of_matches(!found.is_empty()))
}

/// What is printed of: the games and the bases.
struct Printed {
    games: Opened,
    bases: Vec<Database>,
}

impl Printed {
    fn print(&self, found: &[Novelty], format: RowFormat, out: &mut Output) -> anyhow::Result<()> {
        let kept = usize::from(self.bases.len() < 2);
        match format {
            RowFormat::Table => {
                let titles = &TITLES[..TITLES.len() - kept];
                columns::print_told(titles, out, |take| self.rows(found, take))
            }
            RowFormat::Csv => {
                let records = Records::csv(&NAMES[..NAMES.len() - kept], out)?;
                self.records(found, records)
            }
            RowFormat::Jsonl => self.records(found, Records::Jsonl(out)),
        }
    }

    /// Returns the move of a novelty; nothing at the start of a game.
    fn san(&self, novelty: &Novelty) -> anyhow::Result<Option<String>> {
        let line = self
            .games
            .database
            .line(novelty.game, LineEnd::Ply(novelty.ply))?;
        Ok(line.and_then(|line| Some(line.moves.last()?.san.clone())))
    }

    /// Returns the number of a novelty's game.
    fn number(&self, novelty: &Novelty) -> u32 {
        self.games.database.number(novelty.game)
    }

    /// Returns the latest game before, by its number and the name of its base.
    fn latest(&self, novelty: &Novelty) -> Option<(u32, String)> {
        let (base, game) = novelty.latest?;
        let base = self.bases.get(base)?;
        Some((base.number(game), base.name()))
    }

    fn rows(&self, found: &[Novelty], take: &mut Take<'_>) -> anyhow::Result<()> {
        for novelty in found {
            interrupt::check()?;
            let header = Row::new(&self.games, Match::from(novelty.game), false)?.header;
            let (latest, base) = self.latest(novelty).unzip();
            take(&[
                self.number(novelty).to_string(),
                header.white,
                header.black,
                header.date.to_string(),
                novelty.ply.to_string(),
                or_empty(self.san(novelty)?),
                novelty.before.to_string(),
                or_empty(latest),
                or_empty(base),
            ])?;
        }
        Ok(())
    }

    fn records(&self, found: &[Novelty], mut records: Records<'_>) -> anyhow::Result<()> {
        for novelty in found {
            interrupt::check()?;
            let header = Row::new(&self.games, Match::from(novelty.game), false)?.header;
            let (latest, base) = self.latest(novelty).unzip();
            let mut fields: Vec<(&str, Value)> = vec![
                ("game", self.number(novelty).into()),
                ("ply", novelty.ply.into()),
                ("move", self.san(novelty)?.into()),
                ("before", novelty.before.into()),
                ("latest", latest.into()),
                ("white", header.white.into()),
                ("black", header.black.into()),
                ("date", header.date.to_string().into()),
            ];
            if self.bases.len() > 1 {
                fields.push(("base", base.into()));
            }
            records.row(&fields)?;
        }
        Ok(())
    }
}
