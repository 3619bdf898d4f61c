//! A program as a source of machines: what is asked of it decides what its machine is.
//!
//! [`Code`] keeps the program and where its calls lead. When claims are known it makes the machine
//! in which their events are labels ([`control`]), and says what was not modelled. It is a
//! [`Vocabulary`], so that whoever decides claims about models decides claims about programs.

use crate::calls::{Calls, Start, Why, World};
use crate::control::events::{Event, Pattern};
use crate::control::{self, Gaps, Made, Options, names, silence};
use crate::sources::Reading;
use std::collections::BTreeSet;
use std::time::Instant;
use tern_front::vocabulary::{self, About, NotUnderstood, Wanted};
use tern_front::words::Nearest;
use tern_front::{Problem, Refusal, Vocabulary};
use tern_ir::{Access, ClassId, ProcId, Program, Type};
use tern_model::index::Id;
use tern_model::quoted;
use tern_model::{Budget, Limit, Machine, NodeId};

/// The codes of problems with what is asked of programs, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("B001", "no procedure has the name that is given as an entry"),
    ("B002", "a program without any procedure that it could begin with"),
];

/// What is asked of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The names of the procedures that it begins with. Without any: `main`, if there is one; else
    /// every public procedure of a public class.
    pub entries: Vec<String>,
    /// Whether `null`, bad indices and their like throw.
    pub implicit: bool,
    /// Whether code that cannot be followed only returns.
    pub stubs_return: bool,
}

