//! Maps.

use runtime::{Map, MapLookup, Part, Rows};

/// `map "name"`, site.kdl:26
pub static NAME_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Host],
    map: Map {
        rows: Rows::Inline(
            &[
                ("acme.tenants.example", "Acme"),
                ("eu.globex.tenants.example", "Globex Europe"),
                ("globex.tenants.example", "Globex"),
                ("hooli.tenants.example", "Hooli"),
                ("initech.tenants.example", "Initech"),
                ("shop.customer.example", "A customer"),
                ("umbrella.tenants.example", "Umbrella"),
            ],
        ),
        default: None,
    },
};

/// `map "plan"`, site.kdl:27
pub static PLAN_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Host],
    map: Map {
        rows: Rows::Inline(
            &[
                ("acme.tenants.example", "team"),
                ("eu.globex.tenants.example", "enterprise"),
                ("globex.tenants.example", "enterprise"),
                ("hooli.tenants.example", "free"),
                ("initech.tenants.example", "free"),
                ("shop.customer.example", "enterprise"),
                ("umbrella.tenants.example", "team"),
            ],
        ),
        default: Some("none"),
    },
};

/// `map "theme"`, site.kdl:32
pub static THEME_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Cookie("theme")],
    map: Map {
        rows: Rows::Inline(&[("dark", "dark"), ("light", "light")]),
        default: Some("light"),
    },
};

/// `map "uploads"`, site.kdl:29
pub static UPLOADS_MAP: MapLookup<'static> = MapLookup {
    from: &[Part::Map(&PLAN_MAP)],
    map: Map {
        rows: Rows::Inline(&[("enterprise", "yes"), ("team", "yes")]),
        default: None,
    },
};
