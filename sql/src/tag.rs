//! The function `tag(db, game, 'NAME')`: the value of any PGN tag of a game, as the table `tags`
//! has it; and its short form `tag('NAME')` for rows that have one `db` and one `game`.

use std::sync::Arc;

use datafusion::{
    arrow::{
        array::{AsArray, StringViewBuilder},
        datatypes::{DataType, Int64Type},
    },
    common::{
        DFSchema,
        config::ConfigOptions,
        tree_node::{Transformed, TreeNode as _},
    },
    error::{DataFusionError, Result},
    logical_expr::{
        ColumnarValue, Expr, ExprSchemable as _, LogicalPlan, ScalarFunctionArgs, ScalarUDFImpl,
        Signature, TypeSignature, Volatility, expr_rewriter::NamePreserver, utils::merge_schema,
    },
    optimizer::AnalyzerRule,
};

use crate::{base::Base, databases::Databases, errors::external, tables::tag_value};

/// The name in SQL.
pub(crate) const NAME: &str = "tag";

/// Reads the tags of games.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    databases: Databases,
    signature: Signature,
}

impl std::hash::Hash for Tag {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        NAME.hash(state);
    }
}

impl Tag {
    /// Creates the function for some databases.
    pub(crate) fn new(databases: Databases) -> Tag {
        let long = [DataType::Utf8View, DataType::Int64, DataType::Utf8View];
        let forms = vec![
            TypeSignature::Exact(long.to_vec()),
            TypeSignature::Exact(vec![DataType::Utf8View]),
        ];
        Tag {
            databases,
            signature: Signature::one_of(forms, Volatility::Stable),
        }
    }

    /// Returns the databases.
    pub(crate) fn databases(&self) -> &Databases {
        &self.databases
    }
}

impl ScalarUDFImpl for Tag {
    fn name(&self) -> &'static str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let [db, game, name] = columns.as_slice() else {
            return Err(no_columns("there is no game here"));
        };
        let (db, name) = (db.as_string_view(), name.as_string_view());
        let game = game.as_primitive::<Int64Type>();
        let mut last: Option<(&str, Arc<Base>)> = None;
        let mut values = StringViewBuilder::with_capacity(game.len());
        for ((db, name), game) in db.iter().zip(name).zip(game) {
            let (Some(db), Some(name), Some(game)) = (db, name, game) else {
                values.append_null();
                continue;
            };
            let number = u32::try_from(game).unwrap_or(0);
            let is_same = last
                .as_ref()
                .is_some_and(|(known, base)| *known == db && base.database().game(number).is_ok());
            if !is_same {
                last = self.databases.base(db, number)?.map(|base| (db, base));
            }
            let value = match &last {
                Some((_, base)) => {
                    let id = base.database().game(number).map_err(external)?;
                    tag_value(base, id, name).map_err(external)?
                }
                None => None,
            };
            values.append_option(value);
        }
        Ok(ColumnarValue::Array(Arc::new(values.finish())))
    }
}

/// Returns the error for a short form that cannot be completed.
fn no_columns(why: &str) -> DataFusionError {
    let message = format!("{NAME}('NAME'): {why}; write {NAME}(db, game, 'NAME')");
    DataFusionError::Plan(message)
}

/// Completes `tag('NAME')` by the columns `db` and `game` of the rows that it stands beside.
#[derive(Debug)]
pub(crate) struct ShortTag;

impl AnalyzerRule for ShortTag {
    fn name(&self) -> &str {
        "short_tag"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|plan| {
            let mut schema = merge_schema(&plan.inputs());
            if let LogicalPlan::TableScan(scan) = &plan {
                schema.merge(&scan.projected_schema);
            }
            let names = NamePreserver::new(&plan);
            plan.map_expressions(|expr| {
                let name = names.save(&expr);
                let expr = expr.transform_up(|expr| completed(expr, &schema))?;
                Ok(expr.update_data(|expr| name.restore(expr)))
            })?
            .map_data(LogicalPlan::recompute_schema)
        })?;
        Ok(plan.data)
    }
}

/// Completes an expression if it is the short form.
fn completed(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::ScalarFunction(call) = &mut expr else {
        return Ok(Transformed::no(expr));
    };
    if call.name() != NAME || call.args.len() != 1 {
        return Ok(Transformed::no(expr));
    }
    let column = |name: &str, kind: DataType| {
        let found = <[_; 1]>::try_from(schema.columns_with_unqualified_name(name));
        let [column] = found.map_err(|found| {
            let count = if found.is_empty() {
                "no"
            } else {
                "more than one"
            };
            no_columns(&format!("{count} column {name} here"))
        })?;
        Expr::Column(column).cast_to(&kind, schema)
    };
    let (db, game) = (
        column("db", DataType::Utf8View)?,
        column("game", DataType::Int64)?,
    );
    call.args.splice(0..0, [db, game]);
    Ok(Transformed::yes(expr))
}
