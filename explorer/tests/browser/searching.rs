//! Filters, lists, databases, and addresses that keep all of it.

use crate::{
    server::fixture,
    tab::{Tab, on, with},
};

/// Returns how many games the list has.
fn games(tab: &Tab) -> u32 {
    let text = tab.text("#games-count");
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn a_query_leaves_fewer_games_and_an_empty_one_all_of_them() {
    on("/", |tab| {
        let all = games(tab);
        tab.write("#q", "player:morphy");
        tab.key("Enter");
        tab.wait("location.search === '?q=player:morphy'");
        tab.settle();
        let some = games(tab);
        assert!(0 < some && some < all, "{some} of {all}");
        assert_eq!(tab.text("#moves-foot .games"), some.to_string());
        let names = tab.texts("#games-body .players");
        assert!(
            names.iter().all(|name| name.contains("Morphy")),
            "{names:?}"
        );
        tab.click("#q-clear");
        tab.wait("location.search === ''");
        tab.settle();
        assert_eq!(games(tab), all);
    });
}

#[test]
fn what_is_typed_counts_without_enter_and_examples_are_switched_on_and_off() {
    on("/", |tab| {
        let all = games(tab);
        tab.write("#q", "date:1858");
        tab.wait("location.search === '?q=date:1858'");
        tab.click("#examples [data-query]");
        tab.wait("location.search === '?q=date:1858+result:1-0'");
        assert_eq!(tab.texts("#examples [aria-pressed=true]"), ["White won"]);
        tab.click("#examples [data-query]");
        tab.wait("location.search === '?q=date:1858'");
        tab.settle();
        assert!(games(tab) < all);
        // No example is a fault.
        let queries = "[...document.querySelectorAll('.chip[data-query]')]\
                       .map(chip => chip.dataset.query)";
        for query in tab.value(queries).as_array().expect("examples") {
            tab.write("#q", query.as_str().expect("a query"));
            tab.key("Enter");
            tab.wait(&format!(
                "new URLSearchParams(location.search).get('q') === {query}"
            ));
            assert_eq!(tab.text("#q-fault"), "");
        }
    });
}

#[test]
fn a_faulty_query_is_marked_at_its_place_and_the_suggestion_repairs_it() {
    on("/", |tab| {
        // Letters of several bytes stand before the fault.
        tab.write("#q", "event:\"Zürich ♞\" or elow>1000");
        tab.key("Enter");
        tab.wait("document.querySelector('#q-marks mark')");
        assert_eq!(tab.text("#q-marks mark"), "elow");
        assert_eq!(tab.text("#q-suggestion"), "elo");
        assert!(tab.text("#q-fault").contains("no field"));
        assert!(tab.is("document.querySelector('#q').ariaInvalid === 'true'"));
        // The mark lies under the letters that it is about.
        let under = "(() => { const mark = document.querySelector('#q-marks mark'); \
            const box = document.querySelector('#q'); \
            const letter = mark.getBoundingClientRect().width / 4; \
            const before = mark.getBoundingClientRect().x - box.getBoundingClientRect().x - 13; \
            return before / letter; })()";
        let column = tab.number(under);
        assert!((column - 20.0).abs() < 1.5, "{column}");
        assert_eq!(tab.address(), "/");
        tab.click("#q-suggestion");
        tab.wait("location.search.includes('elo%3E1000') || location.search.includes('elo>1000')");
        assert_eq!(tab.texts("#q-marks mark").len(), 0);
        assert_eq!(tab.text("#q-fault"), "");
    });
}

#[test]
fn nothing_found_is_told_with_the_way_out() {
    on("/?q=white:nobody", |tab| {
        assert!(
            tab.text("#moves-nothing")
                .contains("No game with this position matches")
        );
        assert!(tab.text("#games-nothing").contains("No game matches."));
        assert!(tab.is("document.querySelector('#moves-table').hidden"));
        tab.click("#moves-nothing button");
        tab.wait("location.search === ''");
        tab.wait("!document.querySelector('#moves-table').hidden");
    });
}

#[test]
fn what_was_probably_meant_is_asked_with_one_click() {
    on("/?q=year>1800+%22mate+in+one%22", |tab| {
        assert!(tab.text("#q-hints").contains("did you mean `can:mate`?"));
        tab.click("#q-hints button");
        tab.wait("new URLSearchParams(location.search).get('q') === 'year>1800 can:mate'");
        tab.wait("document.querySelector('#q-hints').hidden");
        tab.write("#q", "Castling year>1800");
        tab.key("Enter");
        tab.wait_for_text("#q-hints", "played:O-O-O");
        tab.click("#q-hints button");
        let asked = "(played:O-O or played:O-O-O) year>1800";
        tab.wait(&format!(
            "new URLSearchParams(location.search).get('q') === '{asked}'"
        ));
    });
}

#[test]
fn an_address_restores_everything_that_is_shown() {
    let address = "/?fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR+b+KQkq+-+0+1\
                   &play=e7e5,g1f3&q=result:1-0&variations=true&sort=date&flip=true";
    on(address, |tab| {
        let look = |tab: &Tab| {
            let parts = [
                "#moves-body",
                "#games-body",
                "#line",
                "#games-count",
                "#charts",
            ];
            let mut look = parts.map(|part| tab.text(part)).to_vec();
            for field in ["q", "sort", "fen"] {
                let value = tab.value(&format!("document.querySelector('#{field}').value"));
                look.push(value.to_string());
            }
            look.push(
                tab.value("document.querySelector('#variations').checked")
                    .to_string(),
            );
            look.push(
                tab.value("document.querySelector('.square').dataset.square")
                    .to_string(),
            );
            look
        };
        let before = look(tab);
        assert_eq!(before[5], "\"result:1-0\"");
        assert_eq!(before[8..], ["true", "\"h1\""]);
        assert!(before[2].contains("1…e5"), "{}", before[2]);
        tab.click("#games-body a");
        tab.wait("document.querySelector('#notation .ply')");
        tab.key("End");
        tab.settle();
        let (opened, end) = (tab.address(), tab.text("#notation [aria-current]"));
        tab.open(&opened);
        tab.wait("document.querySelector('#notation [aria-current]')");
        assert_eq!(tab.text("#notation [aria-current]"), end);
        tab.open(address);
        assert_eq!(look(tab), before);
    });
}

#[test]
fn games_are_sorted_and_leafed_through() {
    on("/", |tab| {
        tab.value(
            "(() => { const sort = document.querySelector('#sort'); sort.value = 'date'; \
                   sort.dispatchEvent(new Event('change')); })()",
        );
        tab.wait("location.search === '?sort=date'");
        tab.settle();
        let dates = tab.texts("#games-body .date");
        let years: Vec<&str> = dates.iter().filter_map(|date| date.get(..4)).collect();
        assert!(years.len() > 5 && years.is_sorted(), "{years:?}");
        let first = tab.texts("#games-body tr");
        assert_eq!(first.len(), 20);
        assert!(tab.is("document.querySelector('#page-back').disabled"));
        tab.click("#page-on");
        tab.wait("location.search === '?sort=date&page=2'");
        tab.settle();
        assert_ne!(tab.texts("#games-body tr"), first);
        tab.value("history.back()");
        tab.wait("location.search === '?sort=date'");
        tab.settle();
        assert_eq!(tab.texts("#games-body tr"), first);
    });
}

#[test]
fn the_game_behind_the_last_of_a_page_is_the_first_of_the_next() {
    on("/?sort=number", |tab| {
        tab.click("#games-body tr:last-child a");
        tab.wait("document.querySelector('#games-body tr:last-child.open')");
        tab.settle();
        tab.click("#game-after");
        tab.wait("location.search.includes('page=2')");
        tab.wait("document.querySelector('#games-body tr:first-child.open')");
        tab.settle();
        let names = tab.texts("#game-title .who").join("");
        let first = tab.texts("#games-body tr:first-child .who").join("");
        assert_eq!(names, first);
        tab.click("#game-before");
        tab.wait("document.querySelector('#games-body tr:last-child.open')");
        assert!(!tab.address().contains("page="), "{}", tab.address());
    });
}

#[test]
fn a_faulty_query_in_an_address_is_marked_and_told_once() {
    on("/?q=elow:2500", |tab| {
        tab.expect("400");
        tab.wait("document.querySelector('#q-marks mark')");
        tab.settle();
        assert_eq!(tab.text("#q-marks mark"), "elow");
        assert!(tab.is("document.querySelector('#trouble').hidden"));
        assert!(tab.is("document.querySelector('#moves').classList.contains('stale')"));
        tab.click("#q-suggestion");
        tab.wait("location.search === '?q=elo:2500'");
        tab.settle();
        assert!(tab.is("!document.querySelector('.stale')"));
    });
}

#[test]
fn what_is_typed_and_not_yet_right_stays_while_moves_are_played() {
    on("/?q=result:1-0", |tab| {
        tab.write("#q", "result:1-0 elow>1000");
        tab.wait("document.querySelector('#q-marks mark')");
        tab.play("e2", "e4");
        tab.wait_for_text("#line", "e4");
        tab.settle();
        assert_eq!(tab.address(), "/?play=e2e4&q=result:1-0");
        assert_eq!(tab.text("#q-marks mark"), "elow");
        tab.value("history.back()");
        tab.wait("location.search === '?q=result:1-0'");
        tab.write("#q", "result:0-1 ");
        tab.wait("location.search === '?q=result:0-1'");
        // The blank that begins the next word stays.
        assert_eq!(
            tab.value("document.querySelector('#q').value"),
            "result:0-1 "
        );
    });
}

#[test]
fn moves_are_sorted_by_every_column() {
    on("/", |tab| {
        let columns = tab.texts("#moves thead [data-column]").len();
        let mut orders = Vec::new();
        for column in 0..columns {
            tab.value(&format!(
                "document.querySelectorAll('#moves thead [data-column]')[{column}].click()"
            ));
            assert_eq!(tab.texts("#moves th:is([aria-sort$=ending])").len(), 1);
            orders.push(tab.texts("#moves-body .san"));
        }
        assert!(orders[0].is_sorted_by_key(|san| san.to_lowercase()));
        orders.dedup();
        assert!(orders.len() > 2);
    });
}

#[test]
fn databases_are_chosen_and_their_figures_add_up() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    with(databases, "/", |tab| {
        let both = games(tab);
        tab.click("#databases summary");
        tab.click("#databases-list input");
        tab.wait("location.search.startsWith('?db=')");
        tab.settle();
        assert_eq!(2 * games(tab), both);
        assert_eq!(tab.text("#moves-foot .games"), games(tab).to_string());
        tab.click("#databases-list input");
        tab.wait("location.search === ''");
        tab.settle();
        assert_eq!(tab.text("#moves-foot .games"), both.to_string());
    });
}

#[test]
fn charts_say_in_words_what_they_draw() {
    on("/", |tab| {
        let rows = tab.texts("#chart-years tbody tr");
        assert!(rows.len() > 5, "{rows:?}");
        let sum = "[...document.querySelectorAll('#chart-years tbody td')]\
                   .reduce((sum, cell) => sum + Number(cell.textContent), 0)";
        assert!(tab.number(sum) <= f64::from(games(tab)) && tab.number(sum) > 0.0);
        assert!(tab.is("document.querySelector('#chart-years svg').ariaLabel"));
        assert!(tab.texts("#chart-years .column").len() > 5);
    });
}
