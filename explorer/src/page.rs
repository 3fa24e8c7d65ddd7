//! The web page: its files, which are part of the program, and the men that it draws.
//!
//! Browsers keep the files and ask each time whether they are still the same. The page may load
//! nothing but what this server has, and no script but its own.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use axum::{
    Router,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{men, state::Explorer};

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const MANIFEST: &str = "application/manifest+json";

/// A file by the name under which the page asks for it.
macro_rules! file {
    ($address:literal, $type:ident, $name:literal) => {
        ($address, $type, include_str!(concat!("../page/", $name)))
    };
}

/// Address, type and text of each file.
const FILES: [(&str, &str, &str); 90] = [
    file!("/", HTML, "index.html"),
    file!("/page/annotate.css", STYLE, "annotate.css"),
    file!("/page/base.css", STYLE, "base.css"),
    file!("/page/board.css", STYLE, "board.css"),
    file!("/page/comfort.css", STYLE, "comfort.css"),
    file!("/page/engine.css", STYLE, "engine.css"),
    file!("/page/looks.css", STYLE, "looks.css"),
    file!("/page/panels.css", STYLE, "panels.css"),
    file!("/page/puzzle.css", STYLE, "puzzle.css"),
    file!("/page/tools.css", STYLE, "tools.css"),
    file!("/page/window.css", STYLE, "window.css"),
    file!("/page/work.css", STYLE, "work.css"),
    file!("/page/address.js", SCRIPT, "address.js"),
    file!("/page/analysis.js", SCRIPT, "analysis.js"),
    file!("/page/annotate.js", SCRIPT, "annotate.js"),
    file!("/page/annotation.js", SCRIPT, "annotation.js"),
    file!("/page/api.js", SCRIPT, "api.js"),
    file!("/page/asked.js", SCRIPT, "asked.js"),
    file!("/page/board.js", SCRIPT, "board.js"),
    file!("/page/charts.js", SCRIPT, "charts.js"),
    file!("/page/clauses.js", SCRIPT, "clauses.js"),
    file!("/page/combobox.js", SCRIPT, "combobox.js"),
    file!("/page/comment.js", SCRIPT, "comment.js"),
    file!("/page/complete.js", SCRIPT, "complete.js"),
    file!("/page/coordinates.js", SCRIPT, "coordinates.js"),
    file!("/page/curves.js", SCRIPT, "curves.js"),
    file!("/page/damage.js", SCRIPT, "damage.js"),
    file!("/page/databases.js", SCRIPT, "databases.js"),
    file!("/page/details.js", SCRIPT, "details.js"),
    file!("/page/dom.js", SCRIPT, "dom.js"),
    file!("/page/draft.js", SCRIPT, "draft.js"),
    file!("/page/drawing.js", SCRIPT, "drawing.js"),
    file!("/page/editor.js", SCRIPT, "editor.js"),
    file!("/page/editorboard.js", SCRIPT, "editorboard.js"),
    file!("/page/engine.js", SCRIPT, "engine.js"),
    file!("/page/engineline.js", SCRIPT, "engineline.js"),
    file!("/page/entering.js", SCRIPT, "entering.js"),
    file!("/page/evaluation.js", SCRIPT, "evaluation.js"),
    file!("/page/filter.js", SCRIPT, "filter.js"),
    file!("/page/folders.js", SCRIPT, "folders.js"),
    file!("/page/folds.js", SCRIPT, "folds.js"),
    file!("/page/form.js", SCRIPT, "form.js"),
    file!("/page/game.js", SCRIPT, "game.js"),
    file!("/page/games.js", SCRIPT, "games.js"),
    file!("/page/help.js", SCRIPT, "help.js"),
    file!("/page/installed.js", SCRIPT, "installed.js"),
    file!("/page/kept.js", SCRIPT, "kept.js"),
    file!("/page/keys.js", SCRIPT, "keys.js"),
    file!("/page/letters.js", SCRIPT, "letters.js"),
    file!("/page/lists.js", SCRIPT, "lists.js"),
    file!("/page/looks.js", SCRIPT, "looks.js"),
    file!("/page/main.js", SCRIPT, "main.js"),
    file!("/page/marks.js", SCRIPT, "marks.js"),
    file!("/page/medals.js", SCRIPT, "medals.js"),
    file!("/page/men.js", SCRIPT, "men.js"),
    file!("/page/mine.js", SCRIPT, "mine.js"),
    file!("/page/miniboard.js", SCRIPT, "miniboard.js"),
    file!("/page/moves.js", SCRIPT, "moves.js"),
    file!("/page/nags.js", SCRIPT, "nags.js"),
    file!("/page/novelty.js", SCRIPT, "novelty.js"),
    file!("/page/openings-de.js", SCRIPT, "openings-de.js"),
    file!("/page/openings.js", SCRIPT, "openings.js"),
    file!("/page/panels.js", SCRIPT, "panels.js"),
    file!("/page/paste.js", SCRIPT, "paste.js"),
    file!("/page/pattern.js", SCRIPT, "pattern.js"),
    file!("/page/pgn.js", SCRIPT, "pgn.js"),
    file!("/page/place.js", SCRIPT, "place.js"),
    file!("/page/plies.js", SCRIPT, "plies.js"),
    file!("/page/post.js", SCRIPT, "post.js"),
    file!("/page/preferences.js", SCRIPT, "preferences.js"),
    file!("/page/puzzle.js", SCRIPT, "puzzle.js"),
    file!("/page/question.js", SCRIPT, "question.js"),
    file!("/page/removal.js", SCRIPT, "removal.js"),
    file!("/page/repertoire.js", SCRIPT, "repertoire.js"),
    file!("/page/saveinto.js", SCRIPT, "saveinto.js"),
    file!("/page/saving.js", SCRIPT, "saving.js"),
    file!("/page/sets.js", SCRIPT, "sets.js"),
    file!("/page/settings.js", SCRIPT, "settings.js"),
    file!("/page/sheet.js", SCRIPT, "sheet.js"),
    file!("/page/similar.js", SCRIPT, "similar.js"),
    file!("/page/sorting.js", SCRIPT, "sorting.js"),
    file!("/page/sounds.js", SCRIPT, "sounds.js"),
    file!("/page/takehome.js", SCRIPT, "takehome.js"),
    file!("/page/theme.js", SCRIPT, "theme.js"),
    file!("/page/tools.js", SCRIPT, "tools.js"),
    file!("/page/tree.js", SCRIPT, "tree.js"),
    file!("/page/waiting.js", SCRIPT, "waiting.js"),
    file!("/page/words-de.js", SCRIPT, "words-de.js"),
    file!("/page/words.js", SCRIPT, "words.js"),
    file!("/page/work.js", SCRIPT, "work.js"),
];

