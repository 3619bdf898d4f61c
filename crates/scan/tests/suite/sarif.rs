//! SARIF files against the structure that the schema of SARIF 2.1.0 gives for the objects we write.
//!
//! In that schema no object may have other properties than those listed. The table has, for each
//! object, the properties that we write, with their types; an exclamation mark says that a property
//! is demanded. A file that passes here was also seen to pass the schema itself.

use serde_json::Value;

const OBJECTS: &[(&str, &[(&str, &str)])] = &[
    ("log", &[("$schema", "text"), ("version!", "2.1.0"), ("runs!", "[run]")]),
    (
        "run",
        &[
            ("tool!", "tool"),
            ("columnKind", "utf16CodeUnits|unicodeCodePoints"),
            ("originalUriBaseIds", "any"),
            ("invocations", "[invocation]"),
            ("results", "[result]"),
        ],
    ),
    ("tool", &[("driver!", "driver")]),
    (
        "driver",
        &[
            ("name!", "text"),
            ("version", "text"),
            ("informationUri", "text"),
            ("rules", "[descriptor]"),
        ],
    ),
    (
        "descriptor",
        &[
            ("id!", "text"),
            ("name", "text"),
            ("shortDescription", "string"),
            ("fullDescription", "string"),
            ("help", "string"),
            ("defaultConfiguration", "configuration"),
            ("properties", "any"),
        ],
    ),
    ("string", &[("text!", "text"), ("markdown", "text")]),
    ("configuration", &[("level", "none|note|warning|error")]),
    (
        "invocation",
        &[("executionSuccessful!", "truth"), ("toolExecutionNotifications", "[notification]")],
    ),
    ("notification", &[("message!", "string"), ("level", "none|note|warning|error")]),
    (
        "result",
        &[
            ("ruleId", "text"),
            ("ruleIndex", "number"),
            ("level", "none|note|warning|error"),
            ("message!", "string"),
            ("locations", "[location]"),
            ("partialFingerprints", "any"),
            ("codeFlows", "[flow]"),
            ("suppressions", "[suppression]"),
            ("baselineState", "new|unchanged|updated|absent"),
            ("properties", "any"),
        ],
    ),
    (
        "location",
        &[
            ("physicalLocation", "physical"),
            ("logicalLocations", "[logical]"),
            ("message", "string"),
        ],
    ),
    ("physical", &[("artifactLocation", "artifact"), ("region", "region")]),
    ("artifact", &[("uri", "text"), ("uriBaseId", "text")]),
    ("region", &[("startLine", "number")]),
    ("logical", &[("fullyQualifiedName", "text"), ("kind", "text")]),
    ("flow", &[("threadFlows!", "[thread]")]),
    ("thread", &[("locations!", "[step]")]),
    (
        "step",
        &[
            ("location", "location"),
            ("nestingLevel", "number"),
            ("importance", "important|essential|unimportant"),
        ],
    ),
    ("suppression", &[("kind!", "inSource|external"), ("justification", "text")]),
];

/// All that a file has and may not have, or lacks.
pub(crate) fn flaws(log: &Value) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut work: Vec<(String, &str, &Value)> = vec![(String::from("$"), "log", log)];
    while let Some((path, kind, value)) = work.pop() {
        if let Some(element) = kind.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            let Some(list) = value.as_array() else {
                flaws.push(format!("{path} is no list"));
                continue;
            };
            work.extend(list.iter().map(|it| (format!("{path}[]"), element, it)));
            continue;
        }
        let is_right = match kind {
            "any" => true,
            "text" => value.is_string(),
            "number" => value.is_u64(),
            "truth" => value.is_boolean(),
            _ => match OBJECTS.iter().find(|(name, _)| *name == kind) {
                None => value.as_str().is_some_and(|it| kind.split('|').any(|one| one == it)),
                Some((_, properties)) => {
                    let Some(object) = value.as_object() else {
                        flaws.push(format!("{path} is no object"));
                        continue;
                    };
                    for (name, kind) in *properties {
                        let plain = name.trim_end_matches('!');
                        match object.get(plain) {
                            Some(value) => work.push((format!("{path}.{plain}"), kind, value)),
                            None if name.ends_with('!') => {
                                flaws.push(format!("{path} has no {plain}"));
                            }
                            None => {}
                        }
                    }
                    let is_known = |key: &String| {
                        properties.iter().any(|(name, _)| name.trim_end_matches('!') == key)
                    };
                    let unknown = object.keys().filter(|key| !is_known(key));
                    flaws.extend(unknown.map(|key| format!("{path} has {key}")));
                    true
                }
            },
        };
        if !is_right {
            flaws.push(format!("{path} is no {kind}: {value}"));
        }
    }
    flaws
}

#[test]
fn the_table_finds_what_is_wrong() {
    let text = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"nam":"x"}},"results":[
        {"message":{"text":3},"level":"bad"}]}]}"#;
    let mut found = flaws(&serde_json::from_str(text).expect("JSON"));
    found.sort();
    assert_eq!(
        found,
        [
            "$.runs[].results[].level is no none|note|warning|error: \"bad\"",
            "$.runs[].results[].message.text is no text: 3",
            "$.runs[].tool.driver has nam",
            "$.runs[].tool.driver has no name",
        ]
    );
}
