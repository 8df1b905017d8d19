//! What a process writes down of exchanges that upstreams answer: who was asked, how often, how long it took, what went wrong; and what endpoints have done.

use std::{
    fs,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    process::Command,
    sync::LazyLock,
    thread,
};

use kiln_tests::{
    echo::Echo,
    server::Server,
    site::{Profile, build, scratch},
};
use rustix::process::Signal;
use serde_json::Value;

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/passages/site.kdl", Profile::Dev, &[]));

/// A server and the endpoints of its site.
struct Stage {
    server: Server,
    directory: PathBuf,
    app: SocketAddr,
    nobody: SocketAddr,
    /// Takes connections and says nothing.
    silent: TcpListener,
}

impl Stage {
    fn start(name: &str) -> Self {
        let directory = scratch(&format!("passages-{name}"));
        drop(fs::remove_file(directory.join("access.log")));
        let app = Echo::start("app").address();
        let nobody = listener().local_addr().expect("a bound socket");
        let (silent, broken) = (listener(), broken());
        let server = Server::start_command(
            Command::new(&*BINARY)
                .current_dir(&directory)
                .env("APP", app.to_string())
                .env("BROKEN", broken.to_string())
                .env("NOBODY", nobody.to_string())
                .env("SILENT", silent.local_addr().expect("a bound socket").to_string()),
        );
        Self { server, directory, app, nobody, silent }
    }

    /// Ends the server, after which its log is whole.
    fn logged(self) -> Vec<Value> {
        let (status, said) = self.server.stop();
        assert!(status.success(), "{status}: {said:?}");
        let text = fs::read_to_string(self.directory.join("access.log")).expect("a log");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
    }
}

fn listener() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port")
}

/// An endpoint whose answers break off.
fn broken() -> SocketAddr {
    let listener = listener();
    let address = listener.local_addr().expect("a bound socket");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            // The whole head of a request fits one read; what it says is of no interest.
            drop(stream.read(&mut [0; 4096]));
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhello"));
        }
    });
    address
}

/// The members that say how an exchange has fared; times apart.
fn told(line: &Value) -> String {
    let names = ["target", "status", "received", "outcome", "cause", "upstream", "endpoint", "attempts", "upstream_status"];
    let texts = names.map(|name| line[name].as_str().map_or_else(|| line[name].to_string(), str::to_owned));
    texts.join(" ")
}

#[test]
fn line_tells_who_was_asked_and_how_long_it_took() {
    let stage = Stage::start("line");
    let mut client = stage.server.client();
    assert_eq!(client.get("passages.test", "/app/a?b", "").status, 200);
    assert_eq!(client.ask("POST /app/b HTTP/1.1\r\nhost: passages.test\r\ncontent-length: 5\r\n\r\nhello").status, 200);
    assert_eq!(client.get("passages.test", "/app/c", "x-echo-status: 503\r\n").status, 503);
    assert_eq!(client.get("passages.test", "/own", "").status, 200);
    let app = stage.app;
    let lines = stage.logged();
    let shown: Vec<String> = lines.iter().map(told).collect();
    assert_eq!(
        shown,
        [
            format!("/app/a?b 200 0 complete  app {app} 1 200"),
            format!("/app/b 200 5 complete  app {app} 1 200"),
            format!("/app/c 503 0 complete  app {app} 1 503"),
            "/own 200 0 complete  null null null null".to_owned(),
        ]
    );
    let seconds = |line: usize, name: &str| lines[line][name].as_f64().unwrap();
    assert!(0.0 < seconds(0, "connect") && seconds(0, "connect") <= seconds(0, "first_byte"), "{}", lines[0]);
    assert!(seconds(0, "first_byte") <= seconds(0, "duration"), "{}", lines[0]);
    assert_eq!(lines[1]["connect"].to_string(), "0.0", "the connection was kept");
    assert_eq!(lines[3].as_object().unwrap().len(), 17, "nothing of upstreams where none was asked");
}

#[test]
fn line_tells_what_went_wrong_at_an_upstream() {
    let stage = Stage::start("wrong");
    let mut client = stage.server.client();
    for (target, status, cause) in [("/nobody", 502, "upstream-connect-failed"), ("/silent", 504, "upstream-first-byte-timed-out")] {
        let answer = client.get("passages.test", target, "");
        assert_eq!(answer.status, status);
        assert!(String::from_utf8_lossy(&answer.body).ends_with(&format!("\n{cause}\n")), "{answer:?}");
    }
    client.send("GET /broken HTTP/1.1\r\nhost: passages.test\r\n\r\n");
    let broken = client.rest().unwrap();
    assert!(broken.ends_with(b"\r\n\r\nhello"), "{}", String::from_utf8_lossy(&broken));
    let (nobody, silent) = (stage.nobody, stage.silent.local_addr().unwrap());
    let lines = stage.logged();
    assert_eq!(told(&lines[0]), format!("/nobody 502 0 complete upstream-connect-failed nobody {nobody} 1 0"));
    assert_eq!(told(&lines[1]), format!("/silent 504 0 complete upstream-first-byte-timed-out silent {silent} 1 0"));
    let broken = &lines[2];
    assert_eq!((&broken["status"], &broken["outcome"], &broken["cause"]), (&200.into(), &"aborted".into(), &"upstream-reset".into()));
    assert_eq!((&broken["bytes"], &broken["upstream"]), (&5.into(), &"broken".into()));
}

#[test]
fn line_tells_of_the_last_endpoint_and_of_what_took_its_place() {
    let stage = Stage::start("instead");
    let mut client = stage.server.client();
    assert_eq!(client.get("passages.test", "/both", "").status, 200);
    let instead = client.get("passages.test", "/instead", "x-echo-status: 404\r\n");
    assert_eq!((instead.status, instead.body.as_slice()), (200, &b"instead\n"[..]));
    let app = stage.app;
    let lines = stage.logged();
    assert_eq!(told(&lines[0]), format!("/both 200 0 complete  both {app} 2 200"));
    assert_eq!(told(&lines[1]), format!("/instead 200 0 complete  app {app} 1 404"));
}

#[test]
fn signal_tells_what_endpoints_have_done() {
    let mut stage = Stage::start("counters");
    let mut client = stage.server.client();
    for _ in 0..3 {
        assert_eq!(client.get("passages.test", "/app/a", "").status, 200);
    }
    assert_eq!(client.get("passages.test", "/nobody", "").status, 502);
    stage.server.signal(Signal::USR2);
    let app = stage.server.wait_for_line(&format!("upstream app endpoint {}: ", stage.app));
    assert!(app.ends_with(": active 0, exchanges 3, connects 1, failures 0, ejections 0"), "{app}");
    let nobody = stage.server.wait_for_line(&format!("upstream nobody endpoint {}: ", stage.nobody));
    assert!(nobody.ends_with(": active 0, exchanges 1, connects 1, failures 1, ejections 0"), "{nobody}");
}
