//! Sites of any size, the same files for the same number: what build time, look-up time and memory are measured with.

use std::{fmt::Write, fs, io, path::Path};

/// Routes of each vhost.
pub const ROUTES: usize = 10;

/// What a site has much of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Much {
    /// Embedded files of about two kibibytes, a hundred to a directory.
    Files,
    /// Rows of a map whose values are redirected to.
    Redirects,
    /// Routes that are guarded by a regex each.
    Regexes,
    /// Vhosts with [`ROUTES`] routes each.
    Vhosts,
}

impl Much {
    /// Writes `site.kdl`, and what it names, to a directory.
    pub fn write(self, count: usize, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let text = match self {
            Self::Files => {
                files(count, &directory.join("public"))?;
                one("    route \"/*\" { files \"public\" { embed } }\n", "")
            }
            Self::Redirects => {
                fs::write(directory.join("moved.tsv"), (0..count).map(redirect).collect::<String>())?;
                let map = "map \"moved\" from=\"{path}\" file=\"moved.tsv\"\n";
                one("    route \"/*\" { when { map \"moved\" }; redirect \"{map.moved}\" status=301 }\n", map)
            }
            Self::Regexes => one(&(0..count).map(regex).collect::<String>(), ""),
            Self::Vhosts => site(count),
        };
        fs::write(directory.join("site.kdl"), text)
    }

    /// Host and path of a request for the part of that number, which is below the count, and the status of its answer.
    pub fn request(self, number: usize) -> (String, String, u16) {
        let one = |path: String, status| (host(0), path, status);
        match self {
            Self::Files => one(format!("/{}/file-{number}.html", number / 100), 200),
            Self::Redirects => one(format!("/old/article-{number}.html"), 301),
            Self::Regexes => one(format!("/section-{number}/items/{number:04}7.html"), 200),
            Self::Vhosts => (host(number), "/healthz".to_owned(), 200),
        }
    }
}

/// A site of one vhost with these routes, and these words before it; its first route is what an edit changes.
fn one(routes: &str, words: &str) -> String {
    let host = host(0);
    format!("{HEAD}\n{words}\nvhost \"{host}\" {{\n    route \"/healthz\" {{ respond 200 \"ok 0\\n\" }}\n{routes}}}\n")
}

fn redirect(number: usize) -> String {
    format!("/old/article-{number}.html\t/archive/{}/article-{number}\n", number % 997)
}

fn regex(number: usize) -> String {
    let route = format!("route \"/section-{number}/*\"");
    let pattern = format!("^/section-{number}/(items|products)/{number:04}[0-9]*\\.html$");
    format!("    {route} {{ when {{ regex #\"{pattern}\"# }}; respond 200 \"section {number}\\n\" }}\n")
}

fn files(count: usize, directory: &Path) -> io::Result<()> {
    for number in 0..count {
        let directory = directory.join((number / 100).to_string());
        if number % 100 == 0 {
            fs::create_dir_all(&directory)?;
        }
        let mut text = format!("<!doctype html>\n<title>file {number}</title>\n");
        for line in 0..40 {
            writeln!(text, "<p>line {line} of file {number}, {}", number * 7919 % (line + 11)).expect("a string takes all");
        }
        fs::write(directory.join(format!("file-{number}.html")), text)?;
    }
    Ok(())
}

const HEAD: &str = "site \"scale\" language=1 {\n    listen \"127.0.0.1:0\"\n    workers 1\n    headers { set \"x-content-type-options\" \"nosniff\" }\n}\n";

/// A site of `vhosts` vhosts with [`ROUTES`] routes each: literals, parameters, a rest, methods, a guard, redirects of both kinds, header edits.
pub fn site(vhosts: usize) -> String {
    let mut text = HEAD.to_owned();
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