/// A program and where its calls lead.
#[derive(Debug)]
pub struct Code {
    program: Program,
    calls: Calls,
    options: Options,
    gaps: Gaps,
    about: About,
    /// How many of the notes are there whatever is asked.
    usual_notes: usize,
    /// How long what takes long took, in seconds.
    seconds: Vec<(&'static str, f64)>,
    /// What the last machine was made for.
    made: Option<Wanted>,
    /// What claims about that machine call its components, if they speak of the stack.
    component_names: Option<Vec<String>>,
}

impl Code {
    /// Finds where the calls of a program lead. It does not begin in a library, unless that is
    /// asked for.
    ///
    /// # Errors
    /// That it does not have an entry that was asked for, or none at all; or a limit.
    pub fn new(reading: Reading, asked: &Asked, budget: &Budget) -> Result<Self, Refusal> {
        let Reading { mut program, library, providers, omitted, seconds, .. } = reading;
        let begin = Instant::now();
        let (entries, world) = entries(&program, library, asked)?;
        let start = Start { entries: &entries, world, providers: &providers, library };
        let calls = Calls::find(&mut program, start, budget)?;
        let gaps = Gaps::new(&program, &calls);
        let about = about(&gaps, &omitted, asked.stubs_return);
        let options = Options {
            implicit: asked.implicit,
            stubs_return: asked.stubs_return,
            every_step: false,
        };
        let seconds = vec![("reading", seconds), ("calls", begin.elapsed().as_secs_f64())];
        let usual_notes = about.notes.len();
        Ok(Code {
            program,
            calls,
            options,
            gaps,
            about,
            usual_notes,
            seconds,
            made: None,
            component_names: None,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Where its calls lead.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// What could not be followed.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    fn lines(&self) -> String {
        let Code { program, calls, gaps, .. } = self;
        let with_code = |id: &&ProcId| program.procedures()[**id].body.is_some();
        let reached = calls.reached.iter().filter(with_code).count();
        let several = calls.references().as_slice().iter().filter(|it| it.targets.len() > 1);
        let targets: usize = several.clone().map(|it| it.targets.len()).sum();
        let mut text = format!(
            "program              classes {}, procedures {}, reached {}, entries {}\n\
             calls                {}, of {} methods with several targets, {targets} in all\n",
            program.classes().len(),
            program.procedures().len(),
            reached,
            calls.entries.len(),
            calls.site_count(),
            several.count(),
        );
        for note in &self.about.notes {
            text += &format!("not modelled         {note}\n");
        }
        let mut stubs: Vec<&(Why, String, usize)> = gaps.stubs.iter().collect();
        stubs.sort_by(|a, b| b.2.cmp(&a.2).then(a.cmp(b)));
        for (why, name, count) in stubs.iter().take(MOST_STUBS) {
            text += &format!("  {:<18} {name}, calls: {count}\n", word(*why));
        }
        if stubs.len() > MOST_STUBS {
            text += &format!("  … and {} more\n", stubs.len() - MOST_STUBS);
        }
        text
    }

    fn things(&self, kind: &str, pattern: &Pattern) -> Vec<String> {
        let Code { program, calls, .. } = self;
        let mut found: Vec<String> = Vec::new();
        if kind == "fields" {
            for class in program.classes().as_slice() {
                let names = class.fields.iter().map(|&(field, _)| names::field(program, field));
                found.extend(names.filter(|name| pattern.fits(name)));
            }
        } else {
            for &id in &calls.reached {
                let Some(body) = &program.procedures()[id].body else { continue };
                let title = names::procedure(program, id);
                let bare = title.split('(').next().unwrap_or(&title);
                if !pattern.fits(if pattern.has_types() { &title } else { bare }) {
                    continue;
                }
                let wanted = |index: usize| (index < body.parameters) == (kind == "parameters");
                let variables = body.variables.ids().filter(|it| wanted(it.index()));
                found.extend(variables.filter_map(|it| names::local(program, id, it)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// How many events claims must speak of before procedures without any are left out. With fewer,
/// runs had better show all that happens.
const MANY_EVENTS: usize = 64;

/// How many procedures that cannot be followed are listed.
const MOST_STUBS: usize = 20;

fn word(why: Why) -> &'static str {
    match why {
        Why::Missing => "missing",
        Why::Native => "native",
        Why::Reflection => "reflection",
        Why::Handle => "handle",
        Why::Nowhere => "no target",
    }
}

/// What is not modelled, in sentences and in numbers.
fn about(gaps: &Gaps, omitted: &[(String, usize)], stubs_return: bool) -> About {
    let consequence = match (stubs_return, gaps.callbacks) {
        (true, 0) => "taken to return",
        (true, _) => "taken to return; may call back",
        (false, 0) => "may return or throw",
        (false, _) => "may return, throw or call back",
    };
    let mut notes = Vec::new();
    let mut counts = Vec::new();
    for (why, key, what) in [
        (Why::Missing, "missing", "of code that is missing"),
        (Why::Native, "native", "of native code"),
        (Why::Reflection, "reflection", "by reflection"),
        (Why::Handle, "handles", "by method handles"),
        (Why::Nowhere, "no_target", "without a target that was found"),
    ] {
        let count = gaps.count(why);
        counts.push((key, count));
        if count > 0 {
            let calls = if count == 1 { "call" } else { "calls" };
            notes.push(format!("{count} {calls} {what}: {consequence}"));
        }
    }
    for (what, count) in omitted {
        notes.push(format!("{what} ({count})"));
    }
    counts.push(("missing_classes", gaps.missing_classes));
    counts.push(("omitted", omitted.iter().map(|(_, count)| count).sum()));
    About { word: "control", words: "of the control flow", notes, counts }
}

/// The procedures that a program begins with, and which objects there are.
fn entries(
    program: &Program,
    library: ClassId,
    asked: &Asked,
) -> Result<(Vec<ProcId>, World), Refusal> {
    let has_code = |id: &ProcId| program.procedures()[*id].body.is_some();
    let is_own = |id: &ProcId| program.procedures()[*id].class.is_none_or(|it| it < library);
    let all = || program.procedures().ids().filter(has_code);
    if !asked.entries.is_empty() {
        let mut found = Vec::new();
        let mut problems = Vec::new();
        for entry in &asked.entries {
            let pattern = Pattern::new(entry);
            let title = |id: ProcId| match pattern.has_types() {
                true => names::procedure(program, id),
                false => program.title(id),
            };
            let before = found.len();
            found.extend(all().filter(is_own).filter(|&id| pattern.fits(&title(id))));
            if found.len() == before {
                found.extend(all().filter(|&id| pattern.fits(&title(id))));
            }
            if found.len() == before {
                problems.push(no_entry(program, all().filter(is_own), entry));
            }
        }
        if !problems.is_empty() {
            return Err(problems.into());
        }
        found.sort_unstable();
        found.dedup();
        return Ok((found, World::Closed));
    }
    let mains: Vec<ProcId> = all().filter(is_own).filter(|&id| is_main(program, id)).collect();
    if !mains.is_empty() {
        return Ok((mains, World::Closed));
    }
    let is_open = |id: &ProcId| {
        let procedure = &program.procedures()[*id];
        let class = procedure.class.map(|class| program.classes()[class].access);
        procedure.access == Access::Public && class.is_none_or(|access| access == Access::Public)
    };
    let found: Vec<ProcId> = all().filter(is_own).filter(is_open).collect();
    if found.is_empty() {
        let problem = Problem::error("B002", "there is no procedure that the program begins with")
            .hint("name one with --entry; it must have code");
        return Err(problem.into());
    }
    Ok((found, World::Open))
}

/// `static main(String[])`.
fn is_main(program: &Program, id: ProcId) -> bool {
    let procedure = &program.procedures()[id];
    let selector = &program.selectors()[procedure.selector];
    let parameters: Vec<String> =
        selector.parameters.iter().map(|&ty| names::ty(program, ty)).collect();
    procedure.is_static
        && program.text(selector.name) == "main"
        && program.types()[selector.result] == Type::Void
        && matches!(parameters.as_slice(), [only] if only == "java.lang.String[]")
}

fn no_entry(program: &Program, among: impl Iterator<Item = ProcId>, entry: &str) -> Problem {
    let titles: Vec<String> = among.map(|id| program.title(id)).collect();
    let short = titles.iter().filter_map(|title| {
        let mut dots = title.rmatch_indices('.').map(|(dot, _)| dot);
        let cut = dots.nth(1).map_or(0, |dot| dot + 1);
        title.get(cut..)
    });
    let near = Nearest::new().among(entry, titles.iter().map(String::as_str).chain(short));
    let problem = Problem::error("B001", format!("no procedure with code is called `{entry}`"));
    match near {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint("write Class.method; `*` stands for any letters"),
    }
}

impl Vocabulary for Code {
    fn nodes(&self, text: &str, _: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        // What happens somewhere is a label already.
        match Event::parse(text) {
            Ok(_) => Ok(Vec::new()),
            Err(wrong) => {
                Err(NotUnderstood::Proposition { message: wrong.message, hint: Some(wrong.hint) })
            }
        }
    }

    fn domain(&self, text: &str, _: &Budget) -> Result<Vec<String>, NotUnderstood> {
        const KINDS: [&str; 3] = ["fields", "locals", "parameters"];
        let (kind, argument) = text.split_once('(').unwrap_or((text, ""));
        if !KINDS.contains(&kind) {
            let near = Nearest::new().among(kind, KINDS);
            return Err(NotUnderstood::Proposition {
                message: format!("claims cannot range over `{kind}`"),
                hint: Some(match near {
                    Some(near) => format!("did you mean `{near}({argument}`?"),
                    None => "they range over fields(C), locals(M) and parameters(M)".to_owned(),
                }),
            });
        }
        let argument = argument.strip_suffix(')').unwrap_or(argument);
        let pattern = match argument.starts_with('"') {
            true => Pattern::new(&quoted::unquote(argument)),
            false => Pattern::new(argument),
        };
        let found = self.things(kind, &pattern);
        if found.is_empty() {
            return Err(NotUnderstood::Proposition {
                message: format!("the program has no {kind} `{}`", pattern.text()),
                hint: Some(format!("`*` stands for any letters: {kind}(\"*\") is all of them")),
            });
        }
        Ok(found)
    }

    fn machine(&mut self, wanted: &Wanted, budget: &Budget) -> Result<Option<Machine>, Limit> {
        if self.made.as_ref() == Some(wanted) {
            return Ok(None);
        }
        let events =
            wanted.names.iter().filter_map(|it| Some((it.clone(), Event::parse(it).ok()?)));
        let events: Vec<(String, Event)> = events.collect();
        let many = events.len() >= MANY_EVENTS;
        let every_step = wanted.steps && !(wanted.beside && many);
        let options = Options { every_step, ..self.options };
        let begin = Instant::now();
        let Made { mut machine, not_renamed } =
            control::make(&self.program, &self.calls, &events, options, budget)?;
        let said = wanted.names.iter().flat_map(|name| vocabulary::named_on_stack(name));
        let said: BTreeSet<String> = said.collect();
        let may_change = !every_step && !wanted.elsewhere && said.is_empty();
        if many
            && may_change
            && let Some(smaller) = silence::leave_out(&machine, budget)?
        {
            machine = smaller;
        }
        self.component_names = (!said.is_empty()).then(|| names::on_stack(&machine, &said));
        self.seconds.truncate(2);
        self.seconds.push(("machine", begin.elapsed().as_secs_f64()));
        self.about.notes.truncate(self.usual_notes);
        if not_renamed {
            let note = "claims about so many variables that reads of parameters do not count as \
                        reads of arguments";
            self.about.notes.push(note.to_owned());
        }
        if wanted.mixed {
            let note = "claims speak of different calls: what one of them speaks of is entered for \
                        none of them, so ask those alone that must not depend on others";
            self.about.notes.push(note.to_owned());
        }
        self.made = Some(wanted.clone());
        Ok(Some(machine))
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn component_names(&self) -> Option<&[String]> {
        self.component_names.as_deref()
    }

    fn seconds(&self) -> &[(&'static str, f64)] {
        &self.seconds
    }

    fn summary(&self) -> Option<String> {
        Some(self.lines())
    }
}
