use super::*;

fn remark(comments: &[&str]) -> Remark {
    let mut remark = Remark::default();
    comments
        .iter()
        .for_each(|comment| remark.read(comment, Some(Color::Black)));
    remark
}

#[test]
fn commands_are_read_wherever_they_stand() {
    let told = remark(&[
        "good [%eval 0.35,20] [%clk 1:02:03.4]move",
        "[%emt 0:00:07]",
    ]);
    assert_eq!(told.clock, Some(Seconds(3_723_400)));
    assert_eq!(told.spent, Some(Seconds(7000)));
    assert_eq!(told.eval, Some(Evaluation(350)));
    for nothing in [
        "",
        "[%clk]",
        "[%clk 1:2:3:4]",
        "[%clk x]",
        "[%clk 1",
        "[%eval 1.x]",
    ] {
        assert_eq!(remark(&[nothing]), Remark::default(), "{nothing}");
    }
    for wrong in [
        "[%clk -1]",
        "[%clk 1.5:00]",
        "[%eval #]",
        "[%eval #1.5]",
        "[%eval 1.]",
    ] {
        assert_eq!(remark(&[wrong]), Remark::default(), "{wrong}");
    }
}

#[test]
fn a_clock_of_the_usual_form_is_read_as_any_other() {
    for text in [
        "0:00:00", "0:09:59", "9:59:59", "1:60:99", "1:a0:00", "1:0:000", ":0:0:0:",
    ] {
        assert_eq!(
            Seconds::of_clock(text),
            Seconds::of_clock(&format!("0{text}")),
            "{text}"
        );
    }
    assert_eq!(Seconds::of_clock("1:02:03"), Some(Seconds(3_723_000)));
}

#[test]
fn a_command_without_its_end_hides_those_after_it() {
    let clock = |comment| remark(&[comment]).clock;
    assert_eq!(clock("[%x [y] [%clk 0:05]"), Some(Seconds(5000)));
    assert_eq!(clock("[[%clk 0:05]"), Some(Seconds(5000)));
    assert_eq!(clock("[%clk [0:06] [%clk 0:05]"), Some(Seconds(5000)));
    assert_eq!(clock("[%x [%clk 0:05]"), None);
    assert_eq!(clock("[ %clk 0:05] [%"), None);
}

#[test]
fn the_first_readable_command_counts() {
    let told = remark(&["[%clk ?] [%clk 0:05]", "[%clk 9] [%eval #-2] [%eval 3]"]);
    assert_eq!(told.clock, Some(Seconds(5000)));
    assert_eq!(told.eval, Some(Evaluation::mate(false, 2)));
}

#[test]
fn evaluations_of_engine_matches_are_read() {
    for (comments, told) in [
        (&["+0.34/12 1.2s"][..], "-0.34"),
        (&["-M2/20 0.1s, Black is mated"], "#2"),
        (&["0.00/8"], "0"),
        (&["M5/30"], "#-5"),
        (&["d=30, sd=40, wv=2.50, R50=49"], "2.5"),
        (&["wv=-M2;"], "#-2"),
        (&["book", "+0.5/3 1s", "wv=1.5"], "1.5"),
        (&["wv=1.5 [%eval 0.7,20]"], "0.7"),
    ] {
        let told = Some(told.parse().unwrap());
        assert_eq!(remark(comments).eval, told, "{comments:?}");
    }
    for nothing in [
        "0.34",
        "a +0.34/12",
        "+0.34/d",
        "xwv=1",
        "wv=",
        "M/3",
        "1/2-1/2",
    ] {
        let is_told = remark(&[nothing]).eval.is_some();
        assert_eq!(is_told, nothing == "1/2-1/2", "{nothing}");
    }
}

#[test]
fn profiles_have_an_evaluation_for_each_half_move() {
    let profile = Profile::find("x [%evp 0,5,19,-20,32767,29999,-29998,5000] y").unwrap();
    let told: Vec<String> = profile
        .evaluations()
        .map(|(ply, evaluation)| format!("{ply}:{evaluation}"))
        .collect();
    assert_eq!(told, ["0:0.19", "1:-0.2", "3:#1", "4:#-1", "5:50"]);
    for none in ["[%evp 1]", "[%evp x,2,3]", "[%evp 1,2,3", ""] {
        assert_eq!(Profile::find(none), None, "{none}");
    }
}

#[test]
fn numbers_are_read_as_they_are_written() {
    for text in ["0", "30", "0.5", "59.999", "100000"] {
        assert_eq!(text.parse::<Seconds>().unwrap().to_string(), text);
    }
    for text in ["0", "-0.5", "2", "1.234", "#3", "#-2", "#0", "#-0"] {
        assert_eq!(text.parse::<Evaluation>().unwrap().to_string(), text);
    }
    for wrong in [
        "", ".", "-", "1.", "1.2345", "--1", "1e3", "#", "#x", "#--1", "1:30",
    ] {
        assert!(wrong.parse::<Evaluation>().is_err(), "{wrong}");
        assert!(wrong.parse::<Seconds>().is_err(), "{wrong}");
    }
    assert!("-1".parse::<Seconds>().is_err());
}

#[test]
fn mates_count_as_more_than_any_number_of_pawns() {
    let read = |text: &str| Evaluation::of_command(text).unwrap();
    let inorder = [
        "#-1",
        "#-2",
        "#-99999999999999999999",
        "-99999999999999999999",
        "-1.001",
        "-1",
        "0.001",
        "1",
        "99999999999999999999",
        "#99999999999999999999",
        "#2",
        "#1",
    ];
    let numbers = inorder.map(read);
    assert!(
        numbers.is_sorted_by(|one, other| one < other),
        "{numbers:?}"
    );
    assert_eq!(Seconds::of_clock("9999999:00:00"), Some(Seconds(i32::MAX)));
}
