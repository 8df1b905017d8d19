//! What the oracle of three compares, in one form: the reference's outcome, the evaluator's, and an answer off the wire.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use kiln::{
    evaluate::{self, Forwarded, InRoot, RootSearch},
    model::{Action, Files, Intercepted, LateKind, LateValue, Site, Text},
    plan::{Asset, LateSource, Plan},
};
use reference::{
    Outcome, Request, World,
    files::{Form, Forms},
};
use semantics::{
    blob::{self, Entry},
    files::Found,
    head::Scheme,
    negotiate::Coding,
    path::encode,
};

use crate::answer::{Answer, decode};

/// An answer as three readers can give it; `None`: closed without one.
pub type Reply = Option<Plain>;

/// Status, fields without `date` and `connection`, body as sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plain {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The body stands here as it is before it is coded on its way, and no field says how long it is then.
    pub is_decoded: bool,
}

impl Plain {
    /// From the wire.
    pub fn of(answer: &Answer) -> Self {
        Self { status: answer.status, fields: answer.stable_fields(), body: answer.body.clone(), is_decoded: false }
    }

    /// The same as it is known before it is coded on its way.
    fn decoded(&self) -> Self {
        let body = if self.body.is_empty() { Vec::new() } else { decode(self.coding(), &self.body).unwrap_or_default() };
        let is_framing = |name: &str| matches!(name, "content-length" | "transfer-encoding");
        let fields = self.fields.iter().filter(|(name, _)| !is_framing(name)).cloned().collect();
        Self { fields, body, is_decoded: true, ..*self }
    }

    fn coding(&self) -> &str {
        self.fields.iter().find(|(name, _)| name == "content-encoding").map_or("identity", |(_, value)| value)
    }
}

/// The request for the evaluator.
pub fn evaluator_request(request: &Request, world: &World) -> evaluate::Request {
    let host = [("host".to_owned(), request.host.clone())];
    evaluate::Request {
        method: request.method.clone(),
        target: request.target.clone(),
        headers: host.into_iter().chain(request.fields.iter().cloned()).collect(),
        client: request.client,
        scheme: Scheme::Http,
        listener: request.listener,
        late: world.late.clone(),
        replies: Vec::new(),
    }
}

/// What the evaluator says, and what it sends on.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// `Err` with the search of a root, which it does not read.
    pub reply: Result<Reply, Box<RootSearch>>,
    /// Also what would be sent on if the root had no file.
    pub sent: Vec<Forwarded>,
}

/// The evaluator's reply, where all that upstreams reply was told to it.
pub fn reply_of(outcome: &evaluate::Outcome) -> Result<Reply, Box<RootSearch>> {
    match outcome {
        evaluate::Outcome::Abort => Ok(None),
        evaluate::Outcome::Forwarded(forwarded) => reply_of(forwarded.answer.as_ref().expect("a reply for each that is sent on")),
        evaluate::Outcome::Answer(answer) => {
            let fields = answer.fields.iter().map(|(name, value)| (name.clone(), value.trim().to_owned())).collect();
            let is_decoded = answer.coding != Coding::Identity;
            Ok(Some(Plain { status: answer.status, fields, body: answer.body.clone(), is_decoded }))
        }
        evaluate::Outcome::Root(search) => Err(Box::new(search.clone())),
    }
}

/// Whether the evaluator says what came off the wire.
pub fn is_same(evaluated: &Reply, reply: &Reply) -> bool {
    match (evaluated, reply) {
        (Some(evaluated), Some(reply)) if evaluated.is_decoded => *evaluated == reply.decoded(),
        _ => evaluated == reply,
    }
}

