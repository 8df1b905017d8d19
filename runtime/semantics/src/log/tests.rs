//! Lines over requests as they come: what is parsed back, what can't be injected, what never shows.

use proptest::{collection, prelude::*};

use super::*;
use crate::{head::Head, pattern::Captures, samples, template::Subject};

const ENDING: Ending = Ending { body_bytes: 5, sent_bytes: 105, received_bytes: 7, microseconds: 1_000_042, is_complete: true, cause: "" };

/// The finished line of a request.
fn line(format: &Format<'_>, target: &str, fields: &[(&str, &str)]) -> String {
    samples::with_head("GET", target, fields, |head| String::from_utf8(of(format, Some(head), &ENDING)).unwrap())
}

fn of(format: &Format<'_>, head: Option<&Head<'_>>, ending: &Ending) -> Vec<u8> {
    with_passage(format, head, ending, None)
}

fn with_passage(format: &Format<'_>, head: Option<&Head<'_>>, ending: &Ending, passage: Option<Passage<'_>>) -> Vec<u8> {
    let captures = Captures::default();
    let subject = head.map(|head| Subject { head, captures: &captures, status: 0, request_id: &"ab" });
    let time = Time::at(784_111_777_042);
    let client = std::net::Ipv4Addr::new(192, 0, 2, 130).into();
    let (mut rendered, mut holes, mut out) = (b"before".to_vec(), Vec::new(), Vec::new());
    let renderer = Renderer::new(*format);
    renderer.render(
        &Record { subject, client, status: 404, time: &time, vhost: "shop.example", route: "/a/{b}", passage },
        &mut rendered,
        &mut holes,
    );
    renderer.finish(rendered.strip_prefix(b"before").unwrap(), &holes, ending, &mut out);
    out
}

/// One template part as it is written.
fn part(part: template::Part<'_>, quoting: Quoting, target: &str, fields: &[(&str, &str)]) -> String {
    let format = Format { parts: &[Part::Template(part)], quoting, redacted: REDACTED };
    line(&format, target, fields).trim_end_matches('\n').to_owned()
}

const fn format(parts: &'static [Part<'static>], quoting: Quoting) -> Format<'static> {
    Format { parts, quoting, redacted: REDACTED }
}

static IN_JSON: Format<'static> = format(JSON, Quoting::Json);
static IN_COMBINED: Format<'static> = format(COMBINED, Quoting::Text);
static IN_COMMON: Format<'static> = format(COMMON, Quoting::Text);

#[test]
fn built_in_formats_are_what_people_know() {
    let fields = [("referer", "https://a.example/?x=1"), ("user-agent", "curl \"8\"")];
    assert_eq!(
        line(&IN_JSON, "/a//b?c=%41", &fields),
        concat!(
            r#"{"time":"1994-11-06T08:49:37.042Z","client":"192.0.2.130","method":"GET","host":"shop.example","target":"/a//b?c=%41","#,
            r#""protocol":"HTTP/1.1","status":404,"bytes":5,"sent":105,"received":7,"duration":1.000042,"outcome":"complete","cause":"","#,
            r#""vhost":"shop.example","route":"/a/{b}","referer":"https://a.example/?x=1","user_agent":"curl \"8\""}"#,
            "\n"
        )
    );
    assert_eq!(
        line(&IN_COMBINED, "/a//b?c=%41", &fields),
        concat!(
            r#"192.0.2.130 - - [06/Nov/1994:08:49:37 +0000] "GET /a//b?c=%41 HTTP/1.1" 404 5 "https://a.example/?x=1" "curl \x228\x22""#,
            "\n"
        )
    );
    assert_eq!(line(&IN_COMMON, "/", &[]), "192.0.2.130 - - [06/Nov/1994:08:49:37 +0000] \"GET / HTTP/1.1\" 404 5\n");
}

