//! A piece of a site made whole: what the examples of words and codes leave out is put around them.

use super::{ACTIONS, Scope, find};

const SITE: &str = "site \"demo\" language=1 {\n    listen \"127.0.0.1:8080\"\n}\n";
const VHOST: &str = "vhost \"www.example\" { route \"/*\" { respond 404 } }\n";

/// The site around an excerpt. Its words decide where it stands: at the top level, in `site`, in a vhost or in a route; what a site must have besides
/// (a listener, a vhost, a route, an action) is added where no line of the excerpt begins with it.
pub fn whole(excerpt: &str) -> String {
    let has = |word: &str| words(excerpt).any(|written| written == word);
    let added = |word: &str, text: &'static str| if has(word) { "" } else { text };
    match scope(excerpt) {
        Scope::Site => {
            let listen = added("listen", "    listen \"127.0.0.1:8080\"\n");
            format!("site \"demo\" language=1 {{\n{listen}{excerpt}\n}}\n{VHOST}")
        }
        Scope::Vhost => {
            let route = added("route", "    route \"/*\" { respond 404 }\n");
            format!("{SITE}vhost \"shop.example\" {{\n{excerpt}\n{route}}}\n")
        }
        Scope::Route => {
            let action = if ACTIONS.iter().any(|action| has(action)) { "" } else { "    respond 200 \"ok\\n\"\n" };
            format!("{SITE}vhost \"shop.example\" {{\n  route \"/*\" {{\n{excerpt}\n{action}  }}\n}}\n")
        }
        _ => format!("{excerpt}\n{}{}", added("site", SITE), added("vhost", VHOST)),
    }
}

/// The outermost of the four scopes that takes every line of an excerpt; the one that takes the first line where none takes all.
fn scope(excerpt: &str) -> Scope {
    const SCOPES: [Scope; 4] = [Scope::Top, Scope::Site, Scope::Vhost, Scope::Route];
    let takes = |scope: Scope, word: &str| find(scope, word).is_some();
    let takes_all = SCOPES.into_iter().find(|scope| words(excerpt).all(|word| takes(*scope, word)));
    let takes_first = || SCOPES.into_iter().find(|scope| words(excerpt).take(1).all(|word| takes(*scope, word)));
    takes_all.or_else(takes_first).unwrap_or(Scope::Top)
}

/// The first word of each line that is not indented, comments left out.
fn words(excerpt: &str) -> impl Iterator<Item = &str> {
    let outer = excerpt.lines().filter(|line| !line.starts_with([' ', '/', '}']));
    outer.filter_map(|line| line.split([' ', '{', ';']).next().filter(|word| !word.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn excerpts_are_put_where_they_belong() {
        assert!(whole("workers 2").contains("listen \"127.0.0.1:8080\"\nworkers 2\n}"));
        assert!(whole("listen \"127.0.0.1:1\"").matches("listen").count() == 1);
        assert!(whole("route \"/\" { abort }").contains("vhost \"shop.example\" {\nroute \"/\" { abort }\n}"));
        assert!(whole("methods \"GET\"").contains("methods \"GET\"\n    respond 200"));
        assert!(!whole("abort").contains("respond"));
        assert!(whole("vhost \"a\" {\n}").starts_with("vhost \"a\" {\n}\nsite "));
    }
}
