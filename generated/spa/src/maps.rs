//! Maps.

use runtime::{Map, MapLookup, Part, Rows};

/// `map "environment"`, site.kdl:29
pub static ENVIRONMENT_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Host],
    map: Map {
        rows: Rows::Inline(
            &[("spa.example", "production"), ("staging.spa.example", "staging")],
        ),
        default: Some("development"),
    },
};
