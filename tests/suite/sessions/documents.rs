//! Exports as other programs see them: the page in a browser, the document as a word processor reads it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use docx_rs::{DocumentChild, Paragraph, read_docx};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::begun;
use crate::support::program::{Program, session_of};

/// How long a browser may take to show one page, on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// What is done in the page and told: focus goes to each reference in turn, and its evidence must come into view and go.
const LOOK: &str = r"
<script>
const cites = [...document.querySelectorAll('.cite')];
const tip = cite => cite.querySelector('.tip');
const hidden = cite => getComputedStyle(tip(cite)).display === 'none';
const seen = cite => {
  const box = tip(cite).getBoundingClientRect();
  const inside = box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
  return !hidden(cite) && box.width > 0 && box.height > 0 && inside;
};
const told = { language: document.documentElement.lang, references: cites.length };
told.hidden_at_first = cites.every(hidden);
told.seen_on_focus = cites.filter(cite => { cite.scrollIntoView({ block: 'center' }); cite.focus(); return seen(cite); }).length;
document.activeElement.blur();
told.hidden_again = cites.every(hidden);
const rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]);
told.seen_on_hover = rules.some(rule => (rule.selectorText || '').includes('.cite:hover .tip') && rule.style.display === 'block');
told.fits_the_window = document.documentElement.scrollWidth <= innerWidth;
const report = document.createElement('pre');
report.id = 'told';
report.textContent = JSON.stringify(told);
document.body.append(report);
</script>
";

/// Chromium, if this machine has one that runs.
#[allow(clippy::print_stderr, reason = "who reads the output should know what was not tested")]
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let runs = |file: &PathBuf| Command::new(file).arg("--version").output().is_ok_and(|ran| ran.status.success());
    let found = all.filter(|file| file.is_file()).find(runs);
    if found.is_none() {
        eprintln!("There is no Chromium on this machine: the page was not looked at in a browser.");
    }
    found
}

/// Shows a page and returns what the browser printed.
fn shown(browser: &Path, page: &Path, more: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(more)
        .arg(format!("file://{}", page.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.read_to_string(&mut text);
        let _ = tell.send(text);
    });
    let text = told.recv_timeout(PATIENCE);
    if text.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    text.unwrap_or_else(|_| panic!("the browser did not come to an end with {}", page.display()))
}

