//! Frames of sessions in other scripts: words too long for a pane, from right to left, two columns a sign.

use serde_json::json;

use super::frames::{Screen, USUAL, WIDE, drawn};
use super::support::{App, in_german};

/// What was said in a session, and what became of it.
struct Talk {
    title: &'static str,
    said: &'static str,
    answer: &'static str,
    problem: &'static str,
    budget: &'static str,
    users: &'static str,
}

const GERMAN: Talk = Talk {
    title: "Straßenverkehrszulassungsordnungsangelegenheitenverwaltung",
    said: "Die Verkehrsinfrastrukturfinanzierungsgesellschaftsmitarbeiter tippen Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungen zweimal ab.",
    answer: "Danke. Wie oft werden **Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungen** abgetippt?\n\n- Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft\n- täglich",
    problem: "Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungen werden zweimal abgetippt",
    budget: "15.000 €",
    users: "Verkehrsinfrastrukturfinanzierungsgesellschaftsmitarbeiter",
};

const ARABIC: Talk = Talk {
    title: "تطبيق استقبال العيادة",
    said: "الممرضات يعدن كتابة النماذج الورقية في نظامين كل صباح، ولدينا 15000 يورو.",
    answer: "شكرا. **كم مرة** يحدث ذلك؟\n\n- كل صباح\n- مرة في الأسبوع (clinic A)",
    problem: "الممرضات يعدن كتابة النماذج الورقية",
    budget: "15000 يورو",
    users: "الممرضات",
};

const HEBREW: Talk = Talk {
    title: "אפליקציית קבלה למרפאה",
    said: "האחיות מקלידות טפסי נייר לשתי מערכות בכל בוקר, ויש לנו 60,000 ש״ח.",
    answer: "תודה. **באיזו תדירות** זה קורה?\n\n- בכל בוקר\n- פעם בשבוע (clinic A)",
    problem: "האחיות מקלידות טפסי נייר פעמיים",
    budget: "60,000 ש״ח",
    users: "האחיות",
};

const JAPANESE: Talk = Talk {
    title: "診療所の受付アプリ",
    said: "看護師は毎朝、紙の問診票を二つのシステムに入力し直しています。予算は200万円です。",
    answer: "ありがとうございます。**どのくらいの頻度**で起きますか。\n\n- 毎朝\n- 週に一度（診療所A）",
    problem: "看護師が紙の問診票を二つのシステムに入力し直している",
    budget: "200万円",
    users: "看護師",
};

fn talked(talk: &Talk, size: (u16, u16)) -> Screen {
    let mut screen = Screen::in_session(size, false);
    let mut app = App { model: screen.0.model.clone() };
    let readings = [
        ("purpose_and_problem.core_problem", json!(talk.problem), 0.92, talk.said),
        ("constraints.budget", json!(talk.budget), 0.9, talk.said),
        ("users_and_personas.primary_user", json!(talk.users), 0.5, talk.said),
    ];
    app.turn(talk.said, talk.answer, &readings);
    talk.title.clone_into(&mut app.model.session.as_mut().unwrap().title);
    screen.0.model = app.model;
    screen.write(talk.users);
    screen
}

#[test]
fn german_words_longer_than_a_pane_break_within_it() {
    in_german(|| {
        drawn("script_german", &[WIDE, USUAL, (60, 20)], |size| talked(&GERMAN, size));
        drawn("script_german_review", &[(60, 20)], |size| {
            let mut screen = talked(&GERMAN, size);
            screen.press("F3");
            screen
        });
    });
}

#[test]
fn a_session_from_right_to_left_keeps_its_panes() {
    drawn("script_arabic", &[WIDE, USUAL], |size| talked(&ARABIC, size));
    drawn("script_hebrew", &[(60, 20)], |size| talked(&HEBREW, size));
}

#[test]
fn a_session_in_wide_signs_keeps_its_panes() {
    drawn("script_japanese", &[WIDE, USUAL, (60, 20)], |size| talked(&JAPANESE, size));
}
