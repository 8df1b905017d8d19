//! Regexes of guards, as automata.

use runtime::Capturing;

/// `^/(?<major>[1-3])\.[0-9]+(\.[0-9]+)?/(?<language>en|de)/(?<page>[a-z0-9/-]+)\.html$`
pub static REST_IF_REGEX_REGEX: Capturing<'static> = Capturing::new(
    include_bytes!("../regexes/rest_if_regex_regex.forward.dfa"),
    include_bytes!("../regexes/rest_if_regex_regex.reverse.dfa"),
    "^/(?<major>[1-3])\\.[0-9]+(\\.[0-9]+)?/(?<language>en|de)/(?<page>[a-z0-9/-]+)\\.html$",
);

/// `^/v?(?<major>[1-3])\.[0-9]+(\.[0-9]+)?/(?<page>[a-z0-9/-]+)\.html$`
pub static REST_REST_REGEX: Capturing<'static> = Capturing::new(
    include_bytes!("../regexes/rest_rest_regex.forward.dfa"),
    include_bytes!("../regexes/rest_rest_regex.reverse.dfa"),
    "^/v?(?<major>[1-3])\\.[0-9]+(\\.[0-9]+)?/(?<page>[a-z0-9/-]+)\\.html$",
);
