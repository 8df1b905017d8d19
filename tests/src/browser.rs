//! A real browser, driven over chromedriver's plain HTTP (WebDriver, and Chromium's own protocol where that has no word).
//!
//! Debian's `chromium` and `chromium-driver`. It talks to loopback only, and its profile is new and empty each time.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{site::scratch, tools::find};

/// How long one command may take: a browser starts slowly on a machine that is busy.
const WAIT: Duration = Duration::from_secs(120);
/// The name of an element in WebDriver's objects.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Nothing of it is for people, and nothing of it may ask other hosts.
const ARGUMENTS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// A browser with one window; ended when this is dropped.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    profile: PathBuf,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// Device pixels for one of CSS.
    pub scale: u32,
    pub is_dark: bool,
    pub is_phone: bool,
}

impl Browser {
    /// Starts one. `None`: it is not on this machine, and that has been said.
    pub fn start() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let (chromium, chromedriver) = (find("chromium")?, find("chromedriver")?);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let profile = scratch("browser").join(format!("{}-{number}", std::process::id()));
        let mut driver = Command::new(chromedriver)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let said = BufReader::new(driver.stdout.take().expect("it is piped"));
        let started = said.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let address = SocketAddr::from(([127, 0, 0, 1], started.expect("chromedriver names its port")));
        let mut arguments = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.display()));
        let mut browser = Self { driver, address, session: String::new(), profile };
        let session = browser.command(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": {
                "goog:loggingPrefs": { "browser": "ALL" },
                "goog:chromeOptions": { "binary": chromium, "args": arguments },
            } } }),
        );
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    /// Goes to a page and waits until it is loaded.
    pub fn open(&self, url: &str) {
        self.ask("POST", "/url", &json!({ "url": url }));
    }

    /// What a script's `return` gives.
    pub fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Clicks on the first element of a CSS selector.
    pub fn click(&self, selector: &str) {
        self.ask("POST", &format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// Presses keys on the first element of a CSS selector.
    pub fn press(&self, selector: &str, keys: &str) {
        self.ask("POST", &format!("/element/{}/value", self.element(selector)), &json!({ "text": keys }));
    }

    fn element(&self, selector: &str) -> String {
        let found = self.ask("POST", "/element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {selector}: {found}")).to_owned()
    }

    /// What the console said since it was last asked: violations of a page's policy among it.
    pub fn console(&self) -> Vec<String> {
        let entries = self.ask("POST", "/se/log", &json!({ "type": "browser" }));
        entries.as_array().into_iter().flatten().map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Looks at pages by that screen from now on.
    pub fn look_by(&self, Screen { width, height, scale, is_dark, is_phone }: Screen) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone });
        self.chromium("Emulation.setDeviceMetricsOverride", &metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        self.chromium("Emulation.setEmulatedMedia", &json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }));
    }

    /// The page as a PNG.
    pub fn picture(&self) -> Vec<u8> {
        let answer = self.chromium("Page.captureScreenshot", &json!({ "format": "png" }));
        base64(answer["data"].as_str().expect("a picture"))
    }

    fn chromium(&self, command: &str, parameters: &Value) -> Value {
        self.ask("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.command(method, &format!("/session/{}{path}", self.session), body)
    }

    /// One command on a connection of its own; panics where it fails.
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.try_command(method, path, body).unwrap_or_else(|error| panic!("{path}: {error}"));
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }

    fn try_command(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(WAIT))?;
        let body = body.to_string();
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", self.address, body.len());
        stream.write_all((head + &body).as_bytes())?;
        // It says that it closes, and does not.
        let mut answer = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while answer.read_line(&mut line)? > 2 {
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
            line.clear();
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser, and then what drove it. Whatever fails: it is over.
        drop(self.try_command("DELETE", &format!("/session/{}", self.session), &json!({})));
        drop(self.driver.kill().and_then(|()| self.driver.wait()));
        drop(fs::remove_dir_all(&self.profile));
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|digit| *digit != b'=').map(|digit| value(digit).into()).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = (0..4).fold(0, |bits, at| bits << 6 | four.get(at).copied().unwrap_or_default());
        bits.to_be_bytes().into_iter().skip(1).take(four.len() - 1)
    });
    bytes.collect()
}
