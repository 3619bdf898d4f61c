//! Settings files of Attestor (`.attestor`): a method of a Java program, a grammar, initial heaps
//! and formulas, taken as they are.
//!
//! Formulas keep their form. Their propositions are translated, each with *our* meaning:
//!
//! | Attestor | here |
//! |---|---|
//! | `{terminated}` | `terminated`: the checked method has returned, not any method |
//! | `{L(N)}` | `whole(N)`: all objects that the program can still come to form one structure |
//! | `{visited(x)}` | `x == elem`; so `F {visited(x)}` says it of every object of the input |
//! | `{visited}` | some variable of the checked method is `elem` |
//! | `{identicNeighbours}` | `elem.f == elem@f` for each field f that the grammar names |
//! | `{isReachable(x, y, [f])}` | `reach(x.f, y, f)` for one of the fields: one step or more |
//! | `{x == y}`, `{x != y}` | the same |
//! | `G true` | `G !nullderef`: what its settings call memory safety |
//!
//! The grammars that Attestor brings along are ours: `RefSLList(a, b)` is `SLL(a, b)`,
//! `RefDLList(p, a, b, n)` is `DLL(a, b)` with `a.prev = p` and `b.next = n`, `RefBT(r, null)` is
//! `Tree(r)`. Variables of an initial heap that are no parameters are names for its objects.

use super::java::{self, JavaAsked};
use super::{GrammarFile, HeapModel};
use crate::Error;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use tern_front::{Problem, Refusal, Source};
use tern_heap::grammar::Grammar;
use tern_heap::graph::{Heap, ObjectId, Slot, TypeId, Value, null};
use tern_heap::start::named_slot;
use tern_model::Budget;
use tern_program::sources::{Options, source_of};

/// What a settings file says.
#[derive(Debug, Default)]
pub(super) struct Settings {
    classpath: Vec<String>,
    class: String,
    method: String,
    predefined: Vec<String>,
    /// Files with grammars.
    grammars: Vec<String>,
    /// Names of types and selectors, with what they are called here.
    renamed: Vec<(String, String)>,
    initial: Vec<String>,
    formulas: Vec<String>,
}

/// The grammars that Attestor brings along: its name, ours, its type, and its selectors.
const PREDEFINED: &[(&str, &str, &str, &[&str])] = &[
    ("SLList", "SLL", "ListNode", &["next"]),
    ("DLList", "DLL", "DLListNode", &["next", "prev"]),
    ("BT", "Tree", "BTNode", &["left", "right"]),
];

/// Options that change how Attestor works and not what is asked.
const SKIPPED: &[&str] = &[
    "--admissible-abstraction",
    "--admissible-constants",
    "--admissible-full",
    "--admissible-markings",
    "--canonical",
    "--no-garbage-collector",
    "--no-chain-abstraction",
    "--no-rule-collapsing",
    "--post-processing",
    "--hierarchical-model-checking",
    "--debug",
    "--quiet",
];

/// Options with a value that changes nothing of what is asked.
const SKIPPED_WITH_VALUE: &[&str] = &[
    "--description",
    "--mc-skip",
    "--max-state-space",
    "--max-heap",
    "--export",
    "--export-grammar",
    "--export-large-states",
    "--root-path",
];

/// The words of a settings file, without comments.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (mut word, mut quoted, mut any) = (String::new(), false, false);
        for char in line.chars() {
            match char {
                '"' => (quoted, any) = (!quoted, true),
                '#' if !quoted => break,
                char if char.is_whitespace() && !quoted => {
                    if any {
                        all.push((number + 1, std::mem::take(&mut word)));
                    }
                    any = false;
                }
                char => {
                    word.push(char);
                    any = true;
                }
            }
        }
        if any {
            all.push((number + 1, word));
        }
    }
    all
}