/// What browsers are told about each file.
const RULES: [(HeaderName, &str); 4] = [
    (header::CACHE_CONTROL, "no-cache"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Returns the addresses of the page and of its files.
pub(crate) fn routes() -> Router<Arc<Explorer>> {
    let mut files: Vec<(String, &str, Cow<'static, str>)> = FILES
        .iter()
        .map(|&(address, kind, text)| (address.to_owned(), kind, text.into()))
        .collect();
    let pictures = men::pictures().into_iter().chain(men::icons());
    files.extend(pictures.map(|(address, text)| (address, PICTURE, text.into())));
    let manifest = include_str!("../installed/manifest.webmanifest");
    files.push((
        "/manifest.webmanifest".to_owned(),
        MANIFEST,
        manifest.into(),
    ));
    let worker = worker(&files);
    files.push(("/service-worker.js".to_owned(), SCRIPT, worker.into()));
    let mut router = Router::new();
    for (address, kind, text) in files {
        let file = get(async move |asked| answer(&asked, kind, &text));
        router = router.route(&address, file);
    }
    router
}

/// Writes the script that lets the browser keep the page's files: for other files it is another
/// one, with another name for what it keeps.
fn worker(files: &[(String, &str, Cow<'static, str>)]) -> String {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let addresses: Vec<&str> = files.iter().map(|(address, ..)| &**address).collect();
    format!(
        "const CACHE = \"tabiya-{}-{:016x}\";\nconst FILES = {};\n{}",
        env!("CARGO_PKG_VERSION"),
        hasher.finish(),
        serde_json::json!(addresses),
        include_str!("../installed/service-worker.js"),
    )
}

/// Answers with a file, or that the browser has it already.
fn answer(asked: &HeaderMap, kind: &'static str, text: &str) -> Response {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let known = asked.get(header::IF_NONE_MATCH);
    let is_known = known
        .and_then(|tags| tags.to_str().ok())
        .is_some_and(|tags| tags.contains(&tag));
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind)], text.to_owned()).into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in RULES {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
