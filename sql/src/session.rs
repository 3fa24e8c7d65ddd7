//! SQL over databases.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use ballista_core::{
    extension::SessionConfigExt as _, optimizer::ballista_default_optimizer_rules,
};
use datafusion::{
    dataframe::DataFrame,
    error::Result,
    execution::{SessionStateBuilder, context::SessionContext},
    prelude::SessionConfig,
    sql::{
        parser::{DFParserBuilder, Statement},
        sqlparser::dialect::dialect_from_str,
    },
};

use crate::{
    base::Base, bases::Bases, cluster::ClusterPlanner, errors::plan_error, functions::Functions,
    of_games, provider::ChessTable, tables::Table,
};

/// Returns a configuration with which faults have their place in the text.
fn with_places(config: SessionConfig) -> SessionConfig {
    config.set_bool("datafusion.sql_parser.collect_spans", true)
}

/// A session of SQL with the [tables](Table) over some databases, and the
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

/// Keys of the smaller side of a join that are listed for the scans of the other at most.
const LISTED_KEYS: usize = 200_000;

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
        let mut config = SessionConfig::new().with_information_schema(true);
        let optimizer = &mut config.options_mut().optimizer;
        optimizer.enable_dynamic_filter_pushdown = pushdown;
        // Of keys with more than the game only a list can be read.
        optimizer.hash_join_inlist_pushdown_max_distinct_values = LISTED_KEYS;
        optimizer.hash_join_inlist_pushdown_max_size = usize::MAX;
        let context = SessionContext::new_with_config(with_places(config));
        Session::build(context, bases, pushdown)
    }

    /// Creates a session whose queries run on a cluster: that of the scheduler at `host:port`.
    /// If it has no executor, a query waits this long for one. Statements that read no chess
    /// database run here.
    ///
    /// # Errors
    /// Those of DataFusion. The scheduler is not asked before a query.
    pub fn on_cluster(bases: Vec<Arc<Base>>, address: &str, wait: Duration) -> Result<Session> {
        let state = SessionStateBuilder::new()
            .with_default_features()
            .with_config(with_places(SessionConfig::new_with_ballista()))
            .with_optimizer_rules(ballista_default_optimizer_rules())
            .with_query_planner(Arc::new(ClusterPlanner::new(address, wait)))
            .build();
        Session::build(SessionContext::new_with_state(state), bases, true)
    }

    fn build(context: SessionContext, bases: Vec<Arc<Base>>, pushdown: bool) -> Result<Session> {
        let context = context.enable_url_table();
        for table in Table::ALL {
            let provider = ChessTable::new(table, bases.clone()).pushdown(pushdown);
            context.register_table(table.name(), Arc::new(provider))?;
        }
        let bases = Arc::new(Bases::new(bases, pushdown));
        let functions = Functions {
            bases: Arc::clone(&bases),
        };
        context.register_relation_planner(Arc::new(functions))?;
        of_games::register(&context, &bases);
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
