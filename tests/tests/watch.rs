//! `kiln run --watch`: edits, mistakes and repairs while requests go on.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use kiln_tests::{
    client::Client,
    server::{Server, deadline},
    site::{Profile, build, kiln, write},
};

/// How long a build may take on a machine that does other things as well.
const BUILD: Duration = Duration::from_secs(300);
/// Between two requests of the loop.
const PAUSE: Duration = Duration::from_millis(3);

fn site(text: &str) -> String {
    format!(
        r#"site "watched" language=1 {{
    listen "127.0.0.1:0"
}}

vhost "any.test" {{
    route "/" {{ respond 200 "{text}" }}
    route "/files/*" {{ files "public" {{ embed }} }}
}}
"#
    )
}

fn get(address: SocketAddr, path: &str) -> String {
    let answer = Client::connect(address).ask(format!("GET {path} HTTP/1.1\r\nhost: any.test\r\nconnection: close\r\n\r\n"));
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// The page with the diagnostics.
struct Page(SocketAddr);

impl Page {
    fn get(&self, path: &str) -> String {
        let answer = Client::connect(self.0).ask(format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.0));
        String::from_utf8_lossy(&answer.body).into_owned()
    }

    /// Waits until the page has this title, and gives it.
    #[track_caller]
    fn wait_for(&self, title: &str) -> String {
        let deadline = deadline(BUILD);
        loop {
            let page = self.get("/");
            if page.contains(&format!("<h1>{title}</h1>")) {
                return page;
            }
            assert!(std::time::Instant::now() < deadline, "no `{title}`: {page}");
            let number = page.split("/state?").nth(1).and_then(|rest| rest.split('"').next()).expect("the page asks for its next state");
            self.get(&format!("/state?{number}"));
        }
    }
}

/// Waits until a path has this body: for a moment after a swap the old site may still take a connection.
#[track_caller]
fn wait_for_body(address: SocketAddr, path: &str, body: &str) {
    let deadline = deadline(Duration::from_secs(20));
    while get(address, path) != body {
        assert!(std::time::Instant::now() < deadline, "{path}: {}", get(address, path));
    }
}

fn change(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

#[test]
fn edits_are_served_and_mistakes_are_not() {
    let entry = write("watched", &[("site.kdl", &site("one")), ("public/x.txt", "first")]);
    // The first build of a feature set takes longer than a start may.
    build(&entry, Profile::Dev, &[]);
    let mut watched = Server::start_command(kiln().args(["run", "--watch"]).arg(&entry));
    let line = watched.wait_for_line("shows what is wrong");
    let page = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).and_then(|text| text.parse().ok());
    let (page, address) = (Page(page.unwrap_or_else(|| panic!("{line}"))), watched.address());
    page.wait_for("serving");
    assert_eq!((get(address, "/"), get(address, "/files/x.txt")), ("one".to_owned(), "first".to_owned()));

    let (stop, stopped) = channel::<()>();
    let requests = thread::spawn(move || {
        let mut bodies = Vec::new();
        while stopped.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            bodies.push(get(address, "/"));
        }
        bodies
    });

    change(&entry, &site("two"));
    page.wait_for("building");
    page.wait_for("serving");
    wait_for_body(address, "/", "two");

    change(&entry, &site("three").replace("respond 200", "respond 99"));
    let wrong = page.wait_for("wrong: the site as it was before goes on");
    assert!(wrong.contains("error[K0304]") && wrong.contains("respond 99"), "{wrong}");
    watched.wait_for_line("error[K0304]");
    assert_eq!(get(address, "/"), "two");

    change(&entry, &site("three"));
    page.wait_for("serving");
    wait_for_body(address, "/", "three");

    change(&entry.with_file_name("public/x.txt"), "second");
    page.wait_for("building");
    page.wait_for("serving");
    wait_for_body(address, "/files/x.txt", "second");

    drop(stop);
    let bodies = requests.join().unwrap_or_else(|_| panic!("a request was not answered"));
    for text in ["one", "two", "three"] {
        assert!(bodies.iter().any(|body| body == text), "{text} was never seen in {} answers", bodies.len());
    }
    assert!(bodies.iter().all(|body| ["one", "two", "three"].contains(&body.as_str())), "{bodies:?}");

    let (status, said) = watched.stop();
    assert!(status.success(), "{said:#?}");
    assert!(TcpStream::connect(address).is_err(), "the site has not ended");
}
