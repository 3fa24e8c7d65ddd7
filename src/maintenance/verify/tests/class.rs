//! The documentation of the classes of damage.

use std::{fs, path::Path};

use tabiya_formats::damage::DamageClass;

#[test]
fn the_page_on_damage_has_the_table_of_all_classes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/damage.md");
    let page = fs::read_to_string(page).unwrap();
    for class in DamageClass::ALL {
        let row = format!("| {} | {} |", class.as_str(), class.meaning());
        assert!(page.contains(&row), "{row}");
    }
}
