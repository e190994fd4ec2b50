//! What every store must do, whatever database it keeps its rows in. A database joins by one line: `conformance!(open)`, where
//! `open` returns an empty store and whatever must live as long as it.

// Who has a turn under way.
pub mod claims;
// Archive, tags, trash.
pub mod filing;
// The event log, and that everything fits it.
pub mod log;
// Rewinds and forks.
pub mod minds;
// What was said, found again.
pub mod search;
// Begun, resumed, titled, listed, found, migrated, deleted.
pub mod sessions;
// All their parts or none.
pub mod turns;
// Handoffs, artifacts, costs, trust, tasks.
pub mod work;

macro_rules! conformance {
    ($open:expr) => {
        conformance!($open,
            sessions::a_new_session_is_at_turn_0_with_what_it_was_given,
            sessions::a_session_resumes_exactly_where_it_was,
            turns::a_turn_leaves_all_its_parts,
            turns::an_amendment_changes_the_state_and_not_the_turn,
            turns::a_commit_on_an_old_revision_is_refused_and_changes_nothing,
            turns::a_commit_on_a_turn_that_came_again_after_a_rewind_is_refused,
            turns::a_commit_with_parts_of_another_turn_is_refused,
            sessions::a_title_from_content_never_replaces_the_users,
            sessions::sessions_are_listed_by_change_and_filtered,
            sessions::a_session_is_found_by_the_beginning_of_its_id,
            sessions::what_is_not_there_is_not_found,
            minds::a_rewind_brings_back_state_engine_and_phase_of_any_turn,
            minds::rewound_turns_are_out_of_view_and_kept_until_erased,
            minds::what_the_last_rewind_took_can_be_put_back,
            minds::an_earlier_course_is_gone_back_to_whatever_it_stands_on,
            minds::an_earlier_course_can_be_copied_and_leaves_the_session_as_it_is,
            minds::turns_after_a_rewind_take_the_place_of_those_before,
            minds::a_turn_takes_the_place_of_those_after_another_in_one_step,
            minds::a_replacement_that_is_refused_takes_nothing_back,
            minds::a_fork_has_the_same_past_and_its_own_future,
            minds::a_fork_outlives_its_original,
            sessions::a_migrated_session_has_the_new_engine_and_keeps_the_old_one,
            search::search_finds_what_was_said_ranked_and_marked,
            search::search_for_a_word_that_everybody_says_ranks_the_newest,
            search::search_keeps_to_its_filters,
            search::search_does_not_find_what_was_rewound_or_deleted,
            search::no_text_makes_a_search_fail,
            work::handoffs_link_both_ways,
            work::a_handoff_is_taken_up_whole_or_not_at_all,
            work::a_handoff_is_taken_up_once,
            work::a_verification_is_kept_with_its_turn_or_not_at_all,
            turns::superseded_extractions_name_what_took_their_place,
            turns::entries_of_one_commit_take_each_others_place,
            minds::what_took_an_entrys_place_follows_rewinds_and_forks,
            claims::a_claim_is_refused_when_the_session_has_moved_on,
            claims::a_turn_a_replacement_and_a_release_end_a_claim,
            turns::checkpoints_come_back_whole,
            work::artifacts_are_found_by_rank_within_a_budget,
            work::costs_add_up_and_outlive_their_session,
            work::trust_is_remembered_by_content,
            work::tasks_are_kept_with_their_last_state,
            sessions::deleting_a_session_takes_everything_that_hangs_on_it,
            filing::sessions_are_archived_and_tagged_and_listed_so,
            filing::what_is_in_the_trash_is_found_nowhere_else_and_can_be_restored,
            filing::the_trash_is_emptied_on_request,
            filing::going_on_takes_a_session_out_of_archive_and_trash,
            filing::a_copy_has_the_tags_and_is_neither_archived_nor_thrown_away,
            filing::the_log_has_every_filing_and_no_tag,
            log::the_log_tells_what_happened_without_words,
            log::everything_together_verifies,
            turns::json_nested_too_deep_is_refused,
        );
    };
    ($open:expr, $($part:ident::$case:ident,)+) => {$(
        #[test]
        fn $case() {
            let (mut store, _keep) = $open;
            crate::store::conformance::$part::$case(&mut store);
        }
    )+};
}
