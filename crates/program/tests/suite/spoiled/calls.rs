//! Forged evidence about functions that call themselves: each is wrong in one thing only, and must
//! be refused for just that.

use super::*;
use tern_ir::bodies::Whole;
use tern_ir::descended;
use tern_ir::proof::{Branch, CallProof, KnownProof, Reason, Refutation};
use tern_ir::summary::{self, Class, Known, Regions, Summaries};
use tern_model::logic::ctl;
use tern_numeric::check::{Question, Wants, decide};

/// A function that counts down, and one that it is told apart from by its argument.
const TEXT: &str = "int g;
int f(int a) { if (a <= 0) return 0; g = 1; return f(a - 1) + 1; }
void main() { int x; x = f(3); }";

/// Evidence for a claim, with some of it changed.
fn with_evidence(shown: &str, forge: impl FnOnce(&Flow, &mut CallProof)) -> Result<(), String> {
    let written = Written::read(TEXT, &Settings::default(), shown);
    let case = written.case();
    let decision = case.decide(&Budget::unlimited());
    let mut proof = case.proof(&decision).expect("there is evidence");
    forge(&written.flow, proof.calls.as_mut().expect("it is about calls"));
    case.judge(true, &proof).map_err(|it| it.to_string())
}

/// `variable >= least`
fn at_least(variable: usize, least: i128) -> Row {
    let terms = vec![(Column::variable(variable), 1)];
    Row::at_least_zero(Affine { terms, constant: -least })
}

#[track_caller]
fn refused(why: &str, forge: impl FnOnce(&Flow, &mut CallProof)) {
    let found = with_evidence("AF{exit: true}", forge).expect_err("it is forged");
    assert!(found.contains(why), "{found}");
}

#[test]
fn what_is_said_of_procedures_is_whole() {
    assert_eq!(with_evidence("AF{exit: true}", |_, _| {}), Ok(()));
    let count = "there is not one of each";
    refused(count, |_, calls| _ = calls.known.pop());
    refused(count, |_, calls| calls.known.extend(calls.known.first().cloned()));
    // Rows that nothing is said of must not be what returns rely on.
    refused(count, |_, calls| {
        let known = &mut calls.summaries.known;
        known.extend(known.first().cloned());
    });
    refused(count, |_, calls| _ = calls.inside.pop());
    refused(count, |_, calls| _ = calls.summaries.inside.pop());
    refused(count, |_, calls| _ = calls.summaries.regions.pop());
    refused(count, |_, calls| calls.summaries.regions[0].known = 9);
    refused("does not have its form", |_, calls| _ = calls.known[0].left.pop());
    refused("reasons for each point", |_, calls| _ = calls.inside[0].pop());
    refused("one layer for each term", |_, calls| calls.known[0].proof.layers.clear());
    // What is left behind matters for this one.
    let forged = with_evidence("AF{exit: x >= 0}", |_, calls| {
        let mut left = calls.known.iter_mut().flat_map(|it| &mut it.left);
        _ = left.find(|it| !it.is_empty()).expect("something is left").pop();
    });
    let why = forged.expect_err("it is forged");
    assert!(why.contains("not one reason for each"), "{why}");
}

#[test]
fn what_is_said_of_procedures_is_about_what_it_may_be() {
    let other = "about other variables";
    let local = |flow: &Flow| {
        let is_x = |name: &String| name == "x";
        flow.variables.iter().position(is_x).expect("it is a variable of main")
    };
    refused(other, |flow, calls| calls.summaries.inside[0].push(at_least(local(flow), 0)));
    refused(other, |flow, calls| {
        let tree = vec![Branch::Split(at_least(local(flow), 0)), Branch::Leaf, Branch::Leaf];
        calls.summaries.known[0].trees[0] = tree;
    });
    refused(other, |flow, calls| {
        let mut exits = calls.summaries.known[0].exits.iter_mut().flatten();
        exits.next().expect("it is left").push(at_least(local(flow), 0));
    });
}

#[test]
fn what_is_said_of_kinds_of_calls_is_about_what_they_are_given() {
    refused("about other variables", |flow, calls| {
        let is_x = |name: &String| name == "x";
        let x = flow.variables.iter().position(is_x).expect("it is a variable of main");
        let regions = &mut calls.summaries.regions[0];
        regions.tree = vec![Branch::Split(at_least(x, 0)), Branch::Leaf, Branch::Leaf];
        regions.classes = vec![Class::Ends; 2];
    });
}

