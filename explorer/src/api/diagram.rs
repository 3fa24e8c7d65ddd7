//! `/api/diagram`: a position as a picture.

use axum::{
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use shakmaty::{Color, EnPassantMode, Position, uci::UciMove};
use tabiya::Diagram;

use crate::{errors::Fault, params::Params};

/// Characters of a title.
const TITLE_MAX: usize = 200;
/// A picture that is opened on its own loads nothing and runs nothing.
const HEAD: [(HeaderName, &str); 3] = [
    (header::CONTENT_TYPE, "image/svg+xml"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

pub(super) async fn diagram(params: Params) -> Result<Response, Fault> {
    let mut played = None;
    let position = params.position(|_, last| played = Some(last))?;
    let setup = position.to_setup(EnPassantMode::Legal);
    let side = match params.text("side") {
        None | Some("white") => Color::White,
        Some("black") => Color::Black,
        Some(_) => return Err(Fault::parameter("side", "neither `white` nor `black`")),
    };
    let told = params.value::<UciMove>("last")?;
    let squares = match told {
        Some(UciMove::Normal { from, to, .. }) => Some((from, to)),
        Some(_) => None,
        None => played.and_then(|played| Some((played.from()?, played.to()))),
    };
    let title = params.text("title").unwrap_or_default().chars();
    // The other control characters are none of XML.
    let title: String = title.filter(|c| !c.is_control()).take(TITLE_MAX).collect();
    let mut drawn = Diagram::new(&setup).last_move(squares).seen_by(side);
    if !title.is_empty() {
        drawn = drawn.title(&title);
    }
    Ok((HEAD, drawn.svg()).into_response())
}