impl Settings {
    /// Reads a settings file.
    pub(super) fn read(text: &str) -> Result<Self, Vec<Problem>> {
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        let words = words(text);
        // Words before the first option mean nothing to Attestor.
        let mut at = words.iter().take_while(|(_, word)| !word.starts_with("--")).count();
        while let Some((line, option)) = words.get(at) {
            at += 1;
            let values: Vec<&String> = words[at..]
                .iter()
                .take_while(|(_, word)| !word.starts_with("--"))
                .map(|(_, word)| word)
                .collect();
            at += values.len();
            let mut one = |into: &mut String| match values[..] {
                [value] => into.clone_from(value),
                _ => problems.push(Problem::error(
                    "H601",
                    format!("line {line}: `{option}` takes one value, not {}", values.len()),
                )),
            };
            match option.as_str() {
                "--class" => one(&mut settings.class),
                "--method" => one(&mut settings.method),
                "--classpath" => settings.classpath.extend(values.into_iter().cloned()),
                "--predefined-grammar" => settings.predefined.extend(values.into_iter().cloned()),
                "--grammar" => settings.grammars.extend(values.into_iter().cloned()),
                "--initial" => settings.initial.extend(values.into_iter().cloned()),
                "--model-checking" => settings.formulas.extend(values.into_iter().cloned()),
                "--rename" => {
                    let pairs = values.iter().filter_map(|it| it.split_once('='));
                    let pairs = pairs.map(|(old, new)| (old.to_owned(), new.to_owned()));
                    settings.renamed.extend(pairs);
                }
                other if SKIPPED.contains(&other) || SKIPPED_WITH_VALUE.contains(&other) => {}
                other => problems.push(
                    Problem::error("H601", format!("line {line}: `{other}` is not read"))
                        .hint("docs/heaps.md says what is read of settings of Attestor"),
                ),
            }
        }
        for (what, value) in [("--class", &settings.class), ("--method", &settings.method)] {
            if value.is_empty() {
                problems.push(Problem::error("H601", format!("there is no `{what}`")));
            }
        }
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    /// What a type or selector of Attestor is called here.
    fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }

    /// The grammars that are asked for, as `SLL=Node(next)`.
    fn grammars(&self) -> Result<Vec<String>, Vec<Problem>> {
        let mut found = Vec::new();
        for name in &self.predefined {
            let Some((_, ours, kind, fields)) = PREDEFINED.iter().find(|it| it.0 == name) else {
                let known: Vec<&str> = PREDEFINED.iter().map(|it| it.0).collect();
                let message = format!("the grammar `{name}` is not known");
                let hint = format!("known are {}", known.join(", "));
                return Err(vec![Problem::error("H601", message).hint(hint)]);
            };
            let fields: Vec<&str> = fields.iter().map(|it| self.renamed(it)).collect();
            found.push(format!("{ours}={}({})", self.renamed(kind), fields.join(", ")));
        }
        Ok(found)
    }
}

/// A file that settings name: beside what was asked from, or in a folder above the settings.
fn located(settings: &Path, name: &str) -> Option<PathBuf> {
    let mut folder = std::fs::canonicalize(settings).ok();
    let direct = PathBuf::from(name);
    if direct.exists() {
        return Some(direct);
    }
    while let Some(above) = folder.as_deref().and_then(Path::parent) {
        let there = above.join(name);
        if there.exists() {
            return Some(there);
        }
        folder = Some(above.to_owned());
    }
    None
}

