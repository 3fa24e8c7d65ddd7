//! The function `matches(db, game, 'query')`, where it cannot become part of a scan.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use datafusion::{
    arrow::{
        array::{AsArray, BooleanArray},
        datatypes::{DataType, Int64Type},
    },
    error::{DataFusionError, Result},
    logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility},
};
use tabiya::{GameSet, Query, Search};

use crate::{base::Base, databases::Databases, errors::external, source::reads_no_files};

/// The name in SQL.
pub(crate) const NAME: &str = "matches";

/// Searches each database once for each query, and remembers the games.
#[derive(Debug)]
pub(crate) struct Matches {
    databases: Databases,
    signature: Signature,
    /// With the database as it was open then.
    found: Mutex<HashMap<Key, Found>>,
}

/// The names of a database and a query, and the number of a part.
type Key = (String, String, Option<u32>);

type Found = (Arc<Base>, Arc<GameSet>);

impl PartialEq for Matches {
    fn eq(&self, other: &Matches) -> bool {
        self.databases == other.databases
    }
}

impl Eq for Matches {}

impl std::hash::Hash for Matches {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        NAME.hash(state);
    }
}

impl Matches {
    /// Creates the function for some databases.
    pub(crate) fn new(databases: Databases) -> Matches {
        let takes = vec![DataType::Utf8View, DataType::Int64, DataType::Utf8View];
        Matches {
            databases,
            signature: Signature::exact(takes, Volatility::Stable),
            found: Mutex::default(),
        }
    }

    /// Returns the databases.
    pub(crate) fn databases(&self) -> &Databases {
        &self.databases
    }

    fn games(&self, base: Arc<Base>, text: &str) -> Result<Arc<GameSet>> {
        let key = (
            base.name().to_owned(),
            text.to_owned(),
            base.database().part(),
        );
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, games)) = found().get(&key)
            && Arc::ptr_eq(known, &base)
        {
            return Ok(Arc::clone(games));
        }
        let query: Query = text.parse().map_err(|fault| {
            DataFusionError::Execution(format!("{NAME}(..., '{text}'): {fault}"))
        })?;
        if let Databases::Listed(_) = self.databases {
            reads_no_files(&query)?;
        }
        let mut games = Vec::new();
        let sink = |hit: tabiya::Match| {
            games.push(hit.game);
            tabiya::Flow::Continue(())
        };
        let search = Search::new(&query).plies(false);
        search.for_each(base.database(), sink).map_err(external)?;
        let games: Arc<GameSet> = Arc::new(games.into_iter().collect());
        found().insert(key, (base, Arc::clone(&games)));
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
        let game = game.as_primitive::<Int64Type>();
        let mut last: Option<(&str, &str, Arc<Base>, Arc<GameSet>)> = None;
        let mut answer = Vec::with_capacity(game.len());
        for ((db, query), game) in db.iter().zip(query).zip(game) {
            let (Some(db), Some(query), Some(game)) = (db, query, game) else {
                answer.push(None);
                continue;
            };
            let number = u32::try_from(game).unwrap_or(0);
            let is_same = last.as_ref().is_some_and(|(one, other, base, _)| {
                (*one, *other) == (db, query) && base.database().game(number).is_ok()
            });
            if !is_same {
                last = match self.databases.base(db, number)? {
                    Some(base) => {
                        let games = self.games(Arc::clone(&base), query)?;
                        Some((db, query, base, games))
                    }
                    None => None,
                };
            }
            let matches = last.as_ref().is_some_and(|(.., base, games)| {
                let id = base.database().game(number);
                id.is_ok_and(|id| games.contains(id))
            });
            answer.push(Some(matches));
        }
        Ok(ColumnarValue::Array(Arc::new(BooleanArray::from(answer))))
    }
}
