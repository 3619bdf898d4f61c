//! What is known of library methods without reading them: `models/java.txt`.

use rustc_hash::FxHashMap;

/// The text of the models.
const TEXTS: [&str; 2] =
    [include_str!("../models/java.txt"), include_str!("../models/exceptions.txt")];

/// What is known of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Its result may be null, and must be tested.
    pub nullable: bool,
    /// It only looks: asked again, it answers the same until something is done.
    pub asks: bool,
    /// It throws if it is given `null`.
    pub demands: bool,
    /// Its result is null for what is not there, and must be tested where others do so.
    pub lookup: bool,
    /// Its result is never null.
    pub nonnull: bool,
    /// It throws nothing that is declared.
    pub quiet: bool,
    /// What it may throw.
    pub throws: Option<&'static str>,
    /// What it throws if its arguments are wrong: only for those who expect it.
    pub may: Option<&'static str>,
    /// The least number that it answers.
    pub least: Option<i64>,
    /// It does not come back.
    pub ends: bool,
    /// An object made of another closes that one.
    pub wrapper: bool,
    /// The result stands for the receiver.
    pub same: bool,
    /// The result is closed with the receiver.
    pub child: bool,
    /// The result is always the same for one receiver.
    pub part: bool,
    /// Arguments are looked at, and not kept.
    pub keeps: bool,
    /// It waits for other threads, which may write fields meanwhile.
    pub waits: bool,
}

/// One thing that is known of the methods, or classes, that fit a pattern.
#[derive(Debug)]
struct Row {
    kind: &'static str,
    argument: &'static str,
    pattern: &'static str,
    /// The types of parameters, if these are said.
    types: Option<&'static str>,
}

impl Row {
    fn new(kind: &'static str, argument: &'static str, text: &'static str) -> Row {
        let (pattern, types) = match text.split_once('(') {
            Some((pattern, types)) => (pattern, types.strip_suffix(')')),
            None => (text, None),
        };
        Row { kind, argument, pattern, types }
    }

    /// The method that it is about; none if there may be many.
    fn method(&self) -> Option<&'static str> {
        let (_, method) = self.pattern.rsplit_once('.')?;
        (self.kind != WRAPPER && !method.contains('*')).then_some(method)
    }
}

/// The kind whose patterns are about classes.
const WRAPPER: &str = "wrapper";

/// The models.
#[derive(Debug)]
pub struct Models {
    rows: Vec<Row>,
    /// Numbers of rows, by the method that they are about.
    named: FxHashMap<&'static str, Vec<usize>>,
    /// Those that are about many methods.
    open: Vec<usize>,
    below: FxHashMap<&'static str, &'static str>,
    properties: Vec<&'static str>,
}