/// What is different between the reference's outcome and a reply.
pub fn difference(outcome: &Outcome, request: &Request, reply: &Reply) -> Option<String> {
    let (expected, got) = match (&outcome.answer, reply) {
        (None, None) => return None,
        (Some(expected), Some(got)) => (expected, got),
        (expected, got) => return Some(format!("expected {}, got {}", shown(expected.is_some()), shown(got.is_some()))),
    };
    let is_coded_on_its_way = !expected.fields.iter().any(|(name, _)| name == "content-length")
        && expected.fields.iter().any(|(name, value)| name == "content-encoding" && value != "identity");
    let decoded;
    let got = match is_coded_on_its_way && !got.is_decoded {
        false => got,
        true => {
            decoded = got.decoded();
            &decoded
        }
    };
    // A part of what is coded can't be decoded: it is compared as it is.
    let coding = if got.status == 206 || got.is_decoded { "identity".to_owned() } else { got.coding().to_owned() };
    let fields = |fields: &[(String, String)]| -> Vec<(String, String)> {
        let length = |name: &str, value: &str| {
            if name == "content-length" && coding != "identity" { "*".to_owned() } else { value.trim().to_owned() }
        };
        fields.iter().map(|(name, value)| (name.clone(), length(name, value))).collect()
    };
    if expected.status != got.status || fields(&expected.fields) != fields(&got.fields) {
        return Some(format!("expected {} {:?}, got {} {:?}", expected.status, expected.fields, got.status, got.fields));
    }
    let is_head = request.method == "HEAD";
    let body = decode(if got.body.is_empty() { "identity" } else { &coding }, &got.body).unwrap_or_default();
    let expected = if is_head { &[][..] } else { &expected.body };
    (body != expected)
        .then(|| format!("expected the body {:?}, got {:?}", String::from_utf8_lossy(expected), String::from_utf8_lossy(&body)))
}

fn shown(is_answer: bool) -> &'static str {
    if is_answer { "an answer" } else { "no answer" }
}

/// Whether what the evaluator searches for, with its root below `directory`, is what the reference found.
pub fn finds_the_same(outcome: &Outcome, request: &Request, search: &RootSearch, directory: &Path) -> bool {
    let root = directory.join(&search.directory);
    let lies = |name: &[u8], _| match fs::metadata(root.join(OsStr::from_bytes(name))) {
        Ok(metadata) if metadata.is_file() => Found::File,
        Ok(metadata) if metadata.is_dir() => Found::Directory,
        Ok(_) | Err(_) => Found::Absent,
    };
    let status = outcome.answer.as_ref().map(|answer| answer.status);
    match search.in_root(lies) {
        InRoot::File(_) => matches!(status, Some(200 | 206 | 304 | 412 | 416)),
        InRoot::Listing(_) => status == Some(200),
        InRoot::Nothing => match reply_of(&search.otherwise) {
            Ok(reply) => difference(outcome, request, &reply).is_none(),
            Err(search) => finds_the_same(outcome, request, &search, directory),
        },
        InRoot::Slash => status == Some(308),
    }
}

/// What is opaque about the embedded files of a plan, by their sources.
pub fn embedded(plan: &Plan, blob: &[u8]) -> Forms {
    let mut forms = Forms::new();
    for embed in plan.trees() {
        let tree = blob::Tree::new(blob, embed.tree);
        for asset in &embed.assets {
            forms.extend(listings(&tree, asset));
            let Entry::File(found) = tree.find(asset.path.as_bytes()) else { continue };
            let codings = asset.codings.iter().map(|(coding, _)| *coding);
            for coding in codings.chain([Coding::Identity]) {
                let head = String::from_utf8_lossy(found.form(coding).head()).into_owned();
                let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned));
                let etag = field("etag").unwrap_or_default();
                let coded = (coding != Coding::Identity).then(|| found.form(coding).body().to_vec());
                let form = Form { content_type: asset.content_type.clone(), etag, last_modified: None, coded, others: Vec::new() };
                forms.entry(asset.source.clone()).or_default().insert(coding.name().to_owned(), form);
            }
        }
    }
    forms
}

/// The listings of the directories above an asset.
fn listings(tree: &blob::Tree<'_>, asset: &Asset) -> Forms {
    let mut forms = Forms::new();
    let above = Path::new(&asset.path).ancestors().zip(asset.source.ancestors()).skip(1);
    for (name, source) in above {
        for format in ["html", "json"] {
            if let Entry::File(found) = tree.find(format!("{}//{format}", name.display()).as_bytes()) {
                forms.insert(source.join(reference::files::listing("", format)), listed(&found));
            }
        }
    }
    forms
}