/// Reads what settings name, and makes a model of it.
pub(super) fn model(path: &str, source: &Source, budget: &Budget) -> Result<HeapModel, Error> {
    let wrong = |problems: Vec<Problem>| Error::new(source.clone(), Refusal::Problems(problems));
    let text = String::from_utf8_lossy(&source.bytes).into_owned();
    let settings = Settings::read(&text).map_err(wrong)?;
    let grammars = settings.grammars().map_err(wrong)?;
    let program = program_of(path, &settings).map_err(|problem| wrong(vec![*problem]))?;
    let shown = program.to_string_lossy().into_owned();
    let Some(kind) = source_of(&shown) else {
        return Err(wrong(vec![Problem::error("H602", format!("`{shown}` is no program"))]));
    };
    let options = Options { class_path: sources_beside(&program), ..Options::default() };
    let reading = (kind.read)(&program, &options, budget)
        .map_err(|refusal| Error::new(Source::new(&shown, ""), refusal))?;
    let read = |name: &String| {
        let text = located(Path::new(path), name).and_then(|it| std::fs::read_to_string(it).ok());
        let problem = || wrong(vec![Problem::error("H602", format!("`{name}` cannot be read"))]);
        Ok((name.clone(), text.ok_or_else(problem)?))
    };
    let mut rules = Vec::new();
    for name in &settings.grammars {
        let (name, text) = read(name)?;
        rules.push(GrammarFile { name, text, renamed: settings.renamed.clone() });
    }
    let asked = JavaAsked {
        method: Some(format!("{}.{}", settings.class, settings.method)),
        grammars,
        rules,
        ..JavaAsked::default()
    };
    let heaps: Result<Vec<(String, String)>, Error> = settings.initial.iter().map(read).collect();
    let heaps = heaps?;
    let make = |grammar: &Grammar| -> Result<Vec<(Heap, Vec<String>)>, Vec<Problem>> {
        let mut all = Vec::new();
        for (name, text) in &heaps {
            let heap = initial(&settings, grammar, text)
                .map_err(|why| vec![Problem::error("H603", format!("`{name}`: {why}"))])?;
            all.push(heap);
        }
        Ok(all)
    };
    let mut model = java::model_from(source.clone(), reading, &asked, Some(&make), budget)?;
    let mut problems = Vec::new();
    model.clear_claims();
    for formula in &settings.formulas {
        let translated = translated(&model, formula);
        match translated {
            Ok(text) => problems.extend(model.add(0, &text, None)),
            Err(why) => problems.push(Problem::error("H604", format!("`{formula}`: {why}"))),
        }
    }
    // Without a formula Attestor says whether the program is safe.
    if model.claims.list().is_empty() && problems.is_empty() {
        problems.extend(model.add(0, "G !nullderef", None));
    }
    if problems.is_empty() { Ok(model) } else { Err(wrong(problems)) }
}

/// The program: a folder of class files, or the source of the class in it.
fn program_of(path: &str, settings: &Settings) -> Result<PathBuf, Box<Problem>> {
    let mut tried = Vec::new();
    for place in &settings.classpath {
        let Some(folder) = located(Path::new(path), place) else {
            tried.push(place.clone());
            continue;
        };
        let inside = settings.class.replace('.', "/");
        if folder.join(format!("{inside}.class")).exists() {
            return Ok(folder);
        }
        let file = folder.join(format!("{inside}.java"));
        if file.exists() {
            return Ok(file);
        }
        tried.push(folder.to_string_lossy().into_owned());
    }
    let message = format!("the class `{}` is not there", settings.class);
    let hint = format!("looked for in {}", tried.join(", "));
    Err(Box::new(Problem::error("H602", message).hint(hint)))
}

/// Where `javac` finds the other classes of a source file: beside it.
fn sources_beside(program: &Path) -> Vec<PathBuf> {
    let folder = program.parent().filter(|_| program.extension().is_some_and(|it| it == "java"));
    folder.map(Path::to_owned).into_iter().collect()
}

/// JSON in which commas may stand before a closing bracket.
pub(super) fn lenient(text: &str) -> Result<Json, String> {
    let mut clean = String::new();
    let (mut quoted, mut comma) = (false, false);
    for char in text.chars() {
        if comma && !char.is_whitespace() {
            if !matches!(char, '}' | ']') {
                clean.push(',');
            }
            comma = false;
        }
        match char {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                comma = true;
                continue;
            }
            _ => {}
        }
        clean.push(char);
    }
    serde_json::from_str(&clean).map_err(|error| error.to_string())
}

pub(super) fn list<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn number(json: &Json, name: &str) -> Result<usize, String> {
    let found = json.get(name).and_then(Json::as_u64).and_then(|it| usize::try_from(it).ok());
    found.ok_or_else(|| format!("`{name}` is missing or no number"))
}

pub(super) fn text<'j>(json: &'j Json, name: &str) -> Result<&'j str, String> {
    json.get(name).and_then(Json::as_str).ok_or_else(|| format!("`{name}` is missing"))
}

