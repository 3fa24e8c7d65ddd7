//! Figures with one decimal, as text and as values.

use serde_json::Value;

/// Returns thousandths as a percentage.
pub(crate) fn percent(permille: u32) -> String {
    format!("{}.{}%", permille / 10, permille % 10)
}

/// Returns thousandths as a percentage, a number.
pub(crate) fn percent_value(permille: u32) -> Value {
    Value::from(f64::from(permille) / 10.0)
}

/// Returns a mean with one decimal; null if there is none.
pub(crate) fn tenths(mean: Option<f64>) -> Value {
    Value::from(mean.map(|mean| (mean * 10.0).round() / 10.0))
}
