//! `search`: the games that match a query.

use std::{
    cell::{Cell, RefCell},
    ffi::OsString,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use tabiya::{ConvertOptions, Database, Flow, GameId, Match, Query, Report, Similar, SimilarGame};

use super::{
    args::SearchArgs,
    convert,
    databases::{self, Opened, Source},
    explain,
    failure::{Outcome, Usage},
    hits::{self, Hits},
    interrupt, like,
    output::{self, Output},
    positions,
    progress::Progress,
    query,
    render::{self, Render, SearchFormat},
    running,
    sort::Order,
    targets, written,
};

/// Number of printed games between two checks for an interrupt.
const GAMES_PER_LOOK: u64 = 1024;

pub(crate) fn run(args: SearchArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    check_columns(&args)?;
    args.content.refuse_without(args.output.as_ref())?;
    let (paths, words) = databases::split(&args.query)?;
    let query = query::read_with(words, &args.query)?;
    if let Some(target) = target_of_stream(&args) {
        return write(&args, &query, &paths, target);
    }
    let positions = args.positions.as_deref().map(positions::read).transpose()?;
    let mut options = databases::options().clone();
    // These play all games, whatever the query asks for.
    if positions.is_none() && args.like.is_none() {
        options = options.for_query(&query);
    }
    let sources = databases::open_all(&paths, &options)?;
    let whole = || {
        sources
            .iter()
            .map(Source::require_one)
            .collect::<Result<Vec<_>, _>>()
    };
    if args.explain {
        whole()?;
    }
    interrupt::watch();
    let job = Job {
        args: &args,
        query: &query,
        sources: &sources,
    };
    let mut totals = Totals::default();
    if let Some(target) = &args.output {
        return job.write_in_order(target, &mut totals);
    }
    if let Some(positions) = positions {
        let positions = positions.query(&query);
        let reports = positions::run(positions, &args, &sources, out)?;
        totals.printed = reports.iter().map(|report| report.matched).sum();
        totals.reports = reports;
    } else if args.count {
        job.count(out, &mut totals)?;
    } else if let Some(similar) = like::similar(&args, &query)? {
        job.similar(&similar, out, &mut totals)?;
    } else if args.sort.is_empty() {
        job.stream(out, &mut totals)?;
    } else {
        job.sorted(out, &mut totals)?;
    }
    out.finish()?;
    job.warn_of_damage(&totals);
    if args.explain {
        for (opened, report) in whole()?.into_iter().zip(&totals.reports) {
            let rows = args
                .run
                .search(&query)
                .on_progress(|_| interrupt::flow())
                .explain_clauses(&opened.database)?;
            output::complain(explain::text(&rows, report, None)?.trim_end());
        }
    }
    if !output::is_quiet() {
        output::summarize(&totals.summary(started));
        let found = totals.sum(|report| report.matched) > 0;
        running::advise(&query, found, databases::whole(&sources))?;
    }
    interrupt::check()?;
    Ok(Outcome::of_matches(totals.printed > 0))
}

/// Writes the games that match into a new database.
fn write(
    args: &SearchArgs,
    query: &Query,
    paths: &[OsString],
    target: &Path,
) -> anyhow::Result<Outcome> {
    let sources: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let options = ConvertOptions::from(targets::overwrite(args.force))
        .search(args.run.search(query))
        .limit(args.most.limit.unwrap_or(u64::MAX));
    let options = args.content.apply(options);
    let written = convert::write(&sources, target, args.force, true, options)?;
    Ok(written::outcome_of_search(&written))
}

/// Returns the new database if games are written as they are found.
fn target_of_stream(args: &SearchArgs) -> Option<&Path> {
    let is_streamed = args.sort.is_empty() && args.like.is_none() && args.offset == 0;
    args.output.as_deref().filter(|_| is_streamed)
}

/// Rejects column options for formats without columns.
fn check_columns(args: &SearchArgs) -> Result<(), Usage> {
    match args.columns.given() {
        Some(option) if !matches!(args.format, SearchFormat::Csv | SearchFormat::Jsonl) => {
            let message = format!("{option} is for --format csv and --format jsonl");
            Err(Usage(message))
        }
        _ => Ok(()),
    }
}

/// Games with similar positions, each with the number of its database.
type Alike = Vec<(usize, SimilarGame)>;

/// The inputs of a run, which do not change.
struct Job<'a> {
    args: &'a SearchArgs,
    query: &'a Query,
    sources: &'a [Source],
}

/// Totals over all databases.
#[derive(Default)]
struct Totals {
    /// By database, as far as searched.
    reports: Vec<Report>,
    /// Number of games printed, or counted.
    printed: u64,
}

impl Totals {
    fn sum(&self, count: impl Fn(&Report) -> u64) -> u64 {
        self.reports.iter().map(count).sum()
    }

