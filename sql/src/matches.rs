//! The function `matches(db, game, 'query')`, where it cannot become part of a scan.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use datafusion::{
    arrow::{
        array::{AsArray, BooleanArray},
        datatypes::{DataType, UInt32Type},
    },
    error::{DataFusionError, Result},
    logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility},
};
use tabiya::{GameId, GameSet, Progress, Query, Search};

use crate::{scan::external, session::Bases};

/// The name in SQL.
pub(crate) const NAME: &str = "matches";

/// Searches each database once for each query, and remembers the games.
#[derive(Debug)]
pub(crate) struct Matches {
    bases: Arc<Bases>,
    signature: Signature,
    found: Mutex<HashMap<(String, String), Arc<GameSet>>>,
}

impl PartialEq for Matches {
    fn eq(&self, other: &Matches) -> bool {
        Arc::ptr_eq(&self.bases, &other.bases)
    }
}

impl Eq for Matches {}

impl std::hash::Hash for Matches {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        NAME.hash(state);
    }
}

impl Matches {
    pub(crate) fn new(bases: Arc<Bases>) -> Matches {
        let takes = vec![DataType::Utf8View, DataType::UInt32, DataType::Utf8View];
        Matches {
            bases,
            signature: Signature::exact(takes, Volatility::Stable),
            found: Mutex::default(),
        }
    }

    fn games(&self, db: &str, text: &str) -> Result<Arc<GameSet>> {
        let key = (db.to_owned(), text.to_owned());
        if let Some(games) = self
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return Ok(Arc::clone(games));
        }
        let query: Query = text.parse().map_err(|fault| {
            DataFusionError::Execution(format!("{NAME}(..., '{text}'): {fault}"))
        })?;
        let base = self.bases.by_name(db)?;
        let mut games = Vec::new();
        let sink = |hit: tabiya::Match| {
            games.push(hit.game);
            tabiya::Flow::Continue(())
        };
        let search = Search::new(&query).plies(false);
        search
            .for_each(base.database(), sink, Progress::ignore)
            .map_err(external)?;
        let games: Arc<GameSet> = Arc::new(games.into_iter().collect());
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(key, Arc::clone(&games));
        Ok(games)
    }
}

impl ScalarUDFImpl for Matches {
    fn name(&self) -> &'static str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let [db, game, query] = columns.as_slice() else {
            return Err(DataFusionError::Internal(format!(
                "{NAME} takes three arguments"
            )));
        };
        let (db, query) = (db.as_string_view(), query.as_string_view());
        let game = game.as_primitive::<UInt32Type>();
        let mut last: Option<(&str, &str, Arc<GameSet>)> = None;
        let mut answer = Vec::with_capacity(game.len());
        for ((db, query), game) in db.iter().zip(query).zip(game) {
            let (Some(db), Some(query), Some(game)) = (db, query, game) else {
                answer.push(None);
                continue;
            };
            let games = match &last {
                Some((one, other, games)) if (*one, *other) == (db, query) => Arc::clone(games),
                _ => self.games(db, query)?,
            };
            let id = GameId::from_number(game);
            answer.push(Some(id.is_some_and(|id| games.contains(id))));
            last = Some((db, query, games));
        }
        Ok(ColumnarValue::Array(Arc::new(BooleanArray::from(answer))))
    }
}
