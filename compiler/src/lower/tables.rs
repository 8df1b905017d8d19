//! What all of a site's routes add to.

use std::collections::BTreeMap;

use super::{
    embeds::EmbedTable,
    names,
    table::Table,
    template::{self, Scope},
    upstream,
};
use crate::{
    assets::Trees,
    model::{self, BuiltRegex, LateKind, LateValue, Site, Text},
    plan::{
        Access, AccessId, AccessRule, Allowed, Cors, CorsId, Edits, Encoding, EncodingId, ErrorPage, Errors, ErrorsId, Late, LateId,
        LateSource, Map, MapForm, MapId, Origins, Plan, Regex, RegexForm, Upstream, UpstreamId, Value,
    },
    source::{SourceMap, Span},
};

pub(super) struct Tables<'a> {
    pub(super) sources: &'a SourceMap,
    site: &'a Site,
    pub(super) access: Table<Access>,
    pub(super) cors: Table<Cors>,
    pub(super) edits: Table<Edits>,
    pub(super) embeds: EmbedTable<'a>,
    encodings: Table<Encoding>,
    errors: Vec<Errors>,
    /// By what tells the pages apart; their bytes by where they lie.
    known_errors: BTreeMap<Vec<(u16, *const u8, &'a str)>, ErrorsId>,
    lates: Vec<Late>,
    known_lates: BTreeMap<LateSource, LateId>,
    maps: Vec<Map>,
    known_maps: BTreeMap<&'a str, MapId>,
    regexes: Vec<Regex>,
    known_regexes: BTreeMap<&'a str, u32>,
    /// Numbers of the site's upstreams that actions name, ascending.
    used_upstreams: Vec<usize>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(site: &'a Site, sources: &'a SourceMap, trees: &'a Trees) -> Self {
        let mut edits = Table::new();
        edits.id(Edits::default());
        Self {
            sources,
            site,
            access: Table::new(),
            cors: Table::new(),
            edits,
            embeds: EmbedTable::new(trees, sources),
            encodings: Table::new(),
            errors: Vec::new(),
            known_errors: BTreeMap::new(),
            lates: Vec::new(),
            known_lates: BTreeMap::new(),
            maps: Vec::new(),
            known_maps: BTreeMap::new(),
            regexes: Vec::new(),
            known_regexes: BTreeMap::new(),
            used_upstreams: upstream::used(site),
        }
    }

    /// A promise of `resolve` does not hold.
    pub(super) fn broken(&self, what: &str, span: Span) -> ! {
        let provenance = self.sources.provenance(span);
        panic!("bug in kiln: {what}, {}:{}", provenance.file, provenance.line);
    }

    pub(super) fn access(&mut self, lists: &[model::AccessList]) -> Vec<AccessId> {
        let rule = |rule: &model::AccessRule| AccessRule { verdict: rule.verdict, networks: rule.networks.clone() };
        let mut id = |list: &model::AccessList| AccessId(self.access.id(Access { rules: list.rules.iter().map(rule).collect() }));
        lists.iter().map(&mut id).collect()
    }

    pub(super) fn cors(&mut self, cors: &model::Cors) -> CorsId {
        let allowed = |allowed: &model::Allowed| match allowed {
            model::Allowed::Any => Allowed::Any,
            model::Allowed::Listed(names) => Allowed::Listed(names.clone()),
        };
        let origins = match &cors.origins {
            model::Origins::Any => Origins::Any,
            model::Origins::Listed { origins, has_credentials } => {
                Origins::Listed { origins: origins.clone(), has_credentials: *has_credentials }
            }
        };
        let (methods, headers, exposed) = (allowed(&cors.methods), allowed(&cors.headers), allowed(&cors.exposed));
        CorsId(self.cors.id(Cors { origins, methods, headers, exposed, max_age_s: cors.max_age_s }))
    }

    /// `None` where nothing is encoded.
    pub(super) fn encoding(&mut self, written: Option<&model::Encoding>) -> Option<EncodingId> {
        let model::Encoding { codings, min_bytes, span: _ } = written?;
        Some(EncodingId(self.encodings.id(Encoding { codings: codings.clone(), min_bytes: *min_bytes })))
    }

    /// `None` where there is no page.
    pub(super) fn errors(&mut self, pages: &'a [model::ErrorPage]) -> Option<ErrorsId> {
        if pages.is_empty() {
            return None;
        }
        let key = pages.iter().map(|page| (page.status, page.body.as_ptr(), page.content_type.as_str())).collect();
        let next = ErrorsId(number(self.errors.len()));
        let id = *self.known_errors.entry(key).or_insert(next);
        if id == next {
            let mut pages: Vec<_> = pages.iter().map(page).collect();
            pages.sort_by_key(|page| page.status);
            self.errors.push(Errors { pages });
        }
        Some(id)
    }

    pub(super) fn late(&mut self, value: &LateValue) -> LateId {
        let source = match &value.kind {
            LateKind::Env { name, default } => LateSource::Env { name: name.clone(), default: default.clone() },
            LateKind::File { path } => LateSource::File { path: path.clone() },
        };
        let next = LateId(number(self.lates.len()));
        let id = *self.known_lates.entry(source.clone()).or_insert(next);
        if id == next {
            self.lates.push(Late { name: String::new(), source, provenance: self.sources.provenance(value.span) });
        }
        id
    }

    /// Where there is no access log, nothing is kept from it.
    pub(super) const fn is_logged(&self, written: bool) -> bool {
        written || self.site.access_log.is_none()
    }

    pub(super) fn value(&mut self, text: &Text) -> Value {
        match text {
            Text::Known(text) => Value::Text(text.clone()),
            Text::Late(value) => Value::Late(self.late(value)),
        }
    }

    /// The map of that name, and before it those that it asks.
    pub(super) fn map(&mut self, name: &str, user: Span) -> MapId {
        if let Some(id) = self.known_maps.get(name) {
            return *id;
        }
        let Some(written) = self.site.maps.iter().find(|map| map.name == name) else {
            self.broken(&format!("map `{name}` passed `resolve` without being one"), user);
        };
        let from = template::lower(&written.from, &Scope { parameters: &[], span: written.span }, self);
        let mut rows = written.rows.clone();
        rows.sort_unstable();
        let id = MapId(number(self.maps.len()));
        self.known_maps.insert(&written.name, id);
        self.maps.push(Map {
            name: written.name.clone(),
            from,
            rows,
            default: written.default.clone(),
            form: MapForm::Inline,
            is_file: written.is_file,
            provenance: self.sources.provenance(written.span),
        });
        id
    }

    pub(super) fn regex(&mut self, text: &str, user: Span) -> u32 {
        if let Some(id) = self.known_regexes.get(text) {
            return *id;
        }
        let Some((text, built)) = self.site.regexes.get_key_value(text) else {
            self.broken(&format!("regex `{text}` passed `resolve` without being built"), user);
        };
        let form = match built {
            BuiltRegex::Capturing(capture) => {
                RegexForm::Capturing { forward: capture.forward.clone(), reverse: capture.reverse.clone(), groups: capture.names.clone() }
            }
            BuiltRegex::Matching(dfa) => RegexForm::Matching { dfa: dfa.clone() },
        };
        let id = number(self.regexes.len());
        self.known_regexes.insert(text, id);
        self.regexes.push(Regex { name: String::new(), text: text.clone(), form });
        id
    }

    /// The number in the plan of one of the site's upstreams.
    pub(super) fn upstream(&self, number: usize, span: Span) -> UpstreamId {
        let id = self.used_upstreams.binary_search(&number).ok().and_then(|id| u16::try_from(id).ok());
        id.map_or_else(|| self.broken("an upstream passed `resolve` that no action names", span), UpstreamId)
    }

    /// Those that actions name.
    pub(super) fn upstreams(&mut self) -> Vec<Upstream> {
        let used = self.used_upstreams.clone();
        used.into_iter().map(|number| upstream::lower(&self.site.upstreams[number], self)).collect()
    }

    /// Moves everything to the plan whose routes have been lowered and named.
    pub(super) fn finish(self, plan: &mut Plan) {
        plan.access = self.access.into_items();
        plan.cors = self.cors.into_items();
        plan.edits = self.edits.into_items();
        plan.encodings = self.encodings.into_items();
        plan.errors = self.errors;
        plan.maps = self.maps;
        plan.lates = self.lates;
        plan.regexes = self.regexes;
        plan.embeds = self.embeds.named(&plan.vhosts);
        names::lates(&mut plan.lates);
        names::regexes(plan);
        names::upstreams(&mut plan.upstreams);
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("a site has fewer than 2^32 routes")
}

fn page(written: &model::ErrorPage) -> ErrorPage {
    let model::ErrorPage { status, file, body, content_type, span: _ } = written.clone();
    ErrorPage { status, file, content_type, body }
}
