//! `/api/tree`: what was played in a position, over any query.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{Diagram, Query, Tree, TreeOrder, TreeSearch};

use super::{json, to_json};
use crate::{
    answers::Part,
    book::BookAnswer,
    errors::Fault,
    filters::Filter,
    limits::Ask,
    params::{Params, PositionParam},
    registry::{self, DatabaseRef},
    state::Explorer,
};

/// The trees of the databases that were asked, one after the other.
#[derive(Debug, Serialize)]
struct Answer<'b> {
    /// The position, with the rights that it was asked with.
    fen: String,
    trees: Vec<OneTree>,
    /// What the opening book has; null without one.
    book: Option<BookAnswer<'b>>,
}

#[derive(Debug, Serialize)]
struct OneTree {
    db: String,
    /// Games that are left out because they are damaged.
    damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    harmed: u64,
    #[serde(flatten)]
    tree: Tree,
}

/// What a tree is asked.
struct TreeRequest {
    place: PositionParam,
    query: Query,
    variations: bool,
    order: TreeOrder,
    /// The games that match the query and have the position; `None` if all do that have it.
    filter: Option<Filter>,
}

impl TreeRequest {
    fn new(params: &Params) -> Result<TreeRequest, Fault> {
        let order = match params.text("sort") {
            None | Some("games") => TreeOrder::Games,
            Some("score") => TreeOrder::Score,
            Some("rating") => TreeOrder::Rating,
            Some("name") => TreeOrder::Name,
            Some(_) => {
                let message = "none of games, score, rating, name";
                return Err(Fault::parameter("sort", message));
            }
        };
        let (place, query) = (params.place()?, params.query()?);
        let variations = params.flag("variations")?;
        let both = || Query::all_of([place.tree().to_query(), query.clone()]);
        let filter = (query != Query::All).then(|| Filter::new(both(), variations));
        Ok(TreeRequest {
            filter,
            place,
            query,
            variations,
            order,
        })
    }

    fn key(&self, held: &[DatabaseRef]) -> String {
        let TreeRequest {
            place,
            query,
            variations,
            order,
            filter: _,
        } = self;
        // The FEN in the answer has counters.
        let fen = Diagram::new(&place.0).fen();
        let databases = registry::key(held);
        format!("tree {databases} {fen} {variations} {order:?} {query}")
    }

    /// Finds the games, unless the answer is kept.
    async fn ask(&mut self, explorer: &Arc<Explorer>, databases: &[String]) -> Result<(), Fault> {
        let key = self.key(&explorer.held(databases)?);
        match &mut self.filter {
            Some(filter) if explorer.answers.get(&key).is_none() => {
                filter.ask(explorer, databases).await
            }
            _ => Ok(()),
        }
    }

    fn trees(
        &self,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Vec<OneTree>, Fault> {
        let filter = self.filter.as_ref();
        let answer = filter.map(|filter| filter.games(explorer, held, ask));
        let answer = answer.transpose()?;
        let tree = |(place, held): (usize, &DatabaseRef)| {
            let part = answer.as_ref().map(|answer| &answer.parts[place]);
            self.tree(held, part, ask)
        };
        let mut trees: Vec<OneTree> = Vec::new();
        for (place, held) in held.iter().enumerate() {
            let more = tree((place, held))?;
            match trees.last_mut() {
                // Of the same database another part.
                Some(last) if last.db == more.db => last.add(more),
                _ => trees.push(more),
            }
        }
        Ok(trees)
    }

    fn tree(&self, held: &DatabaseRef, part: Option<&Part>, ask: &Ask) -> Result<OneTree, Fault> {
        let position = self.place.tree();
        let mut search = TreeSearch::new(&position).order(self.order);
        if let Some(part) = part {
            search = search.among(&part.games);
        }
        let tree = search.on_progress(|_| ask.flow()).run(held)?;
        let (damaged, harmed) = part.map_or((0, 0), |part| (part.damaged, part.harmed));
        let mut one = OneTree::new(held.name.to_string(), tree);
        one.damaged += damaged;
        one.harmed += harmed;
        held.opened.met_damaged(one.damaged, one.harmed);
        Ok(one)
    }
}

pub(super) async fn tree(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let mut asked = TreeRequest::new(&params)?;
    let databases = params.databases();
    asked.ask(&explorer, &databases).await?;
    let found = explorer.search(databases, move |explorer, held, ask| {
        explorer.kept(asked.key(held), || {
            let trees = asked.trees(explorer, held, ask)?;
            let fen = Diagram::new(&asked.place.0).fen();
            let book = explorer.book.as_ref();
            let book = book.map(|book| book.answer(&asked.place.tree()));
            to_json(&Answer { fen, trees, book })
        })
    });
    Ok(json(found.await?))
}

impl OneTree {
    fn new(db: String, tree: Tree) -> OneTree {
        OneTree {
            db,
            damaged: tree.report().damaged,
            harmed: tree.report().harmed,
            tree,
        }
    }

    fn add(&mut self, more: OneTree) {
        self.damaged += more.damaged;
        self.harmed += more.harmed;
        self.tree.add(more.tree);
    }
}
