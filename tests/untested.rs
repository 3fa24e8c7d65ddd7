//! Says what the other tests could not do here, where it is not lost among their names.

#[path = "it/support/shared/folder.rs"]
mod folder;

#[test]
fn real_databases_are_there_or_their_absence_is_told() {
    folder::found(folder::FOLDER.clone(), "data");
}