/// An initial heap, and the names of its objects that are no parameters.
fn initial(
    settings: &Settings,
    grammar: &Grammar,
    source: &str,
) -> Result<(Heap, Vec<String>), String> {
    let json = lenient(source)?;
    let mut heap = Heap::default();
    let mut objects: Vec<ObjectId> = Vec::new();
    for group in list(&json, "nodes") {
        let kind = text(group, "type")?;
        for _ in 0..number(group, "number")?.min(1000) {
            objects.push(match kind {
                "NULL" => null(),
                kind => {
                    let name = settings.renamed(kind);
                    let found = grammar.types.kind(name);
                    heap.add_object(found.ok_or_else(|| format!("there is no type `{name}`"))?)
                }
            });
        }
    }
    let object = |number: usize| {
        objects.get(number).copied().ok_or_else(|| format!("there is no node {number}"))
    };
    let set = |heap: &mut Heap, from: ObjectId, name: &str, to: ObjectId| -> Result<(), String> {
        let kind: TypeId = heap.kind(from).ok_or("a field of null")?;
        let selector = grammar.types.selector(kind, name);
        let selector = selector.ok_or_else(|| format!("there is no field `{name}`"))?;
        match heap.set_field(from, selector, to) {
            None => Ok(()),
            Some(_) => Err(format!("the field `{name}` is given twice")),
        }
    };
    for it in list(&json, "selectors") {
        let (from, to) = (object(number(it, "origin")?)?, object(number(it, "target")?)?);
        set(&mut heap, from, settings.renamed(text(it, "label")?), to)?;
    }
    for it in list(&json, "hyperedges") {
        let label = text(it, "label")?;
        let at: Result<Vec<ObjectId>, String> = list(it, "tentacles")
            .iter()
            .map(|it| it.as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX))
            .map(&object)
            .collect();
        let at = at?;
        let ours = |name: &str| {
            grammar.nonterminal(name).ok_or_else(|| format!("there is no grammar for `{label}`"))
        };
        match (label, &at[..]) {
            ("RefSLList", &[a, b]) => heap.add_edge(ours("SLL")?, vec![a, b]),
            ("RefBT", &[root, end]) if end == null() => heap.add_edge(ours("Tree")?, vec![root]),
            ("RefDLList", &[before, a, b, behind]) => {
                set(&mut heap, a, settings.renamed("prev"), before)?;
                set(&mut heap, b, settings.renamed("next"), behind)?;
                heap.add_edge(ours("DLL")?, vec![a, b]);
            }
            (label, at) => {
                let own = grammar.nonterminal(label);
                let rank = own.map(|it| grammar.nonterminals[it].tentacles.len());
                match (own, rank == Some(at.len())) {
                    (Some(own), true) => heap.add_edge(own, at.to_vec()),
                    _ => return Err(format!("the hyperedge `{label}` is not known")),
                }
            }
        }
    }
    let mut names = Vec::new();
    let has_this = list(&json, "variables").iter().any(|it| text(it, "name") == Ok("@this:"));
    for it in list(&json, "variables") {
        let (name, value) = (text(it, "name")?, object(number(it, "target")?)?);
        let parameter = name.strip_prefix("@parameter").map(|it| it.trim_end_matches(':'));
        let slot = match (name, parameter.map(str::parse::<u32>)) {
            ("null", _) => continue,
            ("@this:", _) => Slot::Variable(0),
            (_, Some(Ok(number))) => Slot::Variable(number.saturating_add(has_this.into())),
            (_, Some(Err(_))) => return Err(format!("`{name}` is no parameter")),
            (name, None) => {
                names.push(name.to_owned());
                named_slot(names.len() - 1)
            }
        };
        heap.set_slot(slot, Value::Object(value));
    }
    // Fields that nothing is said of are `null`, as those of new objects.
    let said = heap.clone();
    for object in said.objects().skip(1) {
        let selectors = said.kind(object).map_or(&[][..], |it| &grammar.types.kinds[it].selectors);
        for &selector in selectors {
            let given = said.field(object, selector).is_some()
                || grammar.provider(&said, object, selector).is_some();
            if !given {
                heap.set_field(object, selector, null());
            }
        }
    }
    if !grammar.check_provided(&heap) {
        return Err("a field of an object is given twice".to_owned());
    }
    Ok((heap, names))
}

/// A formula with our propositions.
fn translated(model: &HeapModel, formula: &str) -> Result<String, String> {
    if formula.split_whitespace().collect::<String>() == "Gtrue" {
        return Ok("G !nullderef".to_owned());
    }
    let mut result = String::new();
    let mut rest = formula;
    while let Some((before, behind)) = rest.split_once('{') {
        let (atom, after) = behind.split_once('}').ok_or("a brace is not closed")?;
        result += &spaced(before);
        result += &proposition(model, atom.trim())?;
        rest = after;
    }
    Ok(result + &spaced(rest))
}