impl Models {
    /// Those that come with Tern.
    pub fn new() -> Self {
        let (mut rows, mut below) = (Vec::new(), FxHashMap::default());
        let (mut properties, mut open) = (Vec::new(), Vec::new());
        let mut named: FxHashMap<&'static str, Vec<usize>> = FxHashMap::default();
        for line in TEXTS.iter().flat_map(|it| it.lines()).filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let Some(kind) = words.next() else { continue };
            let argument = match kind {
                "throws" | "below" | "may" | "least" => words.next().unwrap_or_default(),
                _ => "",
            };
            match kind {
                "property" => properties.extend(words),
                "below" => below.extend(words.map(|name| (name, argument))),
                _ => rows.extend(words.map(|name| Row::new(kind, argument, name))),
            }
        }
        for (number, row) in rows.iter().enumerate() {
            match row.method() {
                Some(method) => named.entry(method).or_default().push(number),
                None => open.push(number),
            }
        }
        Models { rows, named, open, below, properties }
    }

    /// Whether every machine has a property of that name.
    pub fn has_property(&self, name: &str) -> bool {
        self.properties.contains(&name)
    }

    /// The classes of what methods throw.
    pub fn thrown(&self) -> impl Iterator<Item = &'static str> {
        let throws = self.rows.iter().filter(|row| ["throws", "may"].contains(&row.kind));
        throws.map(|row| row.argument)
    }

    /// What a class of the library lies directly below.
    pub fn above(&self, class: &str) -> Option<&'static str> {
        self.below.get(class).copied()
    }

    /// What is known of a method with parameters of some types, as Java writes them.
    pub fn of(&self, class: &str, method: &str, types: &[String]) -> Model {
        let name = format!("{class}.{method}");
        let mut model = Model::default();
        let own = self.named.get(method).map_or(&[][..], Vec::as_slice);
        let mut numbers: Vec<usize> = own.iter().chain(&self.open).copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let &Row { kind, argument, pattern, types: wanted } = &self.rows[number];
            let subject = if kind == WRAPPER { class } else { &name };
            // What is known of the arguments and results of a class is true of those below it.
            let is_passed_on = method != "<init>"
                && ["keeps", "nullable", "asks", "lookup", "nonnull", "same", "child", "least"]
                    .contains(&kind);
            let above = || std::iter::successors(self.above(class), |it| self.above(it));
            let fits = |subject: &str| glob(pattern.as_bytes(), subject.as_bytes());
            let is_meant = fits(subject)
                || is_passed_on && above().any(|above| fits(&format!("{above}.{method}")));
            if !is_meant || wanted.is_some_and(|wanted| !are_of(types, wanted)) {
                continue;
            }
            match kind {
                "nullable" => model.nullable = true,
                "asks" => model.asks = true,
                "demands" => model.demands = true,
                "lookup" => model.lookup = true,
                "nonnull" => model.nonnull = true,
                "quiet" => model.quiet = true,
                "throws" => model.throws = model.throws.or(Some(argument)),
                "least" => model.least = argument.parse().ok(),
                "ends" => model.ends = true,
                WRAPPER => model.wrapper = true,
                "same" => model.same = true,
                "child" => model.child = true,
                "part" => model.part = true,
                "keeps" => model.keeps = true,
                "waits" => model.waits = true,
                "may" => model.may = model.may.or(Some(argument)),
                other => unreachable!("the models have no `{other}`"),
            }
        }
        if model.quiet {
            model.throws = None;
        }
        model
    }
}

/// Whether types are those of a list: `String,int`.
fn are_of(types: &[String], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split(',').filter(|it| !it.is_empty()).collect();
    wanted.len() == types.len()
        && wanted.iter().zip(types).all(|(wanted, ty)| ty.rsplit('.').next() == Some(wanted))
}

impl Default for Models {
    fn default() -> Self {
        Models::new()
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where the last star is, and what it is tried to end before.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match (pattern.get(p), star) {
            (Some(b'*'), _) => {
                star = Some((p, t));
                p += 1;
            }
            (Some(&letter), _) if letter == text[t] => {
                p += 1;
                t += 1;
            }
            (_, Some((at, end))) => {
                star = Some((at, end + 1));
                p = at + 1;
                t = end + 1;
            }
            _ => return false,
        }
    }
    pattern[p..].iter().all(|&letter| letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_name() {
        let models = Models::new();
        let text = || vec!["java.lang.String".to_owned()];
        assert!(models.of("java.lang.System", "getProperty", &text()).nullable);
        assert!(!models.of("java.lang.System", "getProperty", &[text(), text()].concat()).nullable);
        assert!(models.of("java.lang.String", "trim", &[]).nonnull);
        assert_eq!(
            models.of("java.io.FileReader", "read", &[]).throws,
            Some("java.io.IOException")
        );
        assert_eq!(models.of("java.io.PrintStream", "write", &[]).throws, None);
        assert_eq!(models.of("java.util.ArrayList", "size", &[]).least, Some(0));
        assert_eq!(models.of("java.lang.String", "indexOf", &[]).least, Some(-1));
        assert!(models.of("java.io.BufferedReader", "<init>", &[]).wrapper);
        assert_eq!(models.above("java.sql.SQLException"), Some("java.lang.Exception"));
        assert_eq!(models.of("org.app.Main", "main", &[]), Model::default());
    }
}
