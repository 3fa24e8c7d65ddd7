//! The functions of SQL that read a game by its `db` and `game`, together.

use std::{any::Any, sync::Arc};

use datafusion::{error::Result, execution::context::SessionContext, logical_expr::ScalarUDF};

use crate::{
    bases::Bases,
    databases::Databases,
    matches::{self, Matches},
    source::Origin,
    tag::{self, ShortTag, Tag},
};

/// Makes the functions known to a session.
pub(crate) fn register(context: &SessionContext, bases: &Arc<Bases>) {
    for name in [matches::NAME, tag::NAME] {
        let databases = Databases::Session(Arc::clone(bases));
        if let Some(function) = function(name, databases) {
            context.register_udf(function);
        }
    }
    context.add_analyzer_rule(Arc::new(ShortTag));
}

/// Returns the function with a name; `None` if it is none of these.
fn function(name: &str, databases: Databases) -> Option<ScalarUDF> {
    match name {
        matches::NAME => Some(ScalarUDF::new_from_impl(Matches::new(databases))),
        tag::NAME => Some(ScalarUDF::new_from_impl(Tag::new(databases))),
        _ => None,
    }
}

/// Returns the function with a name for some databases; `None` if it is none of these.
pub(crate) fn listed(
    name: &str,
    origins: impl FnOnce() -> Result<Vec<Origin>>,
) -> Option<Result<ScalarUDF>> {
    [matches::NAME, tag::NAME].contains(&name).then(|| {
        let databases = Databases::Listed(origins()?.into());
        let absent = || crate::errors::plan_error(name, &"there is no such function");
        function(name, databases).ok_or_else(absent)
    })
}

/// Returns the databases of a function; `None` if it is none of these.
pub(crate) fn origins(function: &ScalarUDF) -> Option<Vec<Origin>> {
    let inner: &dyn Any = function.inner().as_ref();
    let matches = inner.downcast_ref::<Matches>().map(Matches::databases);
    let databases = matches.or_else(|| inner.downcast_ref::<Tag>().map(Tag::databases));
    databases.map(Databases::origins)
}