#[test]
fn proxied_exchange_is_told_of() {
    let passage = Passage {
        upstream: "the \"app\"",
        endpoint: "10.0.0.5:3000",
        attempts: 2,
        connect_microseconds: 42,
        first_byte_microseconds: 1_500_000,
        status: 503,
    };
    let told = |parts: &'static [Part<'static>], quoting, passage| {
        let line = |head: &Head<'_>| String::from_utf8(with_passage(&format(parts, quoting), Some(head), &ENDING, passage)).unwrap();
        samples::with_head("GET", "/", &[], line)
    };
    let whole = told(JSON_PROXIED, Quoting::Json, Some(passage));
    let json: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let whole = whole.trim_end();
    assert_eq!(json["upstream"], "the \"app\"");
    assert!(
        whole.ends_with(r#"","endpoint":"10.0.0.5:3000","attempts":2,"connect":0.000042,"first_byte":1.500000,"upstream_status":503}"#)
    );
    assert_eq!(told(JSON_PROXIED, Quoting::Json, None), told(JSON, Quoting::Json, None));
    const PARTS: &[Part<'static>] = &[
        Part::Upstream,
        text(" "),
        Part::Endpoint,
        text(" "),
        Part::Attempts,
        text(" "),
        Part::ConnectDuration,
        text(" "),
        Part::FirstByteDuration,
        text(" "),
        Part::UpstreamStatus,
    ];
    assert_eq!(told(PARTS, Quoting::Text, Some(passage)), "the \\x22app\\x22 10.0.0.5:3000 2 0.000042 1.500000 503\n");
    assert_eq!(told(PARTS, Quoting::Text, Some(Passage { endpoint: "", ..passage })), "the \\x22app\\x22 - 2 0.000042 1.500000 503\n");
    assert_eq!(told(PARTS, Quoting::Text, None), "- - 0 - - 0\n");
}

#[test]
fn record_without_a_head_has_what_is_known() {
    let ending = Ending { cause: "head-timed-out", is_complete: false, ..ENDING };
    let text = String::from_utf8(of(&IN_COMMON, None, &ending)).unwrap();
    assert_eq!(text, "192.0.2.130 - - [06/Nov/1994:08:49:37 +0000] \"- - -\" 404 5\n");
    let json: serde_json::Value = serde_json::from_slice(&of(&IN_JSON, None, &ending)).unwrap();
    assert_eq!((&json["cause"], &json["outcome"], &json["target"]), (&"head-timed-out".into(), &"aborted".into(), &"".into()));
}

#[test]
fn json_escapes_what_moves_a_reader() {
    let user_agent = |value: &str| part(template::Part::Header("user-agent"), Quoting::Json, "/", &[("user-agent", value)]);
    assert_eq!(user_agent("a\tb\\\"\u{85}\u{2028}\u{202E}\u{e4}"), "a\\u0009b\\\\\\\"\\u0085\\u2028\\u202e\u{e4}");
    assert_eq!(part(template::Part::Header("user-agent"), Quoting::Text, "/", &[("user-agent", "a\t\u{e4}")]), "a\\x09\\xC3\\xA4");
}

#[test]
fn value_that_is_too_long_is_cut_and_says_so() {
    let agent = |length: usize| part(template::Part::Header("user-agent"), Quoting::Json, "/", &[("user-agent", &"x".repeat(length))]);
    assert_eq!(agent(VALUE_BYTES_MAX), "x".repeat(VALUE_BYTES_MAX));
    assert_eq!(agent(VALUE_BYTES_MAX + 1), "x".repeat(VALUE_BYTES_MAX) + "[cut]");
    let wide = part(template::Part::Header("x"), Quoting::Json, "/", &[("x", &format!("x{}", "\u{e4}".repeat(VALUE_BYTES_MAX)))]);
    assert_eq!(wide, format!("x{}[cut]", "\u{e4}".repeat(VALUE_BYTES_MAX / 2 - 1)));
}

