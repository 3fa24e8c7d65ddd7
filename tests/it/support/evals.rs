//! Evaluations in comments, in all forms in which programs write them, and what they say of moves.

use shakmaty::Color;
use tabiya::query::{Judgement, QualityField};

use super::{
    game::{Event, PlainGame},
    remark::{Eval, decimal, eval},
    walk::Node,
};

/// The evaluation before a first move where none is stored, in thousandths of pawns.
const AT_START: i64 = 150;

/// Reads the evaluation that the comments of a move tell. `mover` made the move.
pub(crate) fn told(comments: &[&str], mover: Color) -> Option<Eval> {
    let first = |form: &dyn Fn(&str) -> Option<Eval>| {
        let mut comments = comments.iter();
        comments.find_map(|comment| form(comment))
    };
    first(&of_command)
        .or_else(|| first(&of_tournament))
        .or_else(|| first(&|text| of_program(text, mover)))
}

/// `[%eval 2.5]`, `[%eval #-3,15]`
fn of_command(comment: &str) -> Option<Eval> {
    let commands = comment.match_indices("[%eval ");
    let mut values = commands.filter_map(|(at, name)| {
        let value = comment[at + name.len()..].split_once(']')?.0;
        eval(value.split([',', '/']).next()?.trim())
    });
    values.next()
}

/// `wv=2.50`, `wv=-M2`
fn of_tournament(comment: &str) -> Option<Eval> {
    let mut values = comment.match_indices("wv=").filter_map(|(at, name)| {
        let is_end = |letter: char| letter.is_whitespace() || ",/;".contains(letter);
        pawns_or_mate(comment[at + name.len()..].split(is_end).next()?)
    });
    values.next()
}

/// `+0.34/12 1.2s`, `-M2/20`
fn of_program(comment: &str, mover: Color) -> Option<Eval> {
    let (value, depth) = comment.trim_start().split_once('/')?;
    if !depth.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let (mate, much) = pawns_or_mate(value)?;
    match mover {
        Color::White => Some((mate, much)),
        Color::Black => Some((-mate, -much)),
    }
}

fn pawns_or_mate(text: &str) -> Option<Eval> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let size = text.strip_prefix(['-', '+']).unwrap_or(text);
    match size.strip_prefix('M') {
        Some(moves) if moves.contains('.') => None,
        Some(moves) => Some((sign, -sign * decimal(moves)?)),
        None => Some((0, sign * decimal(size)?)),
    }
}

/// The numbers of `[%evp a,b,v,...]`, by ply of the main line.
fn profile(game: &PlainGame) -> Vec<(usize, Eval)> {
    let before_moves = game.events.iter().take_while(|event| match event {
        Event::Nag(_) | Event::Comment(_) => true,
        Event::Play(_) | Event::Begin | Event::End => false,
    });
    let command = before_moves.filter_map(|event| match event {
        Event::Comment(text) => Some(text.split_once("[%evp ")?.1.split_once(']')?.0),
        _ => None,
    });
    let Some(command) = command.last() else {
        return Vec::new();
    };
    let numbers = command.split(',').map(|number| number.trim().parse());
    let Ok(numbers) = numbers.collect::<Result<Vec<i64>, _>>() else {
        return Vec::new();
    };
    let [first, _, values @ ..] = &numbers[..] else {
        return Vec::new();
    };
    let plies = values.iter().zip(*first as usize..);
    let known = plies.filter(|(value, _)| **value != 32767);
    known
        .map(|(&value, ply)| match value {
            -29000..=29000 => (ply, (0, 10 * value)),
            _ => {
                let half_moves = 30000 - value.abs();
                let moves = (half_moves + 1) / 2;
                let sign = value.signum();
                (ply, (sign, -sign * 1000 * moves))
            }
        })
        .collect()
}

/// Adds the numbers that stand before the first move, where nothing else is told.
pub(crate) fn add_profile(game: &PlainGame, nodes: &mut [Node]) {
    for (ply, eval) in profile(game) {
        let mut nodes = nodes.iter_mut();
        let at_ply = |node: &&mut Node| node.in_main_line && node.place.ply as usize == ply;
        if let Some(node) = nodes.find(at_ply) {
            let remark = &mut node.place.remark;
            let told = match ply {
                0 => &mut remark.at_start,
                _ => &mut remark.eval,
            };
            *told = told.or(Some(eval));
        }
    }
}

/// The evaluations before and after the move to a node, if there are both, and who made it.
fn around(nodes: &[Node], node: usize) -> Option<(Eval, Eval, Color)> {
    let before = &nodes[nodes[node].parent?];
    let told = match before.parent {
        Some(_) => before.place.remark.eval?,
        None => before.place.remark.at_start.unwrap_or((0, AT_START)),
    };
    Some((told, nodes[node].place.remark.eval?, before.place.turn))
}

/// The same for who made the move.
fn of_mover((mate, much): Eval, mover: Color) -> Eval {
    match mover {
        Color::White => (mate, much),
        Color::Black => (-mate, -much),
    }
}

