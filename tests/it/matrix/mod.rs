//! The fault matrix: what may be wrong with files and where they lie, for each format, and the
//! test that shows what then happens, or why there is none. A test reads this list.
//!
//! `to-si4` and the like are formats that are written; `sidecar` is read beside any database.
//!
//! ## cut: files end anywhere
//!
//! * puzzles positions json: `any_harm_to_lists_is_survived`
//! * cbf: `any_harm_to_a_set_of_chessbase_1_to_5_is_survived`
//!   `of_a_game_that_is_cut_short_the_first_moves_are_read`
//! * chessbase2: `any_harm_to_a_set_of_chessbase_2_is_survived`
//!   `damage_of_a_part_is_told_and_changes_nothing_else`
//! * scid3: `any_harm_to_a_scid_3_database_is_survived`
//! * scid4: `an_index_cut_anywhere_opens_or_is_refused`
//!   `a_games_file_cut_anywhere_loses_only_what_is_cut`
//!   `a_names_file_cut_anywhere_leaves_the_moves`
//! * scid5: `any_harm_to_a_scid_5_database_is_survived`
//! * chessbase: `a_set_that_is_cut_or_changed_in_any_byte_does_no_harm`
//!   `a_game_is_read_as_before_when_another_is_damaged`
//! * cbv: `any_harm_to_an_archive_of_chessbase_is_survived`
//!   `what_is_whole_in_an_archive_that_is_cut_short_unpacks`
//! * cbz: `no_truncation_and_no_changed_byte_panics`
//!   `a_password_deciphers_and_a_wrong_one_is_told`
//! * scdb scdb11: `any_harm_to_a_simple_chess_database_is_survived`
//! * jose jose-folder: `any_harm_to_tables_of_jose_is_survived`
//! * monty-policy monty-value: `any_bytes_open_or_are_refused`
//!   `a_file_that_ends_inside_a_game_keeps_the_games_before`
//! * stockfish: `any_harm_to_a_file_of_stockfish_is_survived`
//! * viriformat: `any_harm_to_a_file_in_viriformat_is_survived`
//! * pgn gz bz2 zst: `any_harm_to_a_text_plain_or_packed_is_survived`
//!   `damaged_compression_is_an_error_after_the_games_before_it`
//! * sidecar: `a_sidecar_that_is_cut_short_is_unused`
//!
//! ## changed: each byte has other values
//!
//! * puzzles json: `any_harm_to_lists_is_survived`
//!   `damage_to_one_item_of_a_list_costs_that_game`
//! * positions: `any_harm_to_lists_is_survived`
//! * cbf: `any_harm_to_a_set_of_chessbase_1_to_5_is_survived`
//!   `a_wrong_checksum_is_told_by_verifying_and_the_game_is_read`
//! * chessbase2: `any_harm_to_a_set_of_chessbase_2_is_survived`
//!   `damage_of_a_part_is_told_and_changes_nothing_else`
//! * scid3: `any_harm_to_a_scid_3_database_is_survived`
//!   `no_byte_of_a_record_of_scid_hides_moves`
//! * scid4: `any_byte_of_the_index_may_be_wrong` `any_byte_of_the_games_may_be_wrong`
//!   `any_byte_of_the_names_may_be_wrong`
//! * scid5: `any_harm_to_a_scid_5_database_is_survived`
//! * chessbase: `a_set_that_is_cut_or_changed_in_any_byte_does_no_harm`
//!   `a_game_is_read_as_before_when_another_is_damaged`
//! * cbv: `any_harm_to_an_archive_of_chessbase_is_survived`
//! * cbz: `no_truncation_and_no_changed_byte_panics`
//! * scdb scdb11: `any_harm_to_a_simple_chess_database_is_survived`
//!   `one_entry_without_sense_changes_no_layout`
//! * jose jose-folder: `any_harm_to_tables_of_jose_is_survived`
//!   `no_byte_that_lays_out_tables_of_jose_hides_moves`
//! * monty-policy monty-value: `any_bytes_open_or_are_refused`
//!   `a_damaged_game_among_the_first_costs_none_before_it`
//! * stockfish: `any_harm_to_a_file_of_stockfish_is_survived`
//!   `a_damaged_game_is_told_with_its_offset_and_those_behind_it_are_read`
//! * viriformat: `any_harm_to_a_file_in_viriformat_is_survived`
//!   `a_damaged_game_is_told_with_its_offset_and_its_first_moves_are_kept`
//! * pgn gz bz2 zst: `any_harm_to_a_text_plain_or_packed_is_survived`
//! * sidecar: `a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong`
//!   `a_damaged_sidecar_changes_no_answer`
//!
//! ## swapped: names or games are those of another database
//!
//! * puzzles positions json: none, there is one file
//! * cbf: `an_index_of_another_set_leads_to_games_or_damage`
//! * chessbase2: `names_of_another_set_of_chessbase_2_are_read_as_far_as_they_go`
//!   `records_of_chessbase_2_that_lead_into_others_cost_only_their_games`
//! * scid3 scid4 scid5 chessbase scdb scdb11 jose-folder:
//!   `names_of_another_database_are_read_as_far_as_they_go_and_moves_stay`
//!   `games_of_another_database_are_games_or_damage_and_headers_stay`
//! * sidecar: `a_sidecar_of_another_database_or_version_is_not_used`
//! * cbv cbz jose: none, all is in one file
//! * monty-policy monty-value stockfish viriformat pgn gz bz2 zst: none, there is one file
//!
//! ## missing: companions are not there
//!
//! * puzzles positions json: none, there is one file
//! * cbf: `games_are_found_without_an_index_but_not_without_their_file`
//! * chessbase2: `sets_of_chessbase_2_without_a_file_say_what_they_lack`
//! * scid3 scid4 scid5 scdb scdb11: `what_does_not_need_a_missing_file_is_answered_without_it`
//!   `a_companion_that_cannot_be_opened_is_not_called_missing`
//!   `nothing_but_an_ordinary_file_is_opened`
//! * chessbase: `what_does_not_need_a_missing_file_is_answered_without_it`
//!   `sets_that_lack_files_open_and_say_what_they_lack`
//! * jose-folder: `a_folder_of_jose_without_a_table_is_refused_by_the_name_of_its_file`
//! * cbv: `an_archive_that_miscounts_its_members_opens_with_those_there_are_or_not_at_all`
//! * cbz: none, deciphered it is read as cbv
//! * jose: `any_harm_to_tables_of_jose_is_survived`
//! * monty-policy monty-value stockfish viriformat pgn gz bz2 zst: none, there is one file
//! * sidecar: none, without one everything works
//!
//! ## counts: numbers of games, names or members are wrong
//!
//! * puzzles positions json: none, nothing is counted
//! * cbf: `of_an_index_that_miscounts_the_games_that_are_there_count`
//! * chessbase2: `damage_of_a_part_is_told_and_changes_nothing_else`
//! * scid3 scid4 chessbase:
//!   `of_games_that_are_miscounted_those_are_read_that_are_there_and_counted`
//!   `of_names_that_are_miscounted_none_is_made_up`
//! * cbv: `an_archive_that_miscounts_its_members_opens_with_those_there_are_or_not_at_all`
//! * cbz: none, deciphered it is read as cbv
//! * monty-policy monty-value: `any_bytes_open_or_are_refused`
//! * stockfish: `a_damaged_game_is_told_with_its_offset_and_those_behind_it_are_read`
//! * scid5 scdb scdb11: none, the lengths of the files count
//! * jose jose-folder: none, rows are not counted but found
//! * viriformat pgn gz bz2 zst: none, nothing is counted
//! * sidecar: `a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong`
//!
//! ## links: they lead in circles or nowhere
//!
//! * puzzles positions json: none, nothing is linked
//! * cbf: none, nothing is linked
//! * chessbase2: `damage_of_a_part_is_told_and_changes_nothing_else`
//! * chessbase cbv cbz: `name_trees_that_lead_in_circles_or_nowhere_hide_no_name`
//!   `names_are_found_although_their_tree_leads_in_circles`
//! * jose jose-folder:
//!   `rows_of_jose_that_go_on_nowhere_or_in_themselves_are_no_games_and_others_stay`
//! * scid3 scid4 scid5 scdb scdb11 monty-policy monty-value stockfish viriformat pgn gz bz2 zst:
//!   none, nothing is linked
//! * sidecar: `a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong`
//!
//! ## overlap: games lie on each other or in another order
//!
//! * puzzles positions json: none, games follow each other
//! * cbf: `games_that_lie_on_each_other_are_told_by_verifying`
//! * chessbase2: `records_of_chessbase_2_that_lead_into_others_cost_only_their_games`
//! * scid3 scid4 scid5 chessbase scdb scdb11:
//!   `two_records_of_the_same_bytes_are_the_same_game`
//!   `games_that_begin_inside_others_are_told_by_verifying_and_others_stay`
//!   `games_may_lie_in_any_order`
//! * cbv: `an_archive_whose_members_share_bytes_opens_and_counts_each`
//! * cbz: `members_that_share_their_bytes_count_each`
//! * jose jose-folder:
//!   `rows_of_jose_that_go_on_nowhere_or_in_themselves_are_no_games_and_others_stay`
//! * monty-policy monty-value stockfish viriformat pgn gz bz2 zst: none, games follow each other
//! * sidecar: `a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong`
//!
//! ## lengths: offsets and lengths are near the limits of their numbers
//!
//! * puzzles positions json: none, no lengths are stored
//! * cbf: `a_place_that_cannot_be_costs_its_own_game_only`
//!   `more_games_than_there_is_room_for_are_over_the_limit`
//! * chessbase2: `any_harm_to_a_set_of_chessbase_2_is_survived`
//!   `damage_of_a_part_is_told_and_changes_nothing_else`
//! * scid3 scid4 scid5 chessbase scdb scdb11:
//!   `a_game_beyond_the_end_is_damaged_and_found_by_its_header`
//!   `a_length_that_cannot_be_costs_its_own_game_only`
//! * cbv: `sizes_that_the_bytes_cannot_give_are_refused`
//! * cbz: none, deciphered it is read as cbv
//! * jose: `a_file_that_claims_too_much_is_refused_unread`
//! * jose-folder: `any_harm_to_tables_of_jose_is_survived`
//!   `rows_of_jose_that_go_on_nowhere_or_in_themselves_are_no_games_and_others_stay`
//! * monty-policy monty-value: `any_bytes_open_or_are_refused`
//! * stockfish: `lengths_of_blocks_that_cannot_be_cost_no_other_block`
//!   `the_search_behind_damaged_games_takes_a_bounded_time`
//! * viriformat: `opening_a_file_of_damage_takes_a_bounded_time`
//! * pgn gz bz2 zst: none, no lengths are stored, or they are not believed
//! * sidecar: `shapes_that_cannot_be_have_no_length`
//!   `a_changed_byte_makes_a_sidecar_unused_or_says_less_but_nothing_wrong`
//!
//! ## bomb: far more comes out than is there
//!
//! * puzzles positions json: `text_that_unpacks_to_more_than_the_limit_is_refused`
//! * cbf: none, nothing is packed
//! * chessbase2: none, nothing is packed
//! * cbv cbz: `an_archive_that_unpacks_to_far_too_much_is_refused_unread`
//! * jose: `an_archive_of_endless_empty_files_is_over_the_limit`
//!   `a_file_that_claims_too_much_is_refused_unread`
//! * gz bz2 zst: `text_that_unpacks_to_more_than_the_limit_is_refused`
//!   `more_unpacked_games_than_the_limit_are_refused`
//! * scid3 scid4: `names_that_expand_without_end_are_cut_off`
//! * scid5 chessbase scdb scdb11 jose-folder monty-policy monty-value stockfish viriformat pgn
//!   sidecar: none, nothing is packed
//!
//! ## deep: variations are ten thousand deep and deeper
//!
//! * json: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//! * puzzles positions: none, there are no variations
//! * cbf: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `variations_deeper_than_the_limit_are_damage`
//! * chessbase2: `variations_of_chessbase_2_are_followed_to_the_limit_and_no_deeper`
//! * scid3 scid4 scid5: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `a_deeper_game_in_a_file_of_scid_is_damaged_and_its_main_line_is_found`
//!   `variations_that_never_end_are_damage_in_bounded_depth`
//! * chessbase cbv cbz: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `branches_inside_each_other_are_followed_to_the_limit_and_no_deeper`
//! * scdb scdb11: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `a_deeper_game_of_a_simple_chess_database_is_damaged`
//! * jose jose-folder: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `a_deeper_stream_of_jose_is_damage`
//! * pgn gz bz2 zst: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//!   `of_a_deeper_game_what_is_not_too_deep_is_converted`
//! * sidecar to-sidecar: `a_game_of_the_greatest_depth_is_read_found_verified_and_converted`
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-pgn: `no_writer_takes_a_deeper_game`
//!   `of_a_deeper_game_what_is_not_too_deep_is_converted`
//! * monty-policy monty-value stockfish viriformat to-binpack to-vf: none, there are no variations
//!
//! ## comment: a comment is gigantic
//!
//! * json: `an_item_longer_than_the_limit_is_damaged_and_others_stay`
//! * puzzles positions: `an_item_longer_than_the_limit_is_damaged_and_others_stay`
//! * cbf: `a_long_comment_is_read_searched_and_converted`
//! * chessbase2: none, a comment is as long as its bytes are
//! * pgn gz: `of_a_comment_longer_than_a_game_may_be_other_games_are_told_and_converted`
//! * bz2 zst: `a_game_that_is_too_long_is_reported_and_skipped`
//! * jose jose-folder: `a_long_comment_of_jose_is_read_searched_and_converted`
//! * scid3 scid4 scid5 chessbase cbv cbz scdb scdb11:
//!   `a_long_comment_is_written_whole_or_its_game_is_over_a_limit`
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-pgn:
//!   `a_long_comment_is_written_whole_or_its_game_is_over_a_limit`
//!   `a_gigantic_comment_is_written_by_formats_without_a_limit_and_refused_by_the_others`
//! * monty-policy monty-value stockfish viriformat to-binpack to-vf: none, there are no comments
//! * sidecar to-sidecar: none, comments are not in it
//!
//! ## name: file names are no UTF-8
//!
//! * puzzles positions json:
//!   `databases_open_by_each_of_their_files_and_answer_whatever_they_are_called`
//! * cbf: `databases_open_by_each_of_their_files_and_answer_whatever_they_are_called`
//!   `a_set_opens_by_each_of_its_names`
//! * chessbase2: `databases_of_chessbase_2_open_by_each_of_their_files_whatever_they_are_called`
//! * scid3 scid4 scid5 chessbase cbv scdb scdb11 jose jose-folder monty-policy monty-value
//!   stockfish viriformat pgn gz bz2 zst:
//!   `databases_open_by_each_of_their_files_and_answer_whatever_they_are_called`
//!   `errors_name_files_as_well_as_text_can`
//!   `every_command_takes_files_whose_names_are_no_text`
//! * cbz: none, it is opened as cbv
//! * sidecar to-sidecar: `sidecars_are_made_and_used_whatever_their_database_is_called`
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-binpack to-vf to-pgn:
//!   `new_databases_are_written_and_replaced_whatever_they_are_called`
//!   `what_is_wrong_with_files_whose_names_are_no_text_is_told_by_their_names`
//!
//! ## readonly: nothing may be written in the folder
//!
//! * puzzles positions json cbf:
//!   `databases_are_read_searched_verified_and_converted_where_nothing_may_be_written`
//! * chessbase2: none, it is only read, as the others are
//! * scid3 scid4 scid5 chessbase cbv scdb scdb11 jose jose-folder monty-policy monty-value
//!   stockfish viriformat pgn gz bz2 zst:
//!   `databases_are_read_searched_verified_and_converted_where_nothing_may_be_written`
//! * cbz: none, it is opened as cbv
//! * sidecar: none, it is only read
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-binpack to-vf to-pgn:
//!   `in_a_folder_that_is_read_only_databases_are_searched_and_writing_says_what_is_wrong`
//!   `a_database_that_cannot_be_replaced_stays_at_whichever_step_that_fails`
//! * to-sidecar: `a_sidecar_that_cannot_be_replaced_stays_at_whichever_step_that_fails`
//!   `in_a_folder_that_is_read_only_databases_are_searched_and_writing_says_what_is_wrong`
//!
//! ## full: there is no room on the disk
//!
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-binpack to-vf to-pgn:
//!   `without_room_for_a_new_database_the_old_one_stays`
//!   `a_database_that_cannot_be_replaced_stays_at_whichever_step_that_fails`
//!   `of_a_new_database_that_cannot_be_written_nothing_is_left`
//! * to-sidecar: `without_room_for_a_new_sidecar_the_old_one_stays`
//!   `a_sidecar_that_cannot_be_replaced_stays_at_whichever_step_that_fails`
//!
//! ## kill: the program is killed while it writes
//!
//! * to-si4 to-si5 to-cbh to-2cbh to-dci to-binpack to-vf to-pgn:
//!   `a_kill_while_converting_loses_nothing`
//! * to-sidecar: `a_kill_while_making_or_refreshing_a_sidecar_loses_nothing`

mod base;
mod clauses;
mod comments;
mod companions;
mod counts;
mod damage;
mod depth;
mod file_names;
mod jose;
mod language;
mod listed;
mod places;
mod reading;
mod silence;
