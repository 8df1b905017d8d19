//! `kiln run --watch`: edits, mistakes and repairs while requests go on.

use std::{
    env, fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
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
    listen "unix:{socket}" name="local"
}}

vhost "any.test" {{
    route "/" {{ respond 200 "{text}" }}
    route "/files/*" {{ files "public" {{ embed }} }}
}}
"#,
        socket = socket().display()
    )
}

/// Where the site also listens.
fn socket() -> PathBuf {
    env::temp_dir().join(format!("kiln-watch-{}.sock", std::process::id()))
}

/// The end of an answer that came over the Unix socket.
fn get_locally() -> String {
    let mut stream = UnixStream::connect(socket()).expect("somebody listens");
    stream.write_all(b"GET / HTTP/1.1\r\nhost: any.test\r\nconnection: close\r\n\r\n").expect("an open connection");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_off(answer.find("\r\n\r\n").expect("a whole head") + 4)
}

/// The body of a path of `any.test`, or of another host that stands before it.
fn get(address: SocketAddr, target: &str) -> String {
    let (host, path) = target.split_at(target.find('/').expect("a path"));
    let host = if host.is_empty() { "any.test" } else { host };
    let answer = Client::connect(address).ask(format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"));
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
            if has_title(&page, title) {
                return page;
            }
            assert!(Instant::now() < deadline, "no `{title}`: {page}");
            self.wait_behind(&page);
        }
    }

    /// Waits until a path of the site has this body: while the site is built, and for the moment after a swap in which the old one may still take a connection.
    #[track_caller]
    fn wait_for_body(&self, address: SocketAddr, path: &str, body: &str) {
        let deadline = deadline(BUILD);
        loop {
            let page = self.get("/");
            let found = get(address, path);
            if found == body {
                return;
            }
            assert!(Instant::now() < deadline, "{path}: {found}; {page}");
            if !has_title(&page, "serving") {
                self.wait_behind(&page);
            }
        }
    }

    /// Waits for the state behind that of a page.
    fn wait_behind(&self, page: &str) {
        let number = page.split("/state?").nth(1).and_then(|rest| rest.split('"').next()).expect("the page asks for its next state");
        self.get(&format!("/state?{number}"));
    }
}

fn has_title(page: &str, title: &str) -> bool {
    page.contains(&format!("<h1>{title}</h1>"))
}

fn change(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Starts watching; gives the process, its page and the address of the site.
fn watch(entry: &Path) -> (Server, Page, SocketAddr) {
    // The first build of a feature set takes longer than a start may.
    build(entry, Profile::Dev, &[]);
    let mut watched = Server::start_command(kiln().args(["run", "--watch"]).arg(entry));
    let line = watched.wait_for_line("shows what is wrong");
    let page = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).and_then(|text| text.parse().ok());
    let (page, address) = (Page(page.unwrap_or_else(|| panic!("{line}"))), watched.address());
    page.wait_for("serving");
    (watched, page, address)
}

#[test]
fn edits_are_served_and_mistakes_are_not() {
    let entry = write("watched", &[("site.kdl", &site("one")), ("public/x.txt", "first")]);
    let (mut watched, page, address) = watch(&entry);
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
    page.wait_for_body(address, "/", "two");
    // Here, too, the old one may still take a connection.
    let deadline = deadline(BUILD);
    while get_locally() != "two" {
        assert!(Instant::now() < deadline, "the socket still is the old one's");
    }

    change(&entry, &site("three").replace("respond 200", "respond 99"));
    let wrong = page.wait_for("wrong: the site as it was before goes on");
    assert!(wrong.contains("error[K0304]") && wrong.contains("respond 99"), "{wrong}");
    watched.wait_for_line("error[K0304]");
    assert_eq!(get(address, "/"), "two");

    change(&entry, &site("three"));
    page.wait_for_body(address, "/", "three");

    change(&entry.with_file_name("public/x.txt"), "second");
    page.wait_for_body(address, "/files/x.txt", "second");

    drop(stop);
    let bodies = requests.join().unwrap_or_else(|_| panic!("a request was not answered"));
    for text in ["one", "two", "three"] {
        assert!(bodies.iter().any(|body| body == text), "{text} was never seen in {} answers", bodies.len());
    }
    assert!(bodies.iter().all(|body| ["one", "two", "three"].contains(&body.as_str())), "{bodies:?}");

    let (status, said) = watched.stop();
    assert!(status.success(), "{said:#?}");
    assert!(TcpStream::connect(address).is_err(), "the site has not ended");
    assert!(!socket().exists());
}

#[test]
fn every_file_that_a_site_names_is_watched() {
    let entry = write(
        "watched-files",
        &[
            (
                "site.kdl",
                r#"site "files" language=1 {
    listen "127.0.0.1:0"
    errors { page 404 file="pages/404.html" }
}

map "texts" from="{path}" file="maps/texts.tsv"
include "vhosts/*.kdl"
"#,
            ),
            ("pages/404.html", "lost"),
            ("maps/texts.tsv", "/map\tmapped\n"),
            (
                "vhosts/any.kdl",
                "vhost \"any.test\" {\n    route \"/map\" { respond 200 \"{map.texts}\" template=#true }\n    route \"/text\" { respond 200 \"text\" }\n}\n",
            ),
        ],
    );
    let (watched, page, address) = watch(&entry);
    let beside = |name: &str| entry.with_file_name(name);
    for (file, text, path, body) in [
        ("pages/404.html", "nowhere", "/x", "nowhere"),
        ("maps/texts.tsv", "/map\tmapped anew\n", "/map", "mapped anew"),
        ("vhosts/any.kdl", "vhost \"any.test\" { route \"/text\" { respond 200 \"other\" } }\n", "/text", "other"),
        ("vhosts/more.kdl", "vhost \"more.test\" { route \"/\" { respond 200 \"more\" } }\n", "more.test/", "more"),
    ] {
        change(&beside(file), text);
        page.wait_for_body(address, path, body);
    }

    fs::remove_file(beside("pages/404.html")).expect("it is there");
    page.wait_for("wrong: the site as it was before goes on");
    change(&beside("pages/404.html"), "back");
    page.wait_for_body(address, "/x", "back");
    let (status, said) = watched.stop();
    assert!(status.success(), "{said:#?}");
}
