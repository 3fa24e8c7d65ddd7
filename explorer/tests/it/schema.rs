//! As much of JSON Schema as the descriptions use.

use serde_json::Value;

/// Says where a value does not have the form that a schema asks for; nothing if it has.
pub(crate) fn faults(value: &Value, schema: &Value, root: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(value, schema, root, "", &mut faults);
    faults
}

fn check(value: &Value, schema: &Value, root: &Value, place: &str, faults: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#'));
        let target = target.unwrap_or_else(|| panic!("no {name}"));
        return check(value, target, root, place, faults);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = |schema| self::faults(value, schema, root).is_empty();
        if !choices.iter().any(fits) {
            faults.push(format!("{place}: none of the choices"));
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        faults.push(format!("{place}: {value} is not in the list"));
    }
    if !has_type(value, &schema["type"]) {
        faults.push(format!("{place}: {value} is no {}", schema["type"]));
    }
    if let Some(items) = value.as_array() {
        for (index, item) in items.iter().enumerate() {
            check(
                item,
                &schema["items"],
                root,
                &format!("{place}/{index}"),
                faults,
            );
        }
    }
    if value.is_object() {
        check_object(value, schema, root, place, faults);
    }
}

fn check_object(
    value: &Value,
    schema: &Value,
    root: &Value,
    place: &str,
    faults: &mut Vec<String>,
) {
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap_or_default()).is_none() {
            faults.push(format!("{place}: no {name}"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let known = &schema["properties"][name];
        let other = &schema["additionalProperties"];
        let place = format!("{place}/{name}");
        match (known.is_null(), other.as_bool()) {
            (false, _) => check(member, known, root, &place, faults),
            (true, Some(false)) => faults.push(format!("{place}: unknown")),
            (true, _) => check(member, other, root, &place, faults),
        }
    }
}

fn has_type(value: &Value, types: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    match types {
        Value::Null => true,
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    }
}

#[test]
fn a_wrong_form_is_seen() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "additionalProperties": false,
        "properties": { "a": { "type": ["integer", "null"] }, "b": { "enum": ["x"] } }
    });
    let count = |value: Value| faults(&value, &schema, &schema).len();
    assert_eq!(count(serde_json::json!({ "a": null, "b": "x" })), 0);
    assert_eq!(count(serde_json::json!({ "a": "1" })), 1);
    assert_eq!(count(serde_json::json!({ "b": "y" })), 2);
    assert_eq!(count(serde_json::json!({ "a": 1, "c": 1 })), 1);
    assert_eq!(count(serde_json::json!([])), 1);
}
