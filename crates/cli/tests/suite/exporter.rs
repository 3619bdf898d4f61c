//! The sample exporter of the documentation writes what Tern reads.

use std::path::Path;
use std::process::Command;

#[test]
fn the_sample_exporter_writes_a_model() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut export = Command::new("python3");
    let exported = export.args(["export_rsm.py", "backup.py"]).current_dir(&examples).output();
    let Ok(exported) = exported else {
        println!("skipped: there is no python3");
        return;
    };
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let folder = tempfile::tempdir().expect("a directory");
    let model = folder.path().join("backup.rsm");
    std::fs::write(&model, exported.stdout).expect("written");
    for (claim, status) in [
        ("EF finish", 0),
        ("AG (acquire -> EF release)", 0),
        ("AG (acquire -> A [!finish W release])", 1),
        ("AG !(acquire & release)", 0),
    ] {
        let check = Command::new(env!("CARGO_BIN_EXE_tern"))
            .args(["check", "-f", claim, "--certify", "--quiet"])
            .arg(&model)
            .output()
            .expect("tern runs");
        assert_eq!(check.status.code(), Some(status), "{claim}: {check:?}");
    }
}
