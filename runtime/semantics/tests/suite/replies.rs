//! What is made of each answer of `corpora/reply.txt`.

use semantics::{
    method::Method,
    reply::{self, Asked, Framing},
};

const GET: Asked<'static> = Asked { method: Method::GET, upgrade: None };

#[test]
fn each_answer_is_read_as_the_corpus_says() {
    let mut rows = 0;
    for line in include_str!("../corpora/reply.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, expected, bytes] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {line}") };
        let found = match reply::scan(&unescape(bytes), reply::LIMITS, GET, &mut Vec::new()) {
            Err(_) => "fault".to_owned(),
            Ok(None) => "more".to_owned(),
            Ok(Some(reply)) => {
                let framing = match reply.framing {
                    _ if reply.is_interim() => "interim".to_owned(),
                    Framing::Chunked => "chunked".to_owned(),
                    Framing::Empty => "empty".to_owned(),
                    Framing::Length(length) => length.to_string(),
                    Framing::ToTheEnd => "end".to_owned(),
                };
                format!("{} {framing}", reply.status)
            }
        };
        assert_eq!(found, expected, "{name}");
        rows += 1;
    }
    assert!(rows > 50);
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let byte = match (character, if character == '\\' { characters.next() } else { None }) {
            (_, Some('r')) => b'\r',
            (_, Some('n')) => b'\n',
            (_, Some('t')) => b'\t',
            (_, Some('x')) => u8::from_str_radix(&characters.by_ref().take(2).collect::<String>(), 16).expect("two digits"),
            (_, Some(other)) => panic!("an escape: {other}"),
            (plain, None) => u8::try_from(plain).expect("ASCII"),
        };
        bytes.push(byte);
    }
    bytes
}
