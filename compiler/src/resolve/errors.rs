//! `errors`: pages for what kiln itself answers, read at build time.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use semantics::mime;

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::ErrorPage,
    parse,
    source::{self, PAGE_BYTES_MAX, ReadFault},
};

/// Files that were read, each once; `None` where one can't be.
pub(super) type Pages = BTreeMap<PathBuf, Option<Arc<[u8]>>>;

impl Resolver<'_> {
    /// The pages of the outer scopes and of this block, by status; an inner page takes the place of an outer one.
    pub(super) fn errors(&mut self, block: &Node, outer: &[ErrorPage]) -> Vec<ErrorPage> {
        let mut pages: BTreeMap<u16, ErrorPage> = outer.iter().map(|page| (page.status, page.clone())).collect();
        let mut seen: BTreeMap<u16, &Node> = BTreeMap::new();
        for node in block.children_named("errors").flat_map(|errors| errors.children_named("page")) {
            let Some(file) = node.property("file") else { continue };
            let body = self.page(file);
            for value in node.values() {
                let Some(status) = self.error_status(value) else { continue };
                if let Some(earlier) = seen.insert(status, node) {
                    let diagnostic = Diagnostic::new(Code::RepeatedValue, node.span, format!("{status} has two pages in this block"));
                    self.diagnostics.push(diagnostic.label("the second one").secondary(earlier.span, "the first one"));
                }
                if let Some(body) = &body {
                    let content_type = mime::content_type(file.text()).to_owned();
                    let page = ErrorPage { status, file: file.text().to_owned(), body: Arc::clone(body), content_type, span: file.span };
                    pages.insert(status, page);
                }
            }
        }
        pages.into_values().collect()
    }

    fn error_status(&mut self, value: &Value) -> Option<u16> {
        let status = value.integer();
        if (400..=599).contains(&status) {
            return u16::try_from(status).ok();
        }
        self.error(Code::BadStatus, value.span, format!("{status} is not a status of an error"), "expected 400 to 599");
        None
    }

    pub(super) fn page(&mut self, file: &Value) -> Option<Arc<[u8]>> {
        let path = self.sources.directory(file.span.file).join(file.text());
        if let Some(known) = self.pages.get(&path) {
            return known.clone();
        }
        let body = self.read_page(&path, file);
        self.pages.insert(path, body.clone());
        body
    }

    fn read_page(&mut self, path: &Path, file: &Value) -> Option<Arc<[u8]>> {
        let name = self.sources.name_of(path);
        let message = match source::read_bytes(path, PAGE_BYTES_MAX) {
            Ok(bytes) => return Some(bytes.into()),
            Err(ReadFault::NotUtf8 { .. }) => unreachable!("bug in kiln: a page is not read as text"),
            Err(ReadFault::TooLarge) => format!("`{name}` has more than {} MiB", PAGE_BYTES_MAX >> 20),
            Err(ReadFault::Unreadable(error)) => format!("`{name}` can't be read: {}", parse::reason(&error)),
        };
        let diagnostic = Diagnostic::new(Code::MissingFile, file.span, message).label("named here");
        self.diagnostics.push(diagnostic.help("the path is relative to the file that names it"));
        None
    }
}