/// Thousandths of pawns, a mate as so many.
fn pawns((mate, much): Eval, of_mate: i64) -> i64 {
    match mate {
        0 => much,
        sign => sign * of_mate,
    }
}

/// Chances to win, from -1 to 1.
fn chances(thousandths: i64) -> f64 {
    let centipawns = thousandths as f64 / 10.0;
    2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0
}

/// Adds to all positions what the evaluations say of the last move.
pub(crate) fn add_judgements(nodes: &mut [Node]) {
    for node in 0..nodes.len() {
        let Some((before, after, mover)) = around(nodes, node) else {
            continue;
        };
        let (before, after) = (of_mover(before, mover), of_mover(after, mover));
        let place = &mut nodes[node].place;
        place.swing = Some(pawns(after, 1_000_000) - pawns(before, 1_000_000));
        place.judgement = judgement(before, after);
    }
}

/// As Lichess judges, the mover's view.
fn judgement(before: Eval, after: Eval) -> Option<Judgement> {
    let by_pawns = |thousandths: i64| match thousandths {
        9991.. => Judgement::Inaccuracy,
        7001.. => Judgement::Mistake,
        _ => Judgement::Blunder,
    };
    match (before, after) {
        ((0, before), (0, after)) => {
            let lost = chances(before) - chances(after);
            match lost {
                0.3.. => Some(Judgement::Blunder),
                0.2.. => Some(Judgement::Mistake),
                0.1.. => Some(Judgement::Inaccuracy),
                _ => None,
            }
        }
        ((0, before), (-1, _)) => Some(by_pawns(-before)),
        ((1, _), (0, after)) => Some(by_pawns(after)),
        ((1, _), (-1, _)) => Some(Judgement::Blunder),
        _ => None,
    }
}

/// How well one side played in the main line.
pub(crate) fn quality(field: QualityField, nodes: &[Node]) -> Option<f64> {
    let main: Vec<usize> = (0..nodes.len())
        .filter(|&node| nodes[node].in_main_line)
        .collect();
    match field {
        QualityField::Loss(color) => mean_loss(nodes, &main, color),
        QualityField::Accuracy(color) => accuracy(nodes, &main, color),
        other => panic!("nobody evaluates {other:?}"),
    }
}

fn cut(eval: Eval) -> i64 {
    pawns(eval, 10_000).clamp(-10_000, 10_000)
}

fn mean_loss(nodes: &[Node], main: &[usize], color: Color) -> Option<f64> {
    let moves = main.iter().filter_map(|&node| around(nodes, node));
    let own = moves.filter(|(.., mover)| *mover == color);
    let losses: Vec<f64> = own
        .map(|(before, after, mover)| {
            let (before, after) = (of_mover(before, mover), of_mover(after, mover));
            (cut(before) - cut(after)).max(0) as f64 / 10.0
        })
        .collect();
    (!losses.is_empty()).then(|| mean(&losses))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn accuracy(nodes: &[Node], main: &[usize], color: Color) -> Option<f64> {
    let mut moves = &main[1..];
    if let [others @ .., last] = moves
        && nodes[*last].place.mate
        && nodes[*last].place.remark.eval.is_none()
    {
        moves = others;
    }
    let evals = moves.iter().map(|&node| nodes[node].place.remark.eval);
    let evals: Vec<Eval> = evals.collect::<Option<_>>()?;
    let n = evals.len();
    if n < 2 {
        return None;
    }
    let mut percents = vec![50.0 + 50.0 * chances(AT_START)];
    percents.extend(evals.iter().map(|&eval| 50.0 + 50.0 * chances(cut(eval))));
    let size = (n / 10).clamp(2, 8);
    let mut windows: Vec<&[f64]> = vec![&percents[..size]; size - 2];
    windows.extend(percents.windows(size));
    let mut scores = Vec::new();
    for index in 0..n {
        let mover = nodes[main[index]].place.turn;
        if mover != color {
            continue;
        }
        let (before, after) = (percents[index], percents[index + 1]);
        let fall = match mover {
            Color::White => before - after,
            Color::Black => after - before,
        };
        let score = if fall <= 0.0 {
            100.0
        } else {
            let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * fall).exp();
            (raw - 3.166_924_740_191_411 + 1.0).clamp(0.0, 100.0)
        };
        scores.push((deviation(windows[index]).clamp(0.5, 12.0), score));
    }
    if scores.is_empty() {
        return None;
    }
    let weights: f64 = scores.iter().map(|(weight, _)| weight).sum();
    let weighted = scores.iter().map(|(weight, score)| weight * score);
    let weighted = weighted.sum::<f64>() / weights;
    let inverse: f64 = scores.iter().map(|(_, score)| 1.0 / score.max(1.0)).sum();
    let harmonic = scores.len() as f64 / inverse;
    Some((weighted + harmonic) / 2.0)
}

fn deviation(numbers: &[f64]) -> f64 {
    let middle = mean(numbers);
    let squares: Vec<f64> = numbers
        .iter()
        .map(|number| (number - middle).powi(2))
        .collect();
    mean(&squares).sqrt()
}
