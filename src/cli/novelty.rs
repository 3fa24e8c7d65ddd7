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
    let novelties = Novelties::new().query(query.clone());
    let (found, report) = novelties.run(&games, &bases, |at| progress.update(at))?;
    progress.clear();
    interrupt::check()?;
    let label = games.name();
    let told = Printed {
        games: Opened {
            database: games,
            label,
        },
        bases: bases.iter().map(Database::name).collect(),
    };
    told.print(&found[..args.most.of(found.len())], args.format, out)?;
    out.finish()?;
    databases::warn_of_damaged(told.games.database.path(), report.damaged);
    if found.is_empty() && query != Query::All {
        output::summarize("no game that matches leaves the base");
    }
    Ok(Outcome::of_matches(!found.is_empty()))
}

/// What is printed of: the games, and the names of the bases.
struct Printed {
    games: Opened,
    bases: Vec<String>,
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

    fn base(&self, novelty: &Novelty) -> Option<&str> {
        let (base, _) = novelty.latest?;
        self.bases.get(base).map(String::as_str)
    }

    fn rows(&self, found: &[Novelty], take: &mut Take<'_>) -> anyhow::Result<()> {
        for novelty in found {
            interrupt::check()?;
            let header = Row::new(&self.games, Match::from(novelty.game), false)?.header;
            take(&[
                novelty.game.number().to_string(),
                header.white,
                header.black,
                header.date.to_string(),
                novelty.ply.to_string(),
                or_empty(self.san(novelty)?),
                novelty.before.to_string(),
                or_empty(novelty.latest.map(|(_, game)| game.number())),
                or_empty(self.base(novelty)),
            ])?;
        }
        Ok(())
    }

    fn records(&self, found: &[Novelty], mut records: Records<'_>) -> anyhow::Result<()> {
        for novelty in found {
            interrupt::check()?;
            let header = Row::new(&self.games, Match::from(novelty.game), false)?.header;
            let latest = novelty.latest.map(|(_, game)| game.number());
            let mut fields: Vec<(&str, Value)> = vec![
                ("game", novelty.game.number().into()),
                ("ply", novelty.ply.into()),
                ("move", self.san(novelty)?.into()),
                ("before", novelty.before.into()),
                ("latest", latest.into()),
                ("white", header.white.into()),
                ("black", header.black.into()),
                ("date", header.date.to_string().into()),
            ];
            if self.bases.len() > 1 {
                fields.push(("base", self.base(novelty).into()));
            }
            records.row(&fields)?;
        }
        Ok(())
    }
}
