//! Maps.

use runtime::{Map, MapLookup, Part, Rows};

/// `map "language"`, site.kdl:42
pub static LANGUAGE_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Cookie("language")],
    map: Map {
        rows: Rows::Inline(&[("de", "de"), ("en", "en")]),
        default: Some("en"),
    },
};

/// `map "renamed"`, site.kdl:48
pub static RENAMED_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Path],
    map: Map {
        rows: Rows::Inline(
            &[
                ("/de/v3/start", "/de/v3/guide/"),
                ("/en/v3/quickstart", "/en/v3/guide/start.html"),
                ("/en/v3/start", "/en/v3/guide/start.html"),
                ("/faq", "https://forum.example/c/questions"),
                ("/manual", "/en/latest/"),
            ],
        ),
        default: None,
    },
};
