//! Sites of any size, the same text for the same number: what build time, look-up time and memory are measured with.

use std::fmt::Write;

/// Routes of each vhost.
pub const ROUTES: usize = 10;

/// A site of `vhosts` vhosts with [`ROUTES`] routes each: literals, parameters, a rest, methods, a guard, redirects of both kinds, header edits.
pub fn site(vhosts: usize) -> String {
    let mut text = String::from(
        "site \"scale\" language=1 {\n    listen \"127.0.0.1:8080\"\n    headers { set \"x-content-type-options\" \"nosniff\" }\n}\n",
    );
    for number in 0..vhosts {
        writeln!(text, "\n{}", vhost(number)).expect("a string takes all");
    }
    text
}

/// The host of vhost `number`.
pub fn host(number: usize) -> String {
    format!("shop-{number}.example")
}

fn vhost(number: usize) -> String {
    let host = host(number);
    let policy = number % 20;
    format!(
        r#"vhost "{host}" {{
    headers {{ set "cache-control" "max-age={policy}0" }}
    route "/healthz" {{ respond 200 "ok {number}\n" }}
    route "/robots.txt" {{ respond 200 "user-agent: *\ndisallow: /{number}\n" }}
    route "/old" {{ redirect "/new/{number}" status=301 query="drop" }}
    route "/moved/{{rest*}}" {{ redirect "https://{host}/new/{{rest}}" status=308 }}
    route "/products/{{id}}" {{ respond 200 "product {{id}} of {number}\n" template=#true }}
    route "/orders" {{ methods "POST" "PUT"; respond 201 "taken\n" }}
    route "/beta" {{ when {{ header "x-beta" "{number}" }}; respond 200 "beta {number}\n" }}
    route "/admin/*" {{ refuse }}
    route "/about" {{ respond 200 "about {number}\n"; headers {{ set "x-page" "about" }} }}
    route "/*" {{ respond 404 "nothing at {number}\n" }}
}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_has_its_number_of_routes_and_is_the_same_each_time() {
        let text = site(3);
        assert_eq!(text.matches("    route ").count(), 3 * ROUTES);
        assert_eq!(text, site(3));
    }
}