    /// Returns the summary line.
    fn summary(&self, started: Instant) -> String {
        let stopped = self.reports.iter().any(|report| report.stopped_early);
        format!(
            "{}, {} undecided, {} decoded, {} matched{}, {:.3} s",
            output::games(self.sum(|report| report.games)),
            self.sum(|report| report.possible - report.certain),
            self.sum(|report| report.decoded),
            self.sum(|report| report.matched),
            if stopped { " (stopped early)" } else { "" },
            started.elapsed().as_secs_f64(),
        )
    }
}

/// The part of the matches to print: skips some, then takes some.
struct Page {
    skip: u64,
    take: u64,
}

impl Page {
    fn of(args: &SearchArgs) -> Page {
        Page {
            skip: args.offset,
            take: args.most.limit.unwrap_or(u64::MAX),
        }
    }

    /// Returns how many more matches are needed.
    fn wanted(&self) -> u64 {
        match self.take {
            0 => 0,
            take => take.saturating_add(self.skip),
        }
    }

    /// Returns whether to print the next match.
    fn next(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.take = self.take.saturating_sub(1);
        true
    }

    /// Returns how many of the next `count` matches to print.
    fn next_many(&mut self, count: u64) -> u64 {
        let skipped = self.skip.min(count);
        let taken = self.take.min(count - skipped);
        self.skip -= skipped;
        self.take -= taken;
        taken
    }
}

