//! Words about lines, counts, moves and evaluations give the recorded answers.

use tabiya::Strategy;

use crate::support::shared::{self, recorded};

#[test]
fn newer_words_give_the_recorded_answers() {
    let Some(answers) = recorded::answers("truth/words3-dev.json") else {
        return;
    };
    let mut asked = 0;
    for (name, file) in answers["files"].as_object().expect("files") {
        let file = file.as_str().expect("a path");
        // To play all games of the large one takes too long.
        let is_large = name == "kingbase";
        let (database, strategies) = if is_large {
            (shared::packed_database(file), &[Strategy::Auto][..])
        } else {
            let both = &[Strategy::Auto, Strategy::FullDecode][..];
            (shared::database(file), both)
        };
        let Some(database) = database else {
            return;
        };
        asked += recorded::are_given(&database, &answers[name], strategies);
    }
    assert!(asked > 200, "{asked}");
}
