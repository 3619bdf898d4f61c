//! What is written: to the standard output, or to a file, which is seen whole or not at all.

use crate::failure::Failure;
use crate::terminal::Terminal;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Where a text goes: to a file, or to the standard output, which is called `-`.
pub(crate) struct Output<'a>(&'a Path);

impl<'a> Output<'a> {
    /// One that may be written: a file that is there is overwritten by force only.
    pub(crate) fn new(path: &'a Path, force: bool) -> Result<Self, Failure> {
        if path.as_os_str() != "-" && !force && is_regular_file(path) {
            return Err(Failure::Usage {
                message: format!("`{}` exists", path.display()),
                hint: "overwrite it with --force".to_owned(),
            });
        }
        Ok(Output(path))
    }

    pub(crate) fn write(&self, text: &str, terminal: &Terminal) -> Result<(), Failure> {
        let Output(path) = self;
        if path.as_os_str() == "-" {
            return terminal.print(text);
        }
        write_whole(path, text.as_bytes())
    }
}

/// Refuses to print a page.
pub(crate) fn refuse_printed_page(path: Option<&Path>) -> Result<(), Failure> {
    if path != Some(Path::new("-")) {
        return Ok(());
    }
    Err(Failure::Usage {
        message: "--html writes a file, and not to standard output".to_owned(),
        hint: "name it: --html report.html".to_owned(),
    })
}

/// Whether a file is there that would be overwritten.
fn is_regular_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Writes a file so that it is seen with all of its new content or not at all.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), Failure> {
    replace(path, content).map_err(|cause| Failure::File(path.display().to_string(), cause))
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.exists() && !is_regular_file(path) {
        // A pipe or a device is written to; it must not be replaced by a file.
        return File::options().write(true).open(path)?.write_all(content);
    }
    // Through links, so that the file itself is replaced and not the link to it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let mut file = File::options().write(true).create_new(true).open(&temporary)?;
    let written = file
        .write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // What matters is the first error; the leftover is named so that it can be recognised.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out.tern");
        replace(&path, b"one").expect("written");
        replace(&path, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 1);
        assert!(replace(&directory.path().join("no/such/dir"), b"x").is_err());
        assert!(replace(directory.path(), b"x").is_err(), "a directory");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let directory = tempfile::tempdir().expect("a directory");
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        replace(&link, b"new").expect("written");
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