impl Job<'_> {
    fn several(&self) -> bool {
        self.sources.len() > 1
    }

    /// Counts in a database: in all parts at the same time if they are open and all matches count.
    fn count_in(&self, source: &Source, page: &mut Page) -> anyhow::Result<(u64, Report)> {
        let search = self.args.run.search(self.query);
        let mut progress = Progress::new("games");
        let (mut count, mut report) = (0, Report::default());
        if let Ok(parts @ [_, _, ..]) = source.opened()
            && page.wanted() == u64::MAX
        {
            let parts: Vec<&Database> = parts.iter().map(|part| &part.database).collect();
            let counting = search.on_progress(|at| progress.update(at));
            for part in counting.count_each(&parts)? {
                report.add(part);
            }
            return Ok((page.next_many(report.matched), report));
        }
        for opened in source.parts() {
            let limited = search.clone().limit(page.wanted());
            let counting = limited.on_progress(|at| progress.update(at));
            let part = counting.count(&opened?.database)?;
            interrupt::check()?;
            count += page.next_many(part.matched);
            report.add(part);
            if page.wanted() == 0 {
                break;
            }
        }
        Ok((count, report))
    }

    fn renderer<'o>(&self, out: &'o mut Output) -> Box<dyn Render + 'o> {
        let has_places = self.args.like.is_some() || self.query.asks_for_positions();
        let columns = self.args.columns.chosen();
        render::renderer(self.args.format, self.several(), has_places, columns, out)
    }

    /// Prints the number of games that match.
    fn count(&self, out: &mut Output, totals: &mut Totals) -> anyhow::Result<()> {
        let mut page = Page::of(self.args);
        for source in self.sources {
            let (count, report) = self.count_in(source, &mut page)?;
            // A partial count is not printed.
            interrupt::check()?;
            totals.printed += count;
            totals.reports.push(report);
            if self.several() {
                writeln!(out, "{}:{count}", source.label())?
            } else {
                writeln!(out, "{count}")?
            }
        }
        Ok(())
    }

    /// Prints matches as they are found.
    fn stream(&self, out: &mut Output, totals: &mut Totals) -> anyhow::Result<()> {
        let at_terminal = out.is_terminal();
        let format = self.args.format;
        let renderer = RefCell::new(self.renderer(out));
        let mut progress = Progress::new("games");
        let mut page = Page::of(self.args);
        for source in self.sources {
            let mut report = Report::default();
            for opened in source.parts() {
                if page.wanted() == 0 || interrupt::requested() {
                    break;
                }
                let opened = opened?;
                let failed = Cell::new(None);
                let note = |result: anyhow::Result<()>| match result {
                    Ok(()) => Flow::Continue(()),
                    Err(error) => {
                        failed.set(Some(error));
                        Flow::Break(())
                    }
                };
                let wanted = page.wanted();
                let sink = |hit| {
                    if !page.next() {
                        return Flow::Continue(());
                    }
                    totals.printed += 1;
                    if totals.printed.is_multiple_of(GAMES_PER_LOOK) && interrupt::requested() {
                        return Flow::Break(());
                    }
                    note(renderer.borrow_mut().game(&opened, hit))
                };
                let look = |at| {
                    if at_terminal {
                        let flush = || renderer.borrow_mut().flush();
                        note(progress.aside(flush))?;
                    }
                    progress.update(at)
                };
                let search = self.args.run.search(self.query);
                let search = search.plies(render::prints_plies(format)).limit(wanted);
                report.add(search.on_progress(look).for_each(&opened.database, sink)?);
                if let Some(error) = failed.take() {
                    return Err(error);
                }
                if source.opened().is_err() {
                    // Matches that wait to be printed would keep this part in memory.
                    renderer.borrow_mut().flush()?;
                }
            }
            totals.reports.push(report);
        }
        progress.clear();
        renderer.into_inner().finish()
    }

    /// Finds all matches, which are to be sorted.
    fn all(&self, totals: &mut Totals) -> anyhow::Result<(Vec<Arc<Opened>>, Hits)> {
        let search = self.args.run.search(self.query);
        let search = search.plies(render::prints_plies(self.args.format));
        hits::all(self.sources, Some(&search), &mut totals.reports)
    }

    /// Returns the range of the sorted matches, given their number, that is printed.
    fn range(&self, all: usize) -> (usize, usize) {
        let skip = usize::try_from(self.args.offset).unwrap_or(usize::MAX);
        (skip, self.args.most.of(all))
    }

    /// Writes the matches into a new database, sorted.
    fn write_in_order(&self, target: &Path, totals: &mut Totals) -> anyhow::Result<Outcome> {
        let started = Instant::now();
        let paths = self.sources.iter().map(|source| source.path().to_owned());
        targets::check(&paths.collect::<Vec<_>>(), target, self.args.force)?;
        let (databases, similar, hits);
        let games: Vec<(&Database, GameId)> = match like::similar(self.args, self.query)? {
            Some(wanted) => {
                (databases, similar) = self.most_similar(&wanted, totals)?;
                let game = |(number, game): &(usize, SimilarGame)| {
                    (&databases[*number].database, game.game)
                };
                similar.iter().map(game).collect()
            }
            None => {
                (databases, hits) = self.all(totals)?;
                let order = Order::new(&hits, &self.args.sort, &databases)?;
                let (skip, take) = self.range(order.places().count());
                hits.games(order.places().skip(skip).take(take), &databases)
            }
        };
        let options = ConvertOptions::from(targets::overwrite(self.args.force));
        let options = self.args.content.apply(options);
        let mut progress = Progress::new("games");
        let written = tabiya::convert_games(&games, target, options, |at| progress.update(at));
        progress.clear();
        let written = written::tell(written, target, false, started)?;
        self.warn_of_damage(totals);
        Ok(written::outcome_of_search(&written))
    }

    /// Finds all matches, then prints them sorted.
    fn sorted(&self, out: &mut Output, totals: &mut Totals) -> anyhow::Result<()> {
        let (databases, hits) = self.all(totals)?;
        let order = Order::new(&hits, &self.args.sort, &databases)?;
        let mut renderer = self.renderer(out);
        let (skip, take) = self.range(order.places().count());
        for place in order.places().skip(skip).take(take) {
            if totals.printed.is_multiple_of(GAMES_PER_LOOK) && interrupt::requested() {
                break;
            }
            let opened = &databases[hits.database(place)];
            renderer.game(opened, hits.hit(place))?;
            totals.printed += 1;
        }
        renderer.finish()
    }

    /// Prints the games with the most similar positions.
    fn similar(
        &self,
        similar: &Similar,
        out: &mut Output,
        totals: &mut Totals,
    ) -> anyhow::Result<()> {
        let (databases, games) = self.most_similar(similar, totals)?;
        let mut renderer = self.renderer(out);
        for (number, game) in games {
            renderer.game(&databases[number], Match::from(game))?;
            totals.printed += 1;
        }
        renderer.finish()
    }

    /// Finds the games with the most similar positions, each with the number of its database.
    fn most_similar(
        &self,
        similar: &Similar,
        totals: &mut Totals,
    ) -> anyhow::Result<(Vec<Arc<Opened>>, Alike)> {
        /// Number of games unless the user says another.
        const LIMIT: u64 = 50;
        let databases = databases::require_whole(self.sources)?;
        let databases: Vec<_> = databases.into_iter().cloned().collect();
        let usual = if self.args.like.is_some() {
            LIMIT
        } else {
            u64::MAX
        };
        let limit = self.args.most.limit.unwrap_or(usual);
        let similar = similar
            .clone()
            .variations(self.args.run.variations)
            .limit(limit.saturating_add(self.args.offset));
        let mut progress = Progress::new("games");
        let (mut games, mut number) = (Vec::new(), 0);
        for source in self.sources {
            let mut report = Report::default();
            for opened in source.opened()? {
                let (found, of_part) = similar
                    .on_progress(|at| progress.update(at))
                    .run(&opened.database)?;
                interrupt::check()?;
                games.extend(found.into_iter().map(|game| (number, game)));
                report.add(of_part);
                number += 1;
            }
            totals.reports.push(report);
        }
        progress.clear();
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let games = like::merged(games)
            .into_iter()
            .skip(count(self.args.offset));
        Ok((databases, games.take(count(limit)).collect()))
    }

    /// Warns about results that are incomplete because of damage.
    fn warn_of_damage(&self, totals: &Totals) {
        for (source, report) in self.sources.iter().zip(&totals.reports) {
            databases::warn_of_search(source.path(), report);
            let is_counting = self.args.count || self.args.positions.is_some();
            let prints_names = !is_counting && render::prints_names(self.args.format);
            if prints_names && totals.printed > 0 {
                for opened in source.opened().unwrap_or_default() {
                    databases::warn_of_names(&opened.database);
                }
            }
        }
    }
}
