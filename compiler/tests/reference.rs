//! The documents that follow from the schema are those that are committed, and every foreign word has an answer.

use std::{fs, path::Path};

use kiln::{
    diagnostic::{Code, Diagnostics},
    parse::parse_text,
    reference,
    schema::{self, foreign},
};

const SITE: &str = "site \"demo\" language=1 { listen \"127.0.0.1:8080\" }\nvhost \"a.example\" { route \"/\" { respond 404 } }\n";

#[test]
fn documents_are_fresh() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("docs");
    for (name, text) in reference::files() {
        let committed = fs::read_to_string(docs.join(name)).unwrap_or_default();
        assert!(committed == text, "docs/{name} is stale: run `cargo kiln reference docs`");
    }
}

#[test]
fn documents_for_machines_can_be_read() {
    let files = reference::files();
    let text = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| text.as_str()).unwrap();
    let schema: serde_json::Value = serde_json::from_str(text("editor-schema.json")).unwrap();
    let words = schema["words"].as_array().unwrap();
    let names = |word: &serde_json::Value| {
        word["scopes"].as_array().unwrap().iter().all(|scope| !schema["scopes"][scope.as_str().unwrap()].is_null())
    };
    assert!(words.iter().filter(|word| word["later"] == false).all(names));
    let document: kdl::KdlDocument = text("site.schema.kdl").parse().unwrap();
    assert!(document.get("document").is_some());
}

/// Each row is written where no word of ours has its name, and its answer stands under it.
#[test]
fn foreign_words_are_answered_with_ours() {
    assert!(foreign::ROWS.len() >= 80, "{} rows", foreign::ROWS.len());
    let mut faults = Vec::new();
    for row in foreign::ROWS {
        let places = [
            "W",
            "vhost \"b.example\" { W }",
            "vhost \"b.example\" { route \"/\" { W; respond 404 } }",
            "vhost \"b.example\" { route \"/\" { when { W }; respond 404 } }",
        ];
        let is_answered = places.iter().any(|place| {
            let mut diagnostics = Diagnostics::default();
            parse_text(Path::new("site.kdl"), format!("{SITE}{}\n", place.replace('W', row.word)), &mut diagnostics);
            let label = row.label();
            diagnostics.sorted().iter().any(|diagnostic| *diagnostic.label == *label && diagnostic.code == Code::UnknownWord)
        });
        if !is_answered {
            faults.push(format!("{}'s `{}`", row.server, row.word));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn answers_to_foreign_words_name_words_of_ours() {
    let is_ours = |text: &str| {
        let word = text.split([' ', '=']).next().unwrap_or_default();
        schema::words().any(|row| row.name == word || row.properties.iter().any(|property| property.name == word))
    };
    for row in foreign::ROWS.iter().filter(|row| row.ours.contains('`') && !row.ours.starts_with("nothing: ")) {
        let quoted: Vec<&str> = row.ours.split('`').skip(1).step_by(2).collect();
        assert!(is_ours(quoted[0]), "{}'s `{}`: {}", row.server, row.word, row.ours);
    }
}
