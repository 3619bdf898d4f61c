//! Drives a headless Chromium over its debugging pipe: messages are JSON, each ended by a zero.
//!
//! A shell gives the browser the two ends of the pipe that it wants (3 to read, 4 to write). The
//! browser ends when the pipe is closed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// After this long without an answer something is broken; no test is decided by it.
const PATIENCE: Duration = Duration::from_secs(240);

/// What the browser may be called. `TERN_BROWSER` names another.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"];

/// A browser with one page.
pub(crate) struct Browser {
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// What the page complained of: exceptions, and what its policy stopped.
    pub(crate) complaints: Vec<String>,
}

/// The browser of this machine, if it has one.
fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("TERN_BROWSER") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|file| file.is_file())
}

impl Browser {
    /// Starts the browser; `None` if there is none.
    pub(crate) fn start() -> Option<Browser> {
        let program = find()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-profile");
        let _ = std::fs::remove_dir_all(&folder);
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--window-size=1500,1000", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (input, output) = (child.stdin.take()?, child.stdout.take()?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { break };
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
            // Whoever waits is told that there is nothing more.
            drop(sender);
            let _ = child.wait();
        });
        let mut browser =
            Browser { input, messages, session: None, next: 0, complaints: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        let size = json!({"width": 1500, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", &size);
        Some(browser)
    }

    /// Calls a method of the protocol, and waits for what it returns.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    /// Keeps what a page complains of.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                let thrown = &params["exceptionDetails"]["exception"]["description"];
                self.complaints.push(thrown.to_string());
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.complaints.push(params["entry"]["text"].to_string());
            }
            _ => {}
        }
    }

    /// Opens a file, at a fragment.
    pub(crate) fn open(&mut self, page: &Path, fragment: &str) {
        // From elsewhere, so that the page is loaded even if only the fragment is another.
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        self.until("location.href === 'about:blank'");
        let url = format!("file://{}{fragment}", page.display());
        self.call("Page.navigate", &json!({"url": url}));
        self.until("location.protocol === 'file:' && document.readyState === 'complete'");
    }

    /// What an expression of JavaScript is.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", &params);
        let thrown = &result["exceptionDetails"];
        let why = &thrown["exception"]["description"];
        assert!(thrown.is_null(), "{expression}: {why}");
        result["result"]["value"].clone()
    }

    /// Waits until something is true.
    pub(crate) fn until(&mut self, condition: &str) {
        for _ in 0..1000 {
            if self.eval(&format!("Boolean({condition})")) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        panic!("this does not come true: {condition}");
    }

    /// The text of the first element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let text = self.eval(&format!("document.querySelector({selector})?.textContent ?? ''"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// How many elements a selector finds.
    pub(crate) fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        let count = self.eval(&format!("document.querySelectorAll({selector}).length"));
        count.as_u64().expect("a number")
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Home" => 36,
            "End" => 35,
            "Enter" => 13,
            "Tab" => 9,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            if key == "Enter" {
                // What a button or a link waits for.
                event["text"] = "\r".into();
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Writes where the cursor is.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }

    /// Clicks into the middle of the first element that a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const it = document.querySelector({}); it.scrollIntoView({{block: 'center'}}); \
             const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Keeps a picture of the page below the folder of the build, for people to look at.
    pub(crate) fn picture(&mut self, name: &str) {
        let shot = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let bytes = decoded(shot["data"].as_str().expect("a picture"));
        assert!(bytes.starts_with(b"\x89PNG"), "no picture of {name}");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(format!("{name}.png")), bytes).expect("written");
    }
}

/// Bytes that were written in base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for c in text.bytes().filter(|&c| c != b'=') {
        bits = bits << 6 | u32::from(value(c));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