#[test]
fn what_is_said_of_procedures_has_reasons() {
    let global = |flow: &Flow| {
        flow.variables.iter().position(|name| name == "g").expect("there is such a global")
    };
    // That g is 7 at least while f runs.
    refused("a row about procedures", |flow, calls| {
        calls.summaries.inside[0].push(at_least(global(flow), 7));
        for reasons in &mut calls.inside[0] {
            reasons.push(vec![Reason::Sum(vec![(0, 1)])]);
        }
    });
    // The proof that calls end is about something else.
    refused("not that of the claim", |_, calls| {
        let truth = Term::True;
        let proof = &mut calls.known[0].proof;
        let terms: Table<_, Term> = std::iter::once(truth).collect();
        proof.claim = Program { root: terms.ids().next().expect("there is one"), terms };
        proof.layers = vec![Layer::Plain];
    });
}

/// A claim about a program that calls itself, and what is said of its one function: all of which
/// is proved as far as it can be, whether it is true or not.
struct Forgery<'a> {
    written: &'a Written,
    whole: Whole<'a>,
    summaries: Summaries,
    /// The reasons for rows about exits, for each list.
    left: Vec<Vec<Refutation>>,
    /// Leaves out what has to be shown for calls to be of their kinds.
    hides_kinds: bool,
    /// Reads runs of the graph of descents, rather than those of the graph of calls.
    reads_descents: bool,
}

impl<'a> Forgery<'a> {
    /// That nothing is known but how calls end, and that by this.
    fn new(written: &'a Written, exits: &[Option<Vec<Row>>], class: Class) -> Self {
        let of = written.flow.summary.as_ref().expect("it calls itself");
        let known = exits
            .iter()
            .map(|exit| Known { trees: vec![vec![Branch::Leaf]], exits: vec![exit.clone()] });
        let regions = vec![Regions { known: 0, tree: vec![Branch::Leaf], classes: vec![class] }];
        Forgery {
            written,
            whole: Whole::new(&of.flow, &of.calls),
            summaries: Summaries { known: known.collect(), regions, inside: vec![Vec::new()] },
            left: vec![Vec::new(); exits.len()],
            hides_kinds: false,
            reads_descents: false,
        }
    }

    /// A proof about a list of rows.
    fn known(&self, number: usize) -> KnownProof {
        let variants = summary::variants(&self.whole, &self.summaries.known[number]);
        let variants = variants.expect("they have their form");
        let (formulas, root, propositions) = summary::claim();
        let claim = &ctl::lower(&formulas, root).expect("it is CTL");
        let proved = |beginnings: &[_]| {
            let flow = summary::descents(&self.whole, &variants, beginnings, true);
            prove(Question {
                flow: &flow,
                claim,
                propositions: &propositions,
                beyond: None,
                wants: wants(),
            })
        };
        let mut proof = proved(&[]);
        let regions = &self.summaries.regions[0];
        if regions.known as usize == number && !self.hides_kinds {
            let found = summary::beginnings(&self.whole, &variants, &proof.invariants, 0, regions);
            if let Some(found) = found {
                proof = proved(&found);
            }
        }
        KnownProof { left: vec![self.left[number].clone()], proof }
    }

    /// What the certifier says.
    fn judge(&self) -> Result<(), String> {
        let Forgery { written, whole, summaries, .. } = self;
        let known: Vec<KnownProof> = (0..summaries.known.len()).map(|it| self.known(it)).collect();
        let last = known.last().expect("there is one");
        let variants = summary::variants(whole, summaries.known.last().expect("there is one"));
        let variants = variants.expect("they have their form");
        let inhabited: Vec<bool> = last.proof.invariants.iter().map(Option::is_some).collect();
        let points = summary::inside(whole, &variants, &inhabited, 0).count();
        let fates = [summary::fates(whole, &variants, &inhabited, 0)];
        let flow = match self.reads_descents {
            true => descended::graph(whole, &variants),
            false => summary::caller(whole, summaries, &fates),
        };
        let flow = flow.expect("it has its form");
        let (claim, propositions) = (&written.program, &written.meanings);
        let beyond = self.reads_descents.then_some((&written.formulas, written.root));
        let mut proof =
            prove(Question { flow: &flow, claim, propositions, beyond, wants: wants() });
        proof.descended = self.reads_descents;
        let (summaries, inside) = (summaries.clone(), vec![vec![Vec::new(); points]]);
        proof.calls = Some(Box::new(CallProof { unfolded: false, summaries, known, inside }));
        written.case().judge(true, &proof).map_err(|it| it.to_string())
    }
}

fn wants() -> Wants {
    Wants { evidence: true, ..Wants::default() }
}

