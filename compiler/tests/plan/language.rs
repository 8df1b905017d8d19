//! What the policies, guards and actions of the language come to. The model is changed by hand, so that nothing here depends on how a word is written.

#[path = "language/guards.rs"]
mod guards;
#[path = "language/policies.rs"]
mod policies;
#[path = "language/restarts.rs"]
mod restarts;

use std::sync::Arc;

use kiln::{
    model::{
        AccessList, AccessRule, Action, Address, Allowed, BuiltRegex, CanonicalHost, Cors, Defaulted, ErrorPage, Files, Guard, LateKind,
        LateValue, Listener, ListenerOptions, Map, Origins, Part, Regex, Route, Share, Site, Spanned, Template, Text, TrustedProxies,
    },
    source::Span,
};
use semantics::{access::Verdict, cidr::Prefix, client::ForwardingFields};

/// Gives a site of five routes one of each: policies to the first, a guard to the second, `rewrite`, `split` and a late root to the others.
pub(crate) fn whole(site: &mut Site) {
    let span = nowhere(site);
    let text = |text: &str| Part::Text(text.to_owned());
    site.trusted_proxies = Some(TrustedProxies {
        networks: vec![Spanned { value: prefix("10.0.0.0/8"), span }],
        fields: Defaulted { value: ForwardingFields::Either, is_default: true },
        span,
    });
    let late = Listener {
        name: Some("inner".to_owned()),
        address: Address::Late(variable(span, "ADDRESS", None)),
        options: ListenerOptions::default(),
        span,
    };
    site.listeners.push(late);
    site.errors = vec![page(span, 421, "x")];
    site.maps = vec![map(span, Part::Path, &[("/a", "/b")], None)];
    let vhost = &mut site.vhosts[0];
    vhost.on = Some(vec![0]);
    vhost.canonical_host = Some(CanonicalHost { host: "shop.example".to_owned(), status: Defaulted::written(308), span });
    vhost.errors = vec![page(span, 404, "<404>"), page(span, 502, "<404>")];
    let first = route(site, 0);
    first.access = vec![access(span, &["+10.0.0.0/8"]), access(span, &["-10.1.0.0/16", "+10.0.0.0/8"])];
    first.cors = Some(cors(span, &["https://partner.example"], &["PUT"]));
    first.body_limit = Defaulted { value: 1 << 20, is_default: false };
    first.errors = vec![page(span, 404, "<inner>")];
    let guards = vec![
        Guard::ClientIp(vec![prefix("10.0.0.0/8"), prefix("2001:db8::/32")]),
        Guard::Any(vec![Guard::Map("moved".to_owned()), Guard::Extension(vec!["php".to_owned()])]),
        header("x-key", Text::Late(variable(span, "STAFF_KEY", Some("none")))),
        regex(site, "^/(?<id>[a-z]+)$"),
    ];
    route(site, 1).guard = Some(Guard::All(guards));
    route(site, 2).action = Action::Rewrite { target: template(&[text("/posts/"), Part::Parameter("slug".to_owned())]) };
    let respond = |body: &str| Action::Respond { status: Defaulted::written(200), body: template(&[text(body)]), content_type: None };
    let moved = Action::Redirect { target: template(&[Part::Map("moved".to_owned())]), status: Defaulted::written(302), drops_query: true };
    let shares = vec![Share { weight: 95, action: respond("most"), span }, Share { weight: 5, action: moved, span }];
    route(site, 3).action = Action::Split { by: template(&[Part::Cookie("s".to_owned())]), shares };
    if let Action::Files(files) = &mut route(site, 4).action {
        *files = Files { late: Some(variable(span, "FILES", None)), ..files.clone() };
    }
}

/// A regex of a guard, built.
fn regex(site: &mut Site, text: &str) -> Guard {
    let built = semantics::regexes::build_capturing(text).map(BuiltRegex::Capturing);
    let built = built.or_else(|_| semantics::regexes::build(text).map(BuiltRegex::Matching)).unwrap();
    let groups = match &built {
        BuiltRegex::Capturing(capture) => capture.names.clone(),
        BuiltRegex::Matching(_) => Vec::new(),
    };
    site.regexes.insert(text.to_owned(), built);
    Guard::Regex(Regex { text: text.to_owned(), groups })
}

/// Where nothing is written: the beginning of the site file.
fn nowhere(site: &Site) -> Span {
    Span { start: 0, end: 0, ..site.span }
}

fn route(site: &mut Site, number: usize) -> &mut Route {
    &mut site.vhosts[0].routes[number]
}

fn prefix(text: &str) -> Prefix {
    Prefix::parse(text).unwrap()
}

fn template(parts: &[Part]) -> Template {
    Template { parts: parts.to_vec() }
}

/// `+10.0.0.0/8` allows, `-10.0.0.0/8` refuses.
fn access(span: Span, rules: &[&str]) -> AccessList {
    let rule = |text: &&str| {
        let verdict = if text.starts_with('+') { Verdict::Allow } else { Verdict::Refuse };
        AccessRule { verdict, networks: vec![prefix(&text[1..])] }
    };
    AccessList { rules: rules.iter().map(rule).collect(), span }
}

fn cors(span: Span, origins: &[&str], methods: &[&str]) -> Cors {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Cors {
        origins: Origins::Listed { origins: owned(origins), has_credentials: false },
        methods: Allowed::Listed(owned(methods)),
        headers: Allowed::Listed(Vec::new()),
        exposed: Allowed::Listed(Vec::new()),
        max_age_s: Some(3600),
        span,
    }
}

fn page(span: Span, status: u16, body: &str) -> ErrorPage {
    let content_type = "text/html; charset=utf-8".to_owned();
    ErrorPage { status, file: String::new(), body: Arc::from(body.as_bytes()), content_type, span }
}

fn map(span: Span, from: Part, rows: &[(&str, &str)], default: Option<&str>) -> Map {
    Map {
        name: "moved".to_owned(),
        from: template(&[from]),
        rows: rows.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        default: default.map(str::to_owned),
        is_file: false,
        span,
    }
}

fn variable(span: Span, name: &str, default: Option<&str>) -> LateValue {
    LateValue { kind: LateKind::Env { name: name.to_owned(), default: default.map(str::to_owned) }, span }
}

fn header(name: &str, value: Text) -> Guard {
    Guard::Header { name: name.to_owned(), values: vec![value] }
}