/// All forms of a listing.
fn listed(found: &blob::Asset<'_>) -> BTreeMap<String, Form> {
    let codings = Coding::ALL.into_iter().filter(|coding| found.codings().contains(*coding));
    let form = |coding: Coding| {
        let head = String::from_utf8_lossy(found.form(coding).head()).into_owned();
        let mut others: BTreeMap<_, _> = head.lines().filter_map(|line| line.split_once(": ")).collect();
        let mut field = |name: &str| others.remove(name).unwrap_or_default().to_owned();
        let (content_type, etag) = (field("content-type"), field("etag"));
        let _of_every_answer = ["content-length", "accept-ranges", "content-encoding", "vary"].map(field);
        let others = others.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Form { content_type, etag, last_modified: None, coded: Some(found.form(coding).body().to_vec()), others }
    };
    codings.map(|coding| (coding.name().to_owned(), form(coding))).collect()
}

/// The files below the roots of a site, as far as their names tell.
pub fn named(site: &Site) -> Forms {
    let form = |path: &Path| Form {
        content_type: semantics::mime::content_type(&path.to_string_lossy()).to_owned(),
        etag: String::new(),
        last_modified: None,
        coded: None,
        others: Vec::new(),
    };
    let paths = roots(site).flat_map(|files| walk(files).into_values());
    paths.map(|path| (path.clone(), [("identity".to_owned(), form(&path))].into())).collect()
}

/// Asks for every file of a root, through routes that end in `/*` and have no guard: what is opaque about each.
pub fn learn(site: &Site, mut ask: impl FnMut(&Request) -> Reply) -> Forms {
    let mut forms = Forms::new();
    for vhost in &site.vhosts {
        for route in &vhost.routes {
            let pattern = &route.patterns[0].value.text;
            let (Action::Files(files), Some(prefix), None) = (&route.action, pattern.strip_suffix('*'), &route.guard) else { continue };
            for (name, path) in walk(files) {
                let target = format!("{prefix}{}", encode(&name, false).expect("a file's name is a path"));
                let codings = Coding::ALL.into_iter().filter(|coding| files.rules.precompressed.contains(*coding));
                for coding in codings.filter(|_| !files.is_embedded) {
                    let (host, client) = (vhost.hosts[0].value.clone(), [127, 0, 0, 1].into());
                    let fields = vec![("accept-encoding".to_owned(), coding.name().to_owned())];
                    let request = Request {
                        method: "GET".to_owned(),
                        host,
                        target: target.clone(),
                        fields,
                        client,
                        listener: 0,
                        replies: Vec::new(),
                    };
                    // What another action says has no entity tag; a file without that sibling is known already.
                    let Some(reply) = ask(&request) else { continue };
                    let field = |name: &str| reply.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone());
                    let is_wanted = field("content-encoding").as_deref().unwrap_or("identity") == coding.name();
                    if let (200, true, Some(etag)) = (reply.status, is_wanted, field("etag")) {
                        let form = Form {
                            content_type: field("content-type").unwrap_or_default(),
                            etag,
                            last_modified: field("last-modified"),
                            coded: (coding != Coding::Identity).then(|| reply.body.clone()),
                            others: Vec::new(),
                        };
                        forms.entry(path.clone()).or_default().insert(coding.name().to_owned(), form);
                    }
                }
            }
        }
    }
    forms
}

/// Directories of the host that routes answer from.
fn roots(site: &Site) -> impl Iterator<Item = &Files> {
    let actions = site.vhosts.iter().flat_map(|vhost| &vhost.routes).map(|route| &route.action);
    actions.filter_map(|action| if let Action::Files(files) = action { Some(files) } else { None }).filter(|files| !files.is_embedded)
}

/// Names below a directory and their paths, sorted.
fn walk(files: &Files) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut open = vec![files.path.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(&files.path).expect("a path below").to_string_lossy().into_owned();
                found.insert(name, path);
            }
        }
    }
    found
}