/// Operators in a row are told apart: `GF` is `G F`.
fn spaced(text: &str) -> String {
    let mut result = String::new();
    for part in text.split_inclusive(|char: char| !char.is_ascii_alphabetic()) {
        let letters = part.trim_end_matches(|char: char| !char.is_ascii_alphabetic());
        if letters.chars().all(|char| "GFXUR".contains(char)) {
            letters.chars().for_each(|char| result.extend([char, ' ']));
            result += &part[letters.len()..];
        } else {
            result += part;
        }
    }
    result
}

fn proposition(model: &HeapModel, atom: &str) -> Result<String, String> {
    let inside = |name: &str| {
        atom.strip_prefix(name)?.trim_start().strip_prefix('(')?.trim_end().strip_suffix(')')
    };
    let types = &model.grammar.types;
    let method = &model.code.methods[model.given[0].0.procedure];
    if atom == "terminated" {
        return Ok("terminated".to_owned());
    }
    if atom == "identicNeighbours" {
        // Of the types that grammars are about: those of `elem` have these fields.
        let mut fields: Vec<&str> = model
            .grammar
            .shapes
            .iter()
            .flat_map(|shape| &types.kinds[shape.kind].selectors)
            .map(|&id| &*types.selectors[id].name)
            .collect();
        fields.sort_unstable();
        fields.dedup();
        let all: Vec<String> =
            fields.iter().map(|it| format!("\"elem.{it} == elem@{it}\"")).collect();
        return Ok(format!("({})", all.join(" & ")));
    }
    if atom == "visited" {
        let locals = method.locals.iter().filter(|it| it.kind.is_some() && !it.name.is_empty());
        let mut all: Vec<String> = locals.map(|it| format!("\"{} == elem\"", it.name)).collect();
        all.sort_unstable();
        all.dedup();
        return Ok(format!("({})", all.join(" | ")));
    }
    if let Some(name) = inside("visited") {
        return Ok(format!("\"{} == elem\"", variable(model, name.trim())));
    }
    if let Some(name) = inside("L") {
        let ours = match name.trim() {
            "RefSLList" => "SLL",
            "RefDLList" => "DLL",
            "RefBT" => "Tree",
            other if model.grammar.shape(other).is_some() => other,
            other => return Err(format!("there is no grammar for `{other}`")),
        };
        return Ok(format!("\"whole({ours})\""));
    }
    if let Some(parts) = inside("isReachable") {
        let (terms, fields) = match parts.split_once('[') {
            Some((terms, fields)) => (terms, fields.trim_end().trim_end_matches(']')),
            None => (parts, ""),
        };
        let terms: Vec<&str> =
            terms.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        let mut fields: Vec<&str> =
            fields.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        if fields.is_empty() {
            fields = types.selectors.as_slice().iter().map(|it| &*it.name).collect();
            fields.sort_unstable();
            fields.dedup();
        }
        let [from, to] = terms[..] else { return Err(format!("`{atom}` takes two variables")) };
        let (from, to) = (variable(model, from), variable(model, to));
        let by = fields.join(", ");
        let one: Vec<String> =
            fields.iter().map(|field| format!("\"reach({from}.{field}, {to}, {by})\"")).collect();
        return Ok(format!("({})", one.join(" | ")));
    }
    for sign in ["==", "!="] {
        if let Some((left, right)) = atom.split_once(sign) {
            let (left, right) = (variable(model, left.trim()), variable(model, right.trim()));
            return Ok(format!("\"{left} {sign} {right}\""));
        }
    }
    Err(format!("the proposition `{atom}` is not known"))
}

/// A variable: of the checked method, a name of the initial heap, or of the one other method that
/// has such a variable.
fn variable(model: &HeapModel, text: &str) -> String {
    let name = text.split('.').next().unwrap_or(text);
    let has = |method: &tern_heap::code::Method| {
        method.locals.iter().any(|it| it.name == name && it.kind.is_some())
    };
    let checked = model.given[0].0.procedure;
    let known = ["null", "return"].contains(&name) || model.code.named.iter().any(|it| it == name);
    if known || has(&model.code.methods[checked]) {
        return text.to_owned();
    }
    let mut others = model.code.methods.as_slice().iter().filter(|it| has(it));
    match (others.next(), others.next()) {
        (Some(only), None) => format!("{}.{text}", only.name),
        _ => text.to_owned(),
    }
}
