//! Pictures of men: the set of the library's diagrams, and others made of the same outlines.

use tabiya::{
    piece_svg,
    shakmaty::{Color, Piece, Role},
};

/// A set of men: what is in its addresses, and how a man of an outline is drawn.
type Set = (&'static str, fn(Color, &str) -> String);

const SETS: [Set; 2] = [("bold/", bold), ("wood/", wood)];

/// Units that a man's square has on each side.
const SQUARE: &str = "0 0 45 45";

/// Returns address and picture of each man of each set.
pub(crate) fn pictures() -> Vec<(String, String)> {
    let mut pictures = Vec::new();
    for color in Color::ALL {
        for role in Role::ALL {
            let svg = piece_svg(Piece { color, role });
            let name = format!("{}{}.svg", color.fold_wb('w', 'b'), role.upper_char());
            for (folder, draw) in SETS {
                let picture = draw(color, outline(&svg));
                pictures.push((format!("/pieces/{folder}{name}"), picture));
            }
            pictures.push((format!("/pieces/{name}"), svg));
        }
    }
    pictures
}

/// Returns address and picture of each icon of the installed page: a knight on a round ground, and
/// one on a ground that systems cut into shapes of their own, with room for that around the knight.
pub(crate) fn icons() -> [(String, String); 2] {
    let knight = piece_svg(Piece {
        color: Color::White,
        role: Role::Knight,
    });
    let outline = outline(&knight);
    let icon = |radius: u8, place: &str| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{SQUARE}\" width=\"512\" \
             height=\"512\"><rect width=\"45\" height=\"45\" rx=\"{radius}\" fill=\"#0a665d\"/>\
             <path transform=\"{place}\" fill=\"#fff\" stroke=\"#10312d\" stroke-width=\"1.2\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"{outline}\"/></svg>\n"
        )
    };
    [
        ("/icons/knight.svg".to_owned(), icon(10, "translate(0 1)")),
        (
            "/icons/maskable.svg".to_owned(),
            icon(0, "translate(4.8 5.4) scale(.78)"),
        ),
    ]
}

/// Returns the outline of a man that the library has drawn.
fn outline(svg: &str) -> &str {
    let rest = svg.split_once(" d=\"").map_or("", |(_, rest)| rest);
    rest.split('"').next().unwrap_or_default()
}

/// How an outline is drawn once: its filling, its line, the line's width, and its place.
type Layer = (&'static str, &'static str, &'static str, &'static str);

/// Draws a man with strong lines, in black and white.
fn bold(color: Color, outline: &str) -> String {
    let layers: &[Layer] = match color {
        Color::White => &[("#fff", "#000", "2.4", "0 0")],
        // Inside the edge there is a white line, which dark squares do not swallow.
        Color::Black => &[
            ("#000", "#000", "3.6", "0 0"),
            ("#000", "#fff", "1.2", "0 0"),
        ],
    };
    drawn(layers, outline)
}

/// Draws a man of light or dark wood, with a shadow.
fn wood(color: Color, outline: &str) -> String {
    let layers: &[Layer] = match color {
        Color::White => &[
            ("#8a6236", "#8a6236", "1.4", "1 1.1"),
            ("#f8e6c4", "#5a3715", "1.1", "0 0"),
        ],
        Color::Black => &[
            ("#220d05", "#220d05", "1.4", "1 1.1"),
            ("#64301b", "#f0d2aa", "1", "0 0"),
        ],
    };
    drawn(layers, outline)
}

/// Draws an outline in layers, the lowest one first.
fn drawn(layers: &[Layer], outline: &str) -> String {
    let paths: String = layers
        .iter()
        .map(|(fill, line, width, place)| {
            format!(
                "<path fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\" \
                 transform=\"translate({place})\" d=\"{outline}\"/>"
            )
        })
        .collect();
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{SQUARE}\">{paths}</svg>\n")
}
