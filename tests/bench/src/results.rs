//! The directory of a run: each sample is a line of `runs.jsonl` as soon as it is taken. Nothing that is there is written over.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{fault::Fault, rules::Invalid, sample::Sample, seal};

/// Files of a sealed run that are always there.
pub const RUNS: &str = "runs.jsonl";
pub const ENVIRONMENT: &str = "env.json";
pub const SCHEDULE: &str = "schedule.json";
pub const PLAN: &str = "plan.kdl";

/// Open results.
#[derive(Debug)]
pub struct Results {
    directory: PathBuf,
    runs: File,
    invalid: usize,
}

impl Results {
    /// A new directory, or one that is there and empty.
    pub fn create(directory: &Path) -> Result<Self, Fault> {
        fs::create_dir_all(directory).map_err(Fault::file(directory))?;
        if fs::read_dir(directory).map_err(Fault::file(directory))?.next().is_some() {
            return Err(Fault::Refused(format!("{} is not empty: results are never written over", directory.display())));
        }
        let path = directory.join(RUNS);
        let runs = File::create_new(&path).map_err(Fault::file(&path))?;
        Ok(Self { directory: directory.to_owned(), runs, invalid: 0 })
    }

    /// A file beside the runs; `name` may hold directories.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), Fault> {
        let path = self.directory.join(name);
        let parent = path.parent().unwrap_or(&self.directory);
        fs::create_dir_all(parent).map_err(Fault::file(parent))?;
        let mut file = File::create_new(&path).map_err(Fault::file(&path))?;
        file.write_all(contents).map_err(Fault::file(&path))
    }

    /// The same, as indented JSON.
    pub fn write_json(&self, name: &str, value: &Value) -> Result<(), Fault> {
        self.write(name, format!("{value:#}\n").as_bytes())
    }

    /// A sample that counts.
    pub fn push(&mut self, sample: &Sample) -> Result<(), Fault> {
        writeln!(self.runs, "{}", sample.to_json()).map_err(Fault::io(RUNS))
    }

    /// A sample that does not, kept with the rule that says so.
    pub fn push_invalid(&mut self, sample: &Sample, why: &Invalid) -> Result<(), Fault> {
        self.invalid += 1;
        let mut value = sample.to_json();
        value["invalid"] = why.to_string().into();
        self.write_json(&format!("invalid/{:04}.json", self.invalid), &value)
    }

    /// Nothing is written after this.
    pub fn seal(mut self) -> Result<(), Fault> {
        self.runs.flush().map_err(Fault::io(RUNS))?;
        seal::seal(&self.directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("kiln-bench-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        path
    }

    #[test]
    fn results_are_never_written_over() {
        let directory = scratch("over");
        let results = Results::create(&directory).unwrap();
        results.write("a/b", b"1").unwrap();
        assert!(results.write("a/b", b"2").is_err());
        assert!(Results::create(&directory).unwrap_err().to_string().contains("never written over"));
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn seal_holds_until_a_file_changes_comes_or_goes() {
        let directory = scratch("seal");
        let results = Results::create(&directory).unwrap();
        results.write("a", b"1").unwrap();
        assert!(seal::check(&directory, &[]).unwrap_err().to_string().contains("not sealed"));
        results.seal().unwrap();
        seal::check(&directory, &[]).unwrap();
        fs::write(directory.join("later"), "x").unwrap();
        assert!(seal::check(&directory, &[]).unwrap_err().to_string().contains("later is not sealed"));
        seal::check(&directory, &["later"]).unwrap();
        fs::write(directory.join("a"), "2").unwrap();
        assert!(seal::check(&directory, &["later"]).unwrap_err().to_string().contains("a has changed"));
        fs::remove_file(directory.join("a")).unwrap();
        assert!(seal::check(&directory, &["later"]).unwrap_err().to_string().contains("a is sealed, but missing"));
        fs::remove_dir_all(&directory).unwrap();
    }
}
