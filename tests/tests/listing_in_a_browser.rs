//! Listings as a browser has them: sorted by a click or a key, names that run nothing, links that lead to their files, dark and on a phone.

use std::{collections::BTreeSet, fs};

use kiln_tests::{
    browser::{Browser, Screen},
    client::Client,
    listed::{HOSTILE, fill_with_hostile_names, fill_with_releases},
    server::{Server, Shared},
    site::{Profile, build, scratch, write},
};

const SITE: &str = r#"
site "listing" language=1 { listen "127.0.0.1:0" }
vhost default=#true { route "/downloads/*" { files "tree" { listing } } }
"#;

static SERVER: Shared = Shared::new(|| {
    let directory = scratch("listing-in-a-browser");
    drop(fs::remove_dir_all(&directory));
    for (name, fill) in [("releases", fill_with_releases as fn(&std::path::Path)), ("hostile", fill_with_hostile_names)] {
        let path = directory.join("tree").join(name);
        fs::create_dir_all(&path).expect("a writable directory");
        fill(&path);
    }
    Server::start(&build(write("listing-in-a-browser", &[("site.kdl", SITE)]), Profile::Dev, &[]), &directory)
});

const DESKTOP: Screen = Screen { width: 1280, height: 800, scale: 1, is_dark: false, is_phone: false };
const PHONE: Screen = Screen { width: 390, height: 844, scale: 2, is_dark: false, is_phone: true };
/// WebDriver's code of the key.
const ENTER: &str = "\u{E007}";

/// The address of a page of the server that this connection is kept with.
fn url(client: &Client, path: &str) -> String {
    format!("http://{}/downloads/{path}", client.peer())
}

/// Names in the order that the page has them.
fn order(browser: &Browser) -> Vec<String> {
    strings(&browser.run("return [...document.querySelectorAll('#entries bdi')].map(each => each.textContent)"))
}

fn strings(value: &serde_json::Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|each| each.as_str().expect("text").to_owned()).collect()
}

fn button(number: usize) -> String {
    format!("thead th:nth-child({number}) button")
}

