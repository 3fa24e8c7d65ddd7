//! Words about attacks, pins, pawns and structures give the recorded answers.

use std::path::Path;

use tabiya::Strategy;

use crate::support::shared::{self, recorded};

#[test]
fn relations_give_the_recorded_answers() {
    let Some(answers) = recorded::answers("truth/relations-dev.json") else {
        return;
    };
    let both = [Strategy::Auto, Strategy::FullDecode];
    let mut asked = 0;
    for (name, file) in answers["files"].as_object().expect("files") {
        let file = Path::new("scid4").join(file.as_str().expect("a path"));
        let Some(database) = shared::database(&file.to_string_lossy()) else {
            return;
        };
        asked += recorded::are_given(&database, &answers[name], &both);
    }
    assert!(asked > 200, "{asked}");
}