fn exported(program: &Program, id: &str, name: &str) -> PathBuf {
    let file = program.folder().join(name);
    let ran = program.run(&["sessions", "export", id, "--output", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.words);
    file
}

/// Looks at a page in a window of a size. A script is put into a copy of it, which the page itself would not let run.
fn looked_at(browser: &Path, page: &Path, size: &str) -> Value {
    let text = std::fs::read_to_string(page).unwrap();
    let (before, rest) = text.split_once("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    let copy = page.with_extension("looked-at.html");
    std::fs::write(&copy, format!("{before}{}", rest.replace("</body>", &format!("{LOOK}</body>")))).unwrap();
    let dom = shown(browser, &copy, &[&format!("--window-size={size}"), "--dump-dom"]);
    let told = dom.split_once("<pre id=\"told\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (told, _) = told.unwrap_or_else(|| panic!("nothing was told: {dom}"));
    serde_json::from_str(told).unwrap()
}

#[test]
fn the_page_shows_its_evidence_in_a_browser_at_any_width_and_prints() {
    let Some(browser) = chromium() else { return };
    let (program, id) = begun();
    let german = program.run_with(
        &["converse", "--engine", "project-discovery", "--lang", "de"],
        "Wir brauchen eine Buchungs-App für unsere Praxis in Köln, weil montags immer besetzt ist.\n\
         Unsere Empfangsleiterin hat im März gekündigt.\n",
    );
    let german = session_of(&german.lines()[0]);
    for (language, page) in [("en", exported(&program, &id, "en.html")), ("de", exported(&program, &german, "de.html"))]
    {
        // A desk, a window just wider than what counts as narrow, a phone.
        for size in ["1100,900", "800,700", "500,800"] {
            let told = looked_at(&browser, &page, size);
            let references = told["references"].as_u64().unwrap();
            assert!(references > 0, "{told}");
            let expected = json!({
                "language": language,
                "references": references,
                "hidden_at_first": true,
                "seen_on_focus": references,
                "hidden_again": true,
                "seen_on_hover": true,
                "fits_the_window": true,
            });
            assert_eq!(told, expected, "{language} at {size}");
        }
        let paper = page.with_extension("pdf");
        shown(&browser, &page, &["--no-pdf-header-footer", &format!("--print-to-pdf={}", paper.display())]);
        let paper = std::fs::read(&paper).expect("it prints");
        assert!(paper.starts_with(b"%PDF-"));
        let sheets = memchr::memmem::find_iter(&paper, b"/Type /Page\n").count();
        assert!((1..=4).contains(&sheets), "{sheets} sheets of paper");
    }
}

#[test]
fn the_page_asks_nobody_for_anything() {
    let Some(browser) = chromium() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let program = Program::new();
    let turns = program.converse(
        "project-discovery",
        &format!(
            "We build an app ![p](http://{address}/p.png) <img src=\"http://{address}/i.png\"> \
             <link rel=\"stylesheet\" href=\"http://{address}/s.css\"> for clinics in [Leeds](http://{address}/l).\n\
             <script src=\"http://{address}/x.js\"></script> <iframe src=\"http://{address}/f\"></iframe>\n"
        ),
    );
    let page = exported(&program, &session_of(&turns[0]), "hostile.html");
    assert!(std::fs::read_to_string(&page).unwrap().contains("p.png"), "the words are on the page");
    let asked = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = (&stream).write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
            let last = line.contains("/control");
            asked.push(line);
            if last {
                break;
            }
        }
        asked
    });
    shown(&browser, &page, &["--dump-dom"]);
    // A page that does ask shows that asking would have been heard.
    let control = program.folder().join("control.html");
    std::fs::write(&control, format!("<!doctype html><img src=\"http://{address}/control\">")).unwrap();
    shown(&browser, &control, &["--dump-dom"]);
    let asked = asked.join().unwrap();
    assert_eq!(asked, ["GET /control HTTP/1.1\r\n"]);
}

fn paragraphs(document: &[u8]) -> Vec<Paragraph> {
    let read = read_docx(document).expect("a document that can be read");
    let paragraph = |child| match child {
        DocumentChild::Paragraph(paragraph) => Some(*paragraph),
        _ => None,
    };
    read.document.children.into_iter().filter_map(paragraph).collect()
}

#[test]
fn the_document_has_the_headings_lists_and_evidence_of_the_brief() {
    let (program, id) = begun();
    let brief = program.run(&["sessions", "export", &id]).data;
    let document = std::fs::read(exported(&program, &id, "brief.docx")).unwrap();
    let paragraphs = paragraphs(&document);
    let style = |paragraph: &Paragraph| paragraph.property.style.as_ref().map(|style| style.val.clone());
    for (sign, name) in [("# ", "Heading1"), ("## ", "Heading2")] {
        let wanted: Vec<&str> = brief.lines().filter_map(|line| line.strip_prefix(sign)).collect();
        let found = paragraphs.iter().filter(|paragraph| style(paragraph).as_deref() == Some(name));
        assert_eq!(found.map(Paragraph::raw_text).collect::<Vec<_>>(), wanted, "{name}");
        assert!(!wanted.is_empty(), "{brief}");
    }
    let items = brief.lines().filter(|line| line.starts_with("- ") || line.starts_with("1. ")).count();
    let listed = paragraphs.iter().filter(|paragraph| paragraph.property.numbering_property.is_some()).count();
    assert!(listed >= items && items > 0, "{listed} of {items} items");
    let quote = "Our head receptionist resigned in March";
    assert!(paragraphs.iter().any(|paragraph| paragraph.raw_text().contains(quote)), "the evidence is in it");
}
