//! Machine-readable rows that are not games.

use std::io::Write;

use csv::WriterBuilder;
use serde_json::Value;

use super::Object;

/// Prints rows as JSON objects, or as comma-separated values with a header line.
pub(crate) enum Records<'o> {
    /// Each field of a row becomes a field of its object.
    Jsonl(&'o mut dyn Write),
    /// A row has a value for each of these names, in this order; missing ones are empty.
    Csv(&'o mut dyn Write, &'static [&'static str]),
}

impl<'o> Records<'o> {
    /// Starts comma-separated values with the header line.
    pub(crate) fn csv(
        names: &'static [&'static str],
        out: &'o mut dyn Write,
    ) -> anyhow::Result<Records<'o>> {
        out.write_all(&line(names)?)?;
        Ok(Records::Csv(out, names))
    }

    /// Prints a row.
    pub(crate) fn row(&mut self, fields: &[(&str, Value)]) -> anyhow::Result<()> {
        match self {
            Records::Jsonl(out) => {
                let mut object = Object::begin(out)?;
                for (name, value) in fields {
                    object.field(name, value)?;
                }
                Ok(object.end()?)
            }
            Records::Csv(out, names) => {
                let value = |name: &&str| {
                    let field = fields.iter().find(|(known, _)| known == name);
                    field.map_or_else(String::new, |(_, value)| text(value))
                };
                let values: Vec<String> = names.iter().map(value).collect();
                Ok(out.write_all(&line(&values)?)?)
            }
        }
    }
}

/// Returns a value as text; empty if it is missing.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns a line of comma-separated values.
fn line(values: &[impl AsRef<[u8]>]) -> anyhow::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(values)?;
    Ok(writer.into_inner()?)
}