/// Roots are relative to where the binary is started, and some are known to the host alone: makes them absolute for a reader that is elsewhere.
pub fn with_absolute_roots(mut site: Site, directory: &Path, late: &BTreeMap<String, String>) -> Site {
    for route in site.vhosts.iter_mut().flat_map(|vhost| &mut vhost.routes) {
        make_absolute(&mut route.action, directory, late);
    }
    site
}

fn make_absolute(action: &mut Action, directory: &Path, late: &BTreeMap<String, String>) {
    let known = |value: LateValue| match value.kind {
        LateKind::Env { name, default } => late.get(&name).cloned().or(default).unwrap_or_default(),
        LateKind::File { path } => late.get(&path).cloned().unwrap_or_default(),
    };
    match action {
        Action::Files(files) => {
            if !files.is_embedded {
                files.path = files.late.take().map_or_else(|| files.path.clone(), |value| known(value).into());
                files.path = directory.join(&files.path);
            }
            files.miss.iter_mut().for_each(|miss| make_absolute(miss, directory, late));
        }
        Action::Proxy(proxy) => {
            for intercept in &mut proxy.intercepts {
                match &mut intercept.then {
                    Intercepted::Accel { root } => {
                        let path = match root.clone() {
                            Text::Known(path) => path,
                            Text::Late(value) => known(value),
                        };
                        *root = Text::Known(directory.join(path).to_string_lossy().into_owned());
                    }
                    Intercepted::Action(inner) => make_absolute(inner, directory, late),
                    Intercepted::Page(_) => {}
                }
            }
        }
        Action::Split { shares, .. } => shares.iter_mut().for_each(|share| make_absolute(&mut share.action, directory, late)),
        Action::Abort | Action::Redirect { .. } | Action::Refuse { .. } | Action::Respond { .. } | Action::Rewrite { .. } => {}
    }
}

/// What the host has for the late values of a plan: an environment, and files below the directory that the binary is started in.
pub fn late(plan: &Plan, environment: &BTreeMap<String, String>, directory: &Path) -> BTreeMap<String, String> {
    let mut late = environment.clone();
    for value in &plan.lates {
        if let LateSource::File { path } = &value.source
            && let Ok(text) = fs::read_to_string(directory.join(path))
        {
            late.insert(path.clone(), text.strip_suffix('\n').unwrap_or(&text).to_owned());
        }
    }
    late
}

/// What the requests of a run have met.
#[derive(Debug, Default)]
pub struct Coverage {
    pub requests: usize,
    pub derived: usize,
    pub statuses: BTreeMap<u16, usize>,
    /// Vhost and route.
    pub routes: BTreeSet<(usize, usize)>,
    /// Vhost, route, and what its guard said.
    pub guards: BTreeSet<(usize, usize, bool)>,
}

impl Coverage {
    /// Counts one request.
    pub fn add(&mut self, outcome: &Outcome, is_derived: bool) {
        self.requests += 1;
        self.derived += usize::from(is_derived);
        *self.statuses.entry(outcome.answer.as_ref().map_or(0, |answer| answer.status)).or_default() += 1;
        if let Some(vhost) = outcome.vhost {
            self.routes.extend(outcome.routes.iter().map(|route| (vhost, *route)));
            self.guards.extend(outcome.guards.iter().map(|(route, verdict)| (vhost, *route, *verdict)));
        }
    }

    /// What has not been met, in words.
    pub fn missing(&self, site: &Site) -> Vec<String> {
        let mut missing = Vec::new();
        for (at, vhost) in site.vhosts.iter().enumerate() {
            let host = vhost.hosts.first().map_or("default", |host| host.value.as_str());
            for (number, route) in vhost.routes.iter().enumerate() {
                let pattern = &route.patterns[0].value.text;
                if !self.routes.contains(&(at, number)) {
                    missing.push(format!("{host} {pattern} ({number}) never answered"));
                }
                let verdicts = if route.guard.is_some() { &[true, false][..] } else { &[] };
                let unmet = verdicts.iter().filter(|verdict| !self.guards.contains(&(at, number, **verdict)));
                missing.extend(unmet.map(|verdict| format!("{host} {pattern} ({number}): its guard never said {verdict}")));
            }
        }
        missing
    }
}