#[test]
fn secrets_in_targets_are_left_out() {
    for (target, written) in [
        ("/?token=s3cret", "/?token=[redacted]"),
        ("/a?x=1&Token=s3cret&y=2", "/a?x=1&Token=[redacted]&y=2"),
        ("/?t%6fken=s3cret;a=1", "/?t%6fken=[redacted];a=1"),
        ("/?user[password]=s3cret", "/?user[password]=[redacted]"),
        ("/?user%5Bpassword%5D=s3cret", "/?user%5Bpassword%5D=[redacted]"),
        ("/?next=/b?token=s3cret", "/?next=/b?token=[redacted]"),
        ("/a;jsessionid=s3cret?b=c", "/a;jsessionid=[redacted]?b=c"),
        ("/a;b=c/d;token=s3cret", "/a;b=c/d;token=[redacted]"),
        ("/?accessToken=s3cret&client-secret=s3cret", "/?accessToken=[redacted]&client-secret=[redacted]"),
        ("/?+token=s3cret&token%00=s3cret&user.token=s3cret", "/?+token=[redacted]&token%00=[redacted]&user.token=[redacted]"),
        ("/?%2574oken=s3cret", "/?%2574oken=[redacted]"),
        ("/?access_token%3Ds3cret&a", "/?[redacted]&a"),
        ("/?next=%2Fb%3Ftoken%3Ds3cret", "/?next=[redacted]"),
        ("/?next=%252Fb%253Ftoken%253Ds3cret&a=1", "/?next=[redacted]&a=1"),
        ("/?next=/b%3Ftoken=s3cret", "/?next=[redacted]"),
        ("/?next=https%3A%2F%2Fuser:s3cret@a", "/?next=[redacted]"),
        ("/?next=%25252561%2525253Ds3cret", "/?next=[redacted]"),
        ("/?q=a%20b&x=%2F", "/?q=a%20b&x=%2F"),
        ("/?token", "/?token"),
        ("/?token=", "/?token="),
        ("/?tokens=1", "/?tokens=1"),
        ("/?mail=a@b", "/?mail=a@b"),
        ("http://shop.example/?token=s3cret", "http://shop.example/?token=[redacted]"),
    ] {
        let format = Format { parts: &[Part::WrittenTarget], ..IN_JSON };
        assert_eq!(line(&format, target, &[]), format!("{written}\n"));
    }
    assert_eq!(part(template::Part::Query, Quoting::Json, "/?a=1&key=s3cret", &[]), "a=1&key=[redacted]");
    assert_eq!(part(template::Part::Target, Quoting::Json, "/b/../?key=s3cret", &[]), "/?key=[redacted]");
    assert_eq!(part(template::Part::QueryValue("key"), Quoting::Json, "/?key=s3cret", &[]), "[redacted]");
    assert_eq!(part(template::Part::QueryValue("a"), Quoting::Json, "/?a=%2Fb%3Fkey%3Ds3cret", &[]), "/b?key=[redacted]");
    assert_eq!(part(template::Part::QueryValue("key"), Quoting::Text, "/?a=1", &[]), "-");
}

#[test]
fn secrets_in_fields_are_left_out() {
    let header = |name: &'static str, value: &str| part(template::Part::Header(name), Quoting::Json, "/", &[(name, value)]);
    assert_eq!(header("authorization", "Bearer s3cret"), "[redacted]");
    assert_eq!(header("referer", "https://user:s3cret@a.example/?token=s3cret#id_token=s3cret"), {
        "https://[redacted]@a.example/?token=[redacted]#id_token=[redacted]"
    });
    assert_eq!(header("referer", "//u:s3cret/@b@a.example/"), "//u:s3cret/@b@a.example/");
    assert_eq!(header("referer", "https://a.example/@b"), "https://a.example/@b");
    assert_eq!(part(template::Part::Cookie("sid"), Quoting::Json, "/", &[("cookie", "sid=s3cret")]), "[redacted]");
    assert_eq!(part(template::Part::Cookie("lang"), Quoting::Json, "/", &[("cookie", "sid=s3cret; lang=de")]), "de");
    let format = Format {
        parts: &[Part::Template(template::Part::Header("cookie"))],
        quoting: Quoting::Text,
        redacted: Redacted { fields: &["sid"], keys: &[] },
    };
    assert_eq!(line(&format, "/", &[("cookie", "a=1; SID=s3cret; b; c=2")]), "a=1; SID=[redacted]; b; c=2\n");
}