#[track_caller]
fn prove(question: Question<'_>) -> Proof {
    let decision = decide(question, &Budget::unlimited());
    assert_eq!(decision.verdict, Verdict::Holds);
    decision.proof.expect("it was asked for").expect("it was found")
}

/// A function that ends, and its result.
const ENDS: &str = "int f(int a) { if (a <= 0) return 0; return f(a - 1); }
void main() { int x; x = f(3); }";

/// `result >= least`, for the result of the one function.
fn gives(written: &Written, least: i128) -> Row {
    let of = written.flow.summary.as_ref().expect("it calls itself");
    at_least(of.calls.procedures[0].result, least)
}

#[test]
fn what_is_said_of_procedures_may_be_little() {
    let written = Written::read(ENDS, &Settings::default(), "AF{exit: true}");
    let honest = Forgery::new(&written, &[Some(Vec::new())], Class::Ends);
    assert_eq!(honest.judge(), Ok(()));
    let lists = Forgery::new(&written, &[Some(Vec::new()), Some(Vec::new())], Class::Ends);
    assert_eq!(lists.judge(), Ok(()));
}

#[test]
fn a_procedure_that_is_said_never_to_be_left_may_be_left_after_all() {
    let written = Written::read(ENDS, &Settings::default(), "AG{NOT{exit: true}}");
    for class in [Class::Never, Class::Unknown] {
        let why = Forgery::new(&written, &[None], class).judge().expect_err("it is forged");
        assert!(why.contains("may be left after all"), "{why}");
    }
    // In the list that kinds are shown by, and in the one that returns are by.
    for exits in [[None, Some(Vec::new())], [Some(Vec::new()), None]] {
        let written = Written::read(ENDS, &Settings::default(), "OR{exit: true}{NOT{exit: true}}");
        let forged = Forgery::new(&written, &exits, Class::Unknown);
        let why = forged.judge().expect_err("it is forged");
        assert!(why.contains("may be left after all"), "{why}");
    }
}

#[test]
fn rows_about_exits_have_reasons_in_all_lists() {
    for number in 0..2 {
        let shown = if number == 1 { "AG{OR{NOT{exit: true}}{x >= 7}}" } else { "AF{exit: true}" };
        let written = Written::read(ENDS, &Settings::default(), shown);
        let mut exits = [Some(Vec::new()), Some(Vec::new())];
        exits[number] = Some(vec![gives(&written, 7)]);
        let mut forged = Forgery::new(&written, &exits, Class::Ends);
        let why = forged.judge().expect_err("it has no reason");
        assert!(why.contains("not one reason for each"), "{why}");
        forged.left[number] = vec![vec![Reason::Sum(vec![(0, 1)])]];
        let why = forged.judge().expect_err("it is forged");
        assert!(why.contains("a row about procedures"), "{why}");
    }
}

#[test]
fn kinds_of_calls_are_shown() {
    // It never ends.
    let text = "int f(int a) { return f(a + 1); } void main() { int x; x = f(3); }";
    let written = Written::read(text, &Settings::default(), "AF{exit: true}");
    let mut forged = Forgery::new(&written, &[Some(Vec::new())], Class::Ends);
    forged.hides_kinds = true;
    let why = forged.judge().expect_err("it is forged");
    assert!(why.contains("there are not as many as points"), "{why}");
    // It ends, and is said never to.
    let written = Written::read(ENDS, &Settings::default(), "AG{NOT{exit: true}}");
    let forged = Forgery::new(&written, &[Some(Vec::new())], Class::Never);
    let why = forged.judge().expect_err("it is forged");
    assert!(why.contains("never to end may"), "{why}");
    // It ends, and is said to be able not to.
    let written = Written::read(ENDS, &Settings::default(), "EG{NOT{exit: true}}");
    let mut forged = Forgery::new(&written, &[Some(Vec::new())], Class::Stays);
    forged.hides_kinds = true;
    let why = forged.judge().expect_err("it is forged");
    assert!(why.contains("there are not as many as points"), "{why}");
}

#[test]
fn runs_are_not_read_where_calls_are_entered_for_good() {
    // There what comes after the end of a call that was entered is not seen: it stays at the end.
    let written = Written::read(ENDS, &Settings::default(), "EG{NOT{exit: true}}");
    let mut forged = Forgery::new(&written, &[Some(Vec::new())], Class::Unknown);
    forged.reads_descents = true;
    let why = forged.judge().expect_err("it is forged");
    assert!(why.contains("its runs cannot be read"), "{why}");
}
