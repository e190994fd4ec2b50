//! The keys of everything that the program says, by area. A key that is declared here stands in every file of
//! `languages/`, with the same names in it.

use std::fmt::Display;

use super::declare::areas;
use super::text::{Count, Text};
use crate::decode::{Problems, table};

areas! {
    /// The keys at the bottom: one or two words each, since they stand in one row.
    footer: Footer {
        send; newline; commands; sidebar; inspector; help; next_pane; previous; next; copy; edit; find; on; put_away;
        to_file; evidence; fold; correct; defer; clear; start_with_that; another_engine; open; sessions; search; quit;
        engines; restore; archive; erase; all_sessions; trash; take_out; throw_away; put_into_archive; tag; narrow;
        close; stop; leave; keep; choose; its_models; change; next_choice; take_setting_out; look_again; yes; no;
        hand_over; change_or_add; decline; later; all_right; set_aside; forget; answers; next_answer; completes; try_model;
    }

    /// The first screen.
    picker: Picker {
        minutes(minutes); no_engine; looking; start; start_with_that; none_of_them; nothing_archived; nothing_trashed;
        none_yet; go_on_with; archive; trash; to_sessions_and_trash(left, right, trashed); to_archive(left, archived);
        to_archive_and_trash(right, archived, trashed); days_left[days]; copy_short(turn); copy_of(turn, of);
        copy_of_none(turn); turns[turns]; opening(what, time); offline; answers(label);
    }

    /// The header, and the lines above the composer.
    status: Status {
        tokens(count); seconds(seconds); minutes(minutes, seconds); hours(hours, minutes); goes_on; cancels;
        found(words, at, count); more_rows(sign, below); changing; ready(percentage); needs_you(sign, waiting);
        over_budget; offline;
    }

    /// Where one writes.
    composer: Composer {
        changing; normal; cancels; write_here; paste_lines(number, lines); paste_characters(number, characters);
        no_room(most); keep_beginning(size, most); keep_detail(fitting); bytes(count); too_long(size, most); cleared;
        leave_again; unanswered;
    }

    /// The card of answers under the composer.
    card: CardWords {
        other; skip; own_words; date; number; number_of(unit); between(min, max); at_least(min); at_most(max); answers;
        by_number; one_line(answers);
    }

    /// The sidebar.
    sidebar: SidebarWords {
        completeness; background; mode; budget; spent_of(spent, cap); nothing_left; left[questions, minutes];
    }

    /// What keys do, for the help.
    keys: Keys {
        everywhere; in_composer; in_conversation; in_sidebar; in_lists; in_windows; on_first_screen; palette;
        focus_next; focus_previous; close; interrupt; suspend; redraw; send; newline; history_previous; history_next;
        complete; next_choice; previous_choice; undo_edit; redo_edit; up; down; left; right; page_up; page_down; top; bottom; previous_message;
        next_message; find_next; find_previous; copy_message; copy_code; edit_message; open; toggle; accept; decline;
        change; clear; erase; later;
    }

    /// What keys are called.
    key_names: KeyNames {
        ctrl; alt; shift; enter; esc; tab; space; backspace; delete; up; down; left; right; home; end; page_up;
        page_down;
    }

    /// What commands do, and what can follow their names.
    commands: Commands {
        title; heading; help; engine; sessions; search; find; rename; tag; archive; trash; defer; correct; review;
        brief; phase; wrapup; park; back; undo; redo; courses; retry; edit; fork; handoff; journey; apart; tasks;
        export; questions; answers; scenario; model; settings; doctor; about; btw; theme; inspector; sidebar; copy;
        mouse; print; editor; quit;
        takes_name; takes_words; takes_title; takes_tags; takes_item; takes_field_and_value; takes_since; takes_phase;
        takes_task; takes_count; takes_export; takes_file; takes_file_and_speaker; did_you_mean(name, near); unknown(name);
        needs_session(name); no_field(words);
    }

    /// The turn under way, and turns that are taken back.
    turns: Turns {
        keeping; cancelling; revising; noting; answering; reading; thinking; checking; making_room; saving;
        on_its_way; as_it_was; replace; replace_detail[count]; nothing_said; replaces_last; replaces_more(later);
        undo[count]; undo_detail[count]; undo_takes(words); replaced[count]; cancelled; condensed(strategy); again(reason, seconds, attempt);
        budget_reached; offered(label); offer(label); answer_is_there; leave; leave_detail; skip; go_back;
        with_by_hand[count]; retry; retry_detail; window_first; not_all_went_well;
    }

    /// The conversation.
    chat: ChatWords {
        not_said(words); nothing_to_copy; message_copied; code_copied; brief_copied; transcript_copied; no_project;
        selection_copied; mouse_taken; mouse_given; on_a_form(speaker); engine_changed(before, now, differences); answers_need; aside; aside_is(text);
        aside_too_long(most); afresh; line_cut(most); not_sure_copied;
    }

    /// The brief beside the conversation.
    brief: BriefWords {
        title; changes; unknown; on_its_way; all_of_it(key); closes(key);
    }

    /// Archive, tags and trash.
    filing: FilingWords {
        go_to_one; erase(title); erase_turns[turns]; in_trash; trash_is_empty; empty; erase_listed[count]; no_tags;
        now; everything; all_tags; a_tag; a_project;
    }

    /// What there is to discover, a line each.
    hints: HintWords {
        line(key, about); palette; model; review; brief;
    }

    /// Who answers, what is kept where, how it is erased.
    about: AboutWords {
        title; goes_on; again; who; nobody; model_here(label, host); model_at(label, host); asked_first; kept;
        in_database(file); in_log(folder); in_settings(file); erasing; one; everything(folder); guest(file);
        guest_of_model(model, host, file); guest_of_agent;
    }

    /// Lists to choose from, and fields for one line of text.
    lists: Lists {
        commands; theme; model; models_of_endpoint; phase; defer; correct; search; journey; tasks; courses; narrow;
        aside; turn(turn); in_use; asking_machine; looking; nothing_taken_back; nothing_fits; no_tasks; words_to_find; type_to_narrow;
        title_of_session; find; brief_to; cap(cap); value_of(name); tags; no_amount(text); sure;
        yes_or_no(yes, dot, no); more(dot, more);
    }

    /// Background tasks.
    tasks: Tasks {
        not_saved(name, reason); could_not; needs_leave(name); it_needs_you; can_be_done(what); is_done(name);
        about_to_start; running; waiting; done; brought_nothing; needs_you; pending_short; running_short;
        waiting_short; completed_short; failed_short; needs_user_short; interrupted_short; set_off(how, turn);
        set_off_again(how, turn, count); allow; refuse; try_again; go_on_without; read_first(sign); close; comes_from;
        would; nth_of(at, count); for_tasks(tasks); gets_file; sandbox(held); not_allowed; holds_for_all;
        asks_for_leave; needs_a_model; left_out(why); given_up(why);
    }

    /// The question at the cap.
    budget: BudgetWords {
        title; spent_money(cap, spent, limit, needed); spent_tokens(cap, spent, limit, needed); raise(amount);
        raise_other; offline; stop; session_usd; session_tokens; day_usd; day_tokens;
    }

    /// Earlier courses of a session.
    courses: CourseWords {
        keys; you; turn(turn, when); turns(first, last, when);
    }

    /// The evidence card.
    evidence: EvidenceWords {
        keys; open; partly; settled; set_aside; nothing_known; not_known; declined; in_doubt;
        maybe(value, confidence, reason); confidence(confidence, turns); confidence_by_you(confidence, turns);
        confidence_concluded(confidence, turns); confidence_handed_over(confidence, turns); quote(quote);
        also(quote, turn); before(value, turn, reason); no_words; nothing_of(name); forget(name); it_is(value);
    }

    /// The review of everything that was understood.
    review: ReviewWords {
        title; elsewhere; agree; nothing_yet; nothing_noted; editing; choosing; leads_here; unchanged; known; by_hand;
        maybe; doubtful; not_known; declined; deferred; open; number_of(unit); number; date; money; duration; percent;
        each_line; each_line_of(parts); known_of(known, all); known_and_maybe(known, all, maybe); verbatim(turn);
        verbatim_of(speaker, turn); quoted_of(speaker, quote, turn); otherwise(speaker, value, turn); said_otherwise(value, turn);
        quoted(quote, turn); no_day(text); unseen[count]; no_number(text); no_option(text, options);
        no_part(line, parts); yes; no;
        yes_to_all; ready(key); not_a_day(text); not_money(text); not_a_length(text); not_a_share(text);
        otherwise_wrong(text, why); too_small(text, least); too_large(text, most); in_quotes(problem);
    }

    /// The form of what goes on to the next step.
    handoff: HandoffWords {
        goes_on_to(target); nothing_in(part); second_line(more); without_words; offered_again; none_yet;
        not_yet(problem); decided; out; limits; granted; goals; pains; present; unknown; unanswered; delicate; why;
        what_follows; not_certain(said);
    }

    /// Endpoints, settings and the doctor.
    setup: SetupWords {
        add; add_detail; other; form; settings; doctor; no_list; overridden(from); cleared(name); stopped; too_small;
        consent(host); consent_detail; consent_here; model_offline(label); model_at(label, host); saved(name);
        saved_to_choose(name); when_chosen; at_next_start; provider; address; protocol; model; key; variable; command;
        entry; name; use_it; test_it; keep_it; provider_hint; address_hint_provider; address_hint; protocol_hint;
        model_hint; model_typed_hint; form_left; not_encrypted; key_hint; variable_hint; command_hint; entry_hint; name_hint; use_hint; test_hint; keep_hint;
        usual_key(variable); no_key; key_in_variable; key_by_command; key_in_keyring; chat_completions; responses;
        messages; ollama; asking_models(spinner, dot); words_go_to(host, key); words_go_here(host, key); without_key;
        with_key(key); looking; looking_since(spinner, dot, time); nothing_wrong; things_wrong[count]; default_holds;
        general; profile_of(name); profile_in_use(name); roles; spending; background; by_default; not_set;
        no_cap; for_good;
    }

    /// What each setting is for, by its path.
    settings: SettingsWords {
        profile; sensitive; theme; language; designer; hints; plain; reduced_motion; mouse;
        leave_transcript; notices; answer_cards; rewound_days; log_key_env; log_key_keyring; profiles_provider;
        profiles_endpoint; profiles_model; profiles_key_env; profiles_key_keyring; profiles_key_command;
        profiles_headers; profiles_proxy; profiles_insecure_http; profiles_context_window; profiles_warm_up;
        profiles_small_model; profiles_max_output_tokens; profiles_attempts; profiles_extra; profiles_price;
        profiles_timeouts_connect; profiles_timeouts_first_byte; profiles_timeouts_stall;
        profiles_timeouts_total; roles_profile; roles_model; budget_session_usd; budget_day_usd;
        budget_session_tokens; budget_day_tokens; budget_alerts; budget_requests_per_minute;
        budget_concurrent; tasks_concurrent;
    }

    /// The linear mode: what stands before lines, and how they are answered.
    linear: LinearWords {
        welcome; note; warning; error; status; noted; session; draft; draft_sends; begun_anew; at_work(doing, seconds);
        earlier(count); opening(what); phase(name); complete(percent); standing; answer_with(ways); a_number;
        number_and_value; number_and(word); a_word(word); narrows; searches; the_value; begins; goes_back;
        not_understood; no_such_number; back_to_talking; nothing_to_close; no_editor; nothing_written; now_is(value); one_of(options); several_lines; go_back_to_it;
        copy_it; works; fails; unknown; ask_reader; ask_reader_how;
    }

    /// Why a value was changed, as the evidence card says it.
    reasons: Reasons {
        set; handed_over(source); plain_answer; not_so; taken_back; otherwise; changed(name); more; off_the_list; new_order; put_back;
        in_passing; otherwise_before; no_answer; not_sure; instead; two_things; other_kind; about_other(name);
        both; confirmed; set_aside; of_another(speaker);
    }

    /// Answers of a form that were taken in.
    forms: FormWords {
        noted(question, turn, noted); not_read(question, turn); noted_instead(question, turn, noted);
        before(question, turn); no_such(question); refused(question, why); changed(became, names);
        kept_otherwise(question, turn); otherwise(became, names);
        in_short(speaker, noted, before, other, empty); in_short_otherwise(count);
    }

    /// What is told when something was done.
    host: HostWords {
        changes_kept; handoff_declined; project_used; project_unused; put_right(name); confirmed[count];
        forgotten(name); set_aside(name); all_asked; last_ones[count, names]; wrapped_up[count, names]; moves_on(name); copy_now; erased(title);
        erased_many[count]; is_open; answers_now(label); nothing_back; nothing_to_take_back; change_back; change_again; taken_back[count]; back_again[count];
        in_its_place[count, back]; in_archive(title); out_of_archive(title); in_trash(title, days); restored(title);
        no_tags(title); tagged(title, tags); the_brief; the_transcript; the_form[count]; the_scenario;
        written(what, path); written_beside(there, what, path); not_written(what, path, error); begun(when); titled(title); station(engine, percent);
        took_up(engine, percent); was_handed(engine, percent); offline_detail; your_endpoint(host);
        on_machine(server, host); your_profile(leads_to); may_search(model, project, host); compared_with(title);
        since_turn(turn); since_beginning; since_date(date); has_changed(since); nothing_changed; added; changed;
        gone; before(said); now(said); quoted_from(quote, origin); by_hand(turn); confirmed_in_review(turn);
        concluded(turn); in_turn(turn); you; said_by(who, turn); searching(query); looked_up(query);
        aside_offline; aside_of(turn);
        looked_up_places[count, query]; no_ending(endings); unknown_ending(ending, endings); transcript_is_markdown;
        form_ending; no_such_turn(turn, last); no_date(text); nothing_on_offer; no_session;
        doubted[count, names];
    }

    /// Moments as people say them.
    dates: Dates {
        today(time); yesterday(time); on_weekday(day, time); in_year(day, month); date(year, month, day); monday;
        tuesday; wednesday; thursday; friday; saturday; sunday; january; february; march; april; may; june; july;
        august; september; october; november; december;
    }
}