#[test]
fn click_on_a_header_sorts_by_it_both_ways() {
    let Some(browser) = Browser::start() else { return };
    let client = SERVER.client();
    browser.open(&url(&client, "releases/"));
    let by_name = order(&browser);
    assert_eq!(by_name[..5], ["documentation", "images", "nightly", "patches", "CHANGELOG.md"]);
    let place = |name: &str| by_name.iter().position(|each| each == name).expect("an entry");
    assert!(place("kiln-1.9.3-x86_64-linux.tar.zst") < place("kiln-1.10.0-x86_64-linux.tar.zst"));
    let sorted = || {
        let states = strings(&browser.run("return [...document.querySelectorAll('th[scope=col]')].map(each => each.ariaSort ?? 'none')"));
        (order(&browser), states)
    };
    let directories = 4;
    let files = |what: &str| {
        strings(&browser.run(&format!("return [...document.querySelectorAll('#entries tr:not(.d)')].map(row => row.querySelector{what})")))
    };
    let sizes = || files("('data').value").iter().map(|text| text.parse().expect("a number")).collect::<Vec<u64>>();

    // By name: the other way round, directories still first.
    browser.click(&button(1));
    let (order, states) = sorted();
    assert_eq!(states, ["descending", "none", "none"]);
    let reversed = |part: &[String]| part.iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(order, [reversed(&by_name[..directories]), reversed(&by_name[directories..])].concat());
    browser.click(&button(1));
    assert_eq!(sorted(), (by_name.clone(), ["ascending", "none", "none"].map(str::to_owned).to_vec()));

    // By size: the largest first, then the smallest.
    browser.click(&button(2));
    let (order, states) = sorted();
    assert_eq!((order[directories].as_str(), states[1].as_str()), ("kiln-live-1.10.0-amd64.iso", "descending"));
    assert!(sizes().len() == 15 && sizes().is_sorted_by(|one, other| one >= other), "{:?}", sizes());
    assert_eq!(order[..directories], by_name[..directories]);
    browser.click(&button(2));
    assert!(sorted().1[1] == "ascending" && sizes().is_sorted(), "{:?}", sizes());

    // By date: the newest first, then the oldest; by the keyboard.
    browser.press(&button(3), ENTER);
    let (order, states) = sorted();
    let dates = files("('time').dateTime");
    assert_eq!((order[0].as_str(), order[directories].as_str(), states[2].as_str()), ("nightly", "SHA256SUMS", "descending"));
    assert!(dates.is_sorted_by(|one, other| one >= other), "{dates:?}");
    browser.press(&button(3), ENTER);
    assert_eq!(sorted().1, ["none", "none", "ascending"]);
    assert!(files("('time').dateTime").is_sorted());
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn hostile_name_runs_nothing_and_leads_to_its_file() {
    let Some(browser) = Browser::start() else { return };
    let mut client = SERVER.client();
    browser.open(&url(&client, "hostile/"));
    assert_eq!(browser.run("return document.title"), "Index of /downloads/hostile/");
    // Nothing of a name has become an element, an attribute or a script.
    let elements = browser.run("return [...document.querySelectorAll('#entries *')].map(each => each.localName + [...each.attributes].map(each => ' ' + each.name).join(''))");
    let kinds: BTreeSet<String> = strings(&elements).into_iter().collect();
    let expected = [
        "a href",
        "bdi",
        "data value title",
        "i",
        "span class",
        "svg aria-hidden",
        "td",
        "th scope",
        "time datetime",
        "tr",
        "tr class",
        "use href",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
    assert_eq!(browser.run("return document.scripts.length"), 1);
    // What is read is in the order of its bytes: no name turns its row round.
    let widths = browser.run("return [...document.querySelectorAll('#entries bdi')].every(each => each.getBoundingClientRect().right <= document.body.getBoundingClientRect().right)");
    assert_eq!(widths, true);

    let mut files: BTreeSet<&[u8]> = HOSTILE.iter().copied().collect();
    let links = strings(&browser.run("return [...document.querySelectorAll('#entries tr:not(.d) a')].map(each => each.href)"));
    for link in links {
        let (_, target) = link.split_once("//").and_then(|(_, rest)| rest.split_once('/')).expect("a link of this host");
        let answer = client.get("listing.test", &format!("/{target}"), "");
        assert!(answer.status == 200 && files.remove(answer.body.as_slice()), "{link}");
    }
    assert!(files.is_empty(), "{files:?}");

    browser.click("#entries tr.d a");
    assert_eq!(browser.run("return document.querySelector('h1').textContent"), "<b>directory?#%");
    assert_eq!(browser.run("return document.querySelector('.none').textContent"), "This folder is empty.");
    browser.click("nav li:nth-child(2) a");
    assert_eq!(browser.run("return location.pathname"), "/downloads/hostile/");
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn page_fits_a_phone_and_follows_the_scheme() {
    let Some(browser) = Browser::start() else { return };
    let client = SERVER.client();
    for page in ["releases/", "hostile/"] {
        for screen in [DESKTOP, PHONE, Screen { width: 320, ..PHONE }] {
            browser.look_by(screen);
            browser.open(&url(&client, page));
            let width = browser.run("return document.scrollingElement.scrollWidth").as_u64().expect("a number");
            assert!(width <= u64::from(screen.width), "{page} {screen:?}: {width}");
        }
        let targets =
            browser.run("return [...document.querySelectorAll('tbody a')].every(each => each.getBoundingClientRect().height >= 44)");
        assert_eq!(targets, true, "what a finger hits is high enough");
    }
    let background = |is_dark: bool| {
        browser.look_by(Screen { is_dark, ..DESKTOP });
        browser.open(&url(&client, "releases/"));
        browser.run("return getComputedStyle(document.body).backgroundColor").as_str().expect("a colour").to_owned()
    };
    assert_eq!([background(false), background(true)], ["rgb(252, 252, 251)", "rgb(22, 23, 26)"]);
}