#[test]
fn lost_lines_are_told_in_the_log() {
    let time = Time::at(0);
    let mut out = Vec::new();
    lost(12, &time, Quoting::Json, &mut out);
    lost(3, &time, Quoting::Text, &mut out);
    assert_eq!(out, b"{\"time\":\"1970-01-01T00:00:00.000Z\",\"lost_lines\":12}\n# 1970-01-01T00:00:00.000Z lost lines: 3\n");
}

/// Values of fields: whatever the strict scan lets through, and what tries to get out of its quotes; without `@`, which may end a secret.
fn field_value() -> impl Strategy<Value = Vec<u8>> {
    let bytes = collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), Just(0xFF), Just(b'\t')], 0..80);
    bytes.prop_map(|bytes| bytes.into_iter().filter(|byte| *byte == b'\t' || !(byte.is_ascii_control() || *byte == b'@')).collect())
}

/// The request line and its fields as bytes, since values need not be text.
fn with_agent<R>(value: &[u8], then: impl FnOnce(&Head<'_>) -> R) -> R {
    let bytes = [b"GET /a HTTP/1.1\r\nhost: a\r\nuser-agent: ", value, b"\r\n\r\n"].concat();
    samples::with_bytes(&bytes, then)
}

proptest! {
    #[test]
    fn json_line_parses_back_to_the_values(agent in field_value()) {
        let agent = crate::ascii::trim(&agent);
        with_agent(agent, |head| {
            let line = of(&IN_JSON, Some(head), &ENDING);
            let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
            prop_assert_eq!(json["user_agent"].as_str(), Some(&*String::from_utf8_lossy(agent)));
            prop_assert_eq!(json.as_object().unwrap().len(), 17);
            prop_assert_eq!(line.iter().filter(|byte| byte.is_ascii_control()).count(), 1);
            Ok(())
        })?;
    }

    #[test]
    fn text_line_has_no_quote_control_or_foreign_byte_of_the_request(agent in field_value()) {
        with_agent(&agent, |head| {
            let line = of(&IN_COMBINED, Some(head), &ENDING);
            prop_assert_eq!(line.iter().filter(|&&byte| byte == b'"').count(), 6);
            let (end, text) = line.split_last().unwrap();
            prop_assert_eq!(*end, b'\n');
            prop_assert!(text.iter().all(|byte| (b' '..=b'~').contains(byte)));
            Ok(())
        })?;
    }

    #[test]
    fn secret_never_appears(before in "[a-z&=;?%/:@+.#\\[\\]0-9]{0,24}", key in 0..KEYS.len(), escaped: bool, behind in "[a-z&=;%]{0,8}") {
        let key = match escaped {
            false => KEYS[key].to_uppercase(),
            true => KEYS[key].bytes().map(|byte| format!("%{byte:02x}")).collect(),
        };
        let url = format!("https://u:Zs3cret@a.example/?{before}&{key}=Zs3cret&{behind}");
        let target = url.strip_prefix("https://u:Zs3cret@a.example").unwrap().replace('#', "");
        for quoting in [Quoting::Json, Quoting::Text] {
            let referer = part(template::Part::Header("referer"), quoting, "/", &[("referer", &url)]);
            prop_assert!(!referer.contains("Zs3cret"), "{}", referer);
            let format = Format { parts: &[Part::WrittenTarget, Part::Template(template::Part::Query)], quoting, redacted: REDACTED };
            let Some(line) = samples::with_head_if_valid(&target, |head| of(&format, Some(head), &ENDING)) else { continue };
            prop_assert!(!String::from_utf8_lossy(&line).contains("Zs3cret"), "{}", target);
        }
    }

    #[test]
    fn any_field_is_written_without_a_panic(value in field_value()) {
        with_agent(&value, |head| {
            let format = Format { redacted: Redacted { fields: &[], keys: KEYS }, ..IN_JSON };
            prop_assert!(std::str::from_utf8(&of(&format, Some(head), &ENDING)).is_ok());
            Ok(())
        })?;
    }
}
