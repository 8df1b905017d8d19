use super::*;

fn file(path: &str, codings: &[Coding]) -> FileInput {
    let forms = codings.iter().map(|coding| {
        let name = coding.name();
        let text = |what: &str| format!("{what} {path} {name}");
        let (head, not_modified, body) = (text("head").into(), text("304").into(), text("body").into());
        FormInput { coding: *coding, etag: format!("\"{path} {name}\""), head, not_modified, body }
    });
    FileInput { path: path.to_owned(), modified: 0, forms: forms.collect() }
}

fn body(entry: Entry<'_>) -> String {
    match entry {
        Entry::Absent => "absent".to_owned(),
        Entry::Directory => "directory".to_owned(),
        Entry::File(asset) => String::from_utf8_lossy(asset.form(Coding::Identity).body()).into_owned(),
    }
}

#[test]
fn find_gives_files_directories_and_absence() {
    let files = vec![file("index.html", &[Coding::Identity]), file("a/b/c.txt", &[Coding::Identity])];
    let blob = encode(&[vec![], files]);
    let tree = Tree::new(&blob, 1);
    for (path, expected) in [
        ("index.html", "body index.html identity"),
        ("a/b/c.txt", "body a/b/c.txt identity"),
        ("a", "directory"),
        ("a/b", "directory"),
        ("", "directory"),
        ("a/", "absent"),
        ("a/b/c", "absent"),
        ("a/b/c.txt/", "absent"),
        ("INDEX.html", "absent"),
    ] {
        assert_eq!(body(tree.find(path.as_bytes())), expected, "{path}");
    }
}

#[test]
fn find_in_empty_or_missing_tree_is_absent() {
    let blob = encode(&[vec![]]);
    for number in [0, 1, u32::MAX] {
        assert_eq!(body(Tree::new(&blob, number).find(b"")), "absent");
    }
    assert_eq!(body(Tree::new(b"", 0).find(b"")), "absent");
}

#[test]
fn asset_gives_each_coding_its_parts() {
    let blob = encode(&[vec![file("x", &[Coding::Identity, Coding::Gzip, Coding::Zstd])]]);
    let Entry::File(asset) = Tree::new(&blob, 0).find(b"x") else { panic!("x is a file") };
    assert_eq!(asset.codings(), Codings::IDENTITY.with(Coding::Gzip).with(Coding::Zstd));
    assert_eq!(asset.form(Coding::Zstd).head(), b"head x zstd");
    assert_eq!(asset.form(Coding::Gzip).not_modified(), b"304 x gzip");
    assert_eq!(asset.form(Coding::Identity).etag(), "\"x identity\"");
    assert_eq!(asset.form(Coding::Gzip).body(), b"body x gzip");
    assert_eq!(asset.form(Coding::Brotli).body(), b"body x identity");
}

#[test]
fn encode_stores_equal_bodies_once() {
    let mut files = vec![file("a", &[Coding::Identity]), file("b", &[Coding::Identity])];
    for file in &mut files {
        file.forms[0].body = vec![7; 10_000];
    }
    let blob = encode(&[files]);
    assert!(blob.len() < 11_000, "{}", blob.len());
}

#[test]
fn encode_does_not_depend_on_the_order_of_files() {
    let (a, b) = (file("a", &[Coding::Identity]), file("b/c", &[Coding::Identity]));
    assert_eq!(encode(&[vec![a.clone(), b.clone()]]), encode(&[vec![b, a]]));
}

#[test]
fn find_takes_few_probes_in_a_large_tree() {
    let files: Vec<FileInput> =
        (0..20_000).map(|number| file(&format!("docs/{}/page-{number}.html", number % 97), &[Coding::Identity])).collect();
    let blob = encode(std::slice::from_ref(&files));
    let tree = Tree::new(&blob, 0);
    for file in &files {
        assert!(matches!(tree.find(file.path.as_bytes()), Entry::File(_)));
    }
    let entries: Vec<(&[u8], u32)> = files.iter().map(|file| (file.path.as_bytes(), 1)).collect();
    let table = slots(&entries);
    let longest = table.split(|slot| slot[1] == 0).map(<[_]>::len).max();
    assert!(longest < Some(64), "{longest:?}");
}

#[test]
fn damaged_blob_never_panics() {
    let blob = encode(&[vec![file("a/b", &[Coding::Identity, Coding::Brotli])]]);
    let use_it = |blob: &[u8]| {
        for path in ["a/b", "a", "", "zz"] {
            if let Entry::File(asset) = Tree::new(blob, 0).find(path.as_bytes()) {
                for coding in Coding::ALL {
                    let form = asset.form(coding);
                    let _ = (form.head(), form.not_modified(), form.etag(), form.body());
                }
            }
        }
    };
    for end in 0..blob.len() {
        use_it(&blob[..end]);
        for value in [0, 1, 0x7F, 0xFF] {
            let mut damaged = blob.clone();
            damaged[end] = value;
            use_it(&damaged);
        }
    }
}
