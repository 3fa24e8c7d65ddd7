//! SQL over databases.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use ballista_core::{
    extension::SessionConfigExt as _, optimizer::ballista_default_optimizer_rules,
};
use datafusion::{
    dataframe::DataFrame,
    error::{DataFusionError, Result},
    execution::{SessionStateBuilder, context::SessionContext},
    logical_expr::ScalarUDF,
    prelude::SessionConfig,
    sql::{
        parser::{DFParserBuilder, Statement},
        sqlparser::dialect::dialect_from_str,
    },
};
use tabiya::Database;

use crate::{
    base::Base, cluster::ClusterPlanner, functions::Functions, matches::Matches,
    provider::ChessTable, scan::external, tables::Table,
};

/// The databases of a session: those it began with, and those that were named in SQL since.
#[derive(Debug)]
pub(crate) struct Bases {
    first: Vec<Arc<Base>>,
    open: Mutex<BTreeMap<PathBuf, Arc<Base>>>,
    pub(crate) pushdown: bool,
}

impl Bases {
    /// Returns databases by path, where `*` and `?` may stand for others; those that the session
    /// began with if there is no path.
    pub(crate) fn named(&self, paths: &[String]) -> Result<Vec<Arc<Base>>> {
        if paths.is_empty() {
            return Ok(self.first.clone());
        }
        let mut bases = Vec::new();
        for path in paths {
            if Path::new(path).exists() {
                bases.push(self.open(Path::new(path))?);
                continue;
            }
            let fault = |fault: &dyn std::fmt::Display| plan_error(path, fault);
            let found = glob::glob(path).map_err(|error| fault(&error))?;
            let mut found = found
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| fault(&error))?;
            found.sort_unstable();
            if found.is_empty() {
                return Err(fault(&"there is no such database"));
            }
            for path in &found {
                bases.push(self.open(path)?);
            }
        }
        Ok(bases)
    }

    fn open(&self, path: &Path) -> Result<Arc<Base>> {
        let key = path.canonicalize()?;
        let known = |base: &&Arc<Base>| {
            base.database()
                .path()
                .canonicalize()
                .is_ok_and(|path| path == key)
        };
        if let Some(base) = self.first.iter().find(known) {
            return Ok(Arc::clone(base));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // What another program has changed is opened again.
        if let Some(base) = open.remove(&key).filter(|base| base.is_current()) {
            open.insert(key, Arc::clone(&base));
            return Ok(base);
        }
        let mut base = Base::new(Database::open(path).map_err(external)?);
        let mut others = self.first.iter().chain(open.values());
        if others.any(|other| other.name() == base.name()) {
            base = base.named(path.display().to_string());
        }
        let base = Arc::new(base);
        open.insert(key, Arc::clone(&base));
        Ok(base)
    }

    /// Returns all of them.
    pub(crate) fn all(&self) -> Vec<Arc<Base>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.first.iter().chain(open.values()).cloned().collect()
    }
}

/// Returns a configuration with which faults have their place in the text.
fn with_places(config: SessionConfig) -> SessionConfig {
    config.set_bool("datafusion.sql_parser.collect_spans", true)
}

fn plan_error(what: &str, fault: &dyn std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{what}: {fault}"))
}

/// A session of SQL with the tables `games`, `moves` and `tags` over some databases, and the
/// functions that name others.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// use std::path::Path;
/// use tabiya_sql::{Base, Session};
///
/// let base = Base::open(Path::new("../fixtures/famous.si4")).unwrap();
/// let session = Session::new(vec![base])?;
/// let rows = session.sql("select count(*) from games where result = '1-0'").await?;
/// println!("{}", rows.to_string().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    context: SessionContext,
    bases: Arc<Bases>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("bases", &self.bases)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Creates a session.
    ///
    /// # Errors
    /// Those of DataFusion.
    pub fn new(bases: Vec<Arc<Base>>) -> Result<Session> {
        Session::with_pushdown(bases, true)
    }

    /// Creates a session whose conditions become part of scans or not. The rows are the same.
    ///
    /// # Errors
    /// Those of DataFusion.
    pub fn with_pushdown(bases: Vec<Arc<Base>>, pushdown: bool) -> Result<Session> {
        let config = SessionConfig::new().with_information_schema(true);
        let context = SessionContext::new_with_config(with_places(config));
        Session::build(context, bases, pushdown)
    }

    /// Creates a session whose queries run on a cluster: that of the scheduler at `host:port`.
    /// Statements that read no chess database run here.
    ///
    /// # Errors
    /// Those of DataFusion. The scheduler is not asked before a query.
    pub fn on_cluster(bases: Vec<Arc<Base>>, address: &str) -> Result<Session> {
        let state = SessionStateBuilder::new()
            .with_default_features()
            .with_config(with_places(SessionConfig::new_with_ballista()))
            .with_optimizer_rules(ballista_default_optimizer_rules())
            .with_query_planner(Arc::new(ClusterPlanner::new(address)))
            .build();
        Session::build(SessionContext::new_with_state(state), bases, true)
    }

    fn build(context: SessionContext, bases: Vec<Arc<Base>>, pushdown: bool) -> Result<Session> {
        let context = context.enable_url_table();
        for table in Table::ALL {
            let provider = ChessTable::new(table, bases.clone()).pushdown(pushdown);
            context.register_table(table.name(), Arc::new(provider))?;
        }
        let bases = Arc::new(Bases {
            first: bases,
            open: Mutex::default(),
            pushdown,
        });
        let functions = Functions {
            bases: Arc::clone(&bases),
        };
        context.register_relation_planner(Arc::new(functions))?;
        context.register_udf(ScalarUDF::new_from_impl(Matches::new(Arc::clone(&bases))));
        Ok(Session { context, bases })
    }

    /// Plans a statement.
    ///
    /// # Errors
    /// If the statement is invalid, or names databases that cannot be opened.
    pub async fn sql(&self, text: &str) -> Result<DataFrame> {
        self.context.sql(text).await
    }

    /// Divides text into statements at semicolons.
    ///
    /// # Errors
    /// If one of them is no SQL.
    pub fn statements(&self, text: &str) -> Result<VecDeque<Statement>> {
        let state = self.context.state();
        let options = &state.config_options().sql_parser;
        let name = options.dialect.to_string();
        let dialect = dialect_from_str(&name)
            .ok_or_else(|| plan_error(&name, &"there is no such dialect of SQL"))?;
        let parser = DFParserBuilder::new(text)
            .with_dialect(dialect.as_ref())
            .with_recursion_limit(options.recursion_limit.get());
        parser.build()?.parse_statements()
    }

    /// Plans one of the [`statements`](Session::statements) of a text.
    ///
    /// # Errors
    /// Those of [`sql`](Session::sql).
    pub async fn plan(&self, statement: Statement) -> Result<DataFrame> {
        let plan = self.context.state().statement_to_plan(statement).await?;
        self.context.execute_logical_plan(plan).await
    }

    /// Returns how many rows of databases were read until now.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.bases.all().iter().map(|base| base.rows_read()).sum()
    }

    /// Returns how many games were decoded until now because the index left them open.
    #[must_use]
    pub fn games_decoded(&self) -> u64 {
        let bases = self.bases.all();
        bases.iter().map(|base| base.games_decoded()).sum()
    }

    /// Returns how often games were met since the last call that are damaged.
    #[must_use]
    pub fn take_damaged(&self) -> u64 {
        self.bases
            .all()
            .iter()
            .map(|base| base.take_damaged())
            .sum()
    }
}
