//! A claim about a pointer program that is being decided: on heaps that stand for all inputs, then
//! on concrete inputs, the smallest first, then on heaps that are folded less.

mod inputs;

use super::conditions::conditions;
use super::proof::{Folds, bits};
use super::{HeapModel, HeapProof, HeapRun, HeapSettings, NoRun};
use std::collections::BTreeSet;
use tern_engine::{Checker, Options};
use tern_heap::abstraction::Kept;
use tern_heap::atoms::{Atom, Ghost};
use tern_heap::code::{Action, Method};
use tern_heap::grammar::{Grammar, Quality};
use tern_heap::graph::{Heap, SelectorId};
use tern_heap::identity::Identities;
use tern_heap::machine::{HeapMachine, Settings, Stop, Views};
use tern_heap::product::{self, AGAIN, Names, Product};
use tern_heap::start;
use tern_heap::text;
use tern_ir::ProcId;
use tern_model::abstraction::{Lane, MAYBE, Translation};
use tern_model::budget::Meter;
use tern_model::{
    Budget, Claim, Claims, Fairness, FormulaId, Formulas, Gap, Limit, Machine, Missing, Outcome,
    Verdict,
};

/// How many numbers a variable may be computed to be before any is as good as another: at first,
/// and if that does not settle a claim.
const FEW_NUMBERS: usize = 4;
pub(super) const MOST_VALUES: usize = 64;

/// How a program is followed on heaps that stand for all inputs.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Objects nearer than this to a variable keep their fields.
    distance: usize,
    /// Around what.
    around: Around,
    /// Whether callees are given only what they reach by fields that they read.
    narrow: bool,
    /// Whether callees see all of the heap.
    whole: bool,
    /// Whether it is known of what lies around heaps of callees what the claim remembers.
    views: bool,
    /// How many numbers a variable may be computed to be.
    numbers: usize,
    /// Whether numbers in fields are kept.
    counts: bool,
    /// How many states there may be.
    states: usize,
    /// If the claim does not hold, whether it is said where the abstraction is too coarse, and
    /// which nodes have names then.
    told: Option<Names>,
}

/// What objects keep their fields around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// Ghosts of which the claim asks for fields.
    Asked,
    /// These and variables.
    Used,
    /// All that is named.
    Named,
}

/// From how many objects on parts of heaps count as large, where that is told apart.
const MOST_TOLD_APART: usize = 2;

/// How many states are looked at before fewer are tried, in which less is known.
const FEW_STATES: usize = 5_000;

/// How many objects that a callee comes to others may know, besides those that claims remember.
/// Recursion that leaves objects behind in each frame would never come to an end.
const MOST_CUTPOINTS: usize = 6;

/// A claim that is being decided.
pub(super) struct Question<'a> {
    model: &'a HeapModel,
    claim: &'a Claim,
    given: &'a text::Input,
    procedure: ProcId,
    settings: HeapSettings,
    options: &'a Options,
    budget: &'a Budget,
    atoms: Vec<(String, Atom)>,
    ghosts: Vec<Ghost>,
    /// Those around which no fields need be kept.
    loose: Vec<Ghost>,
    pub(super) states: usize,
    /// What the abstract machine does not know.
    holes: Vec<String>,
    pub(super) input: Option<String>,
    pub(super) machine: Option<Machine>,
    pub(super) heaps: Vec<String>,
    pub(super) identities: Identities,
    pub(super) evidence: Option<HeapRun>,
    pub(super) proof: Option<Box<HeapProof>>,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        model: &'a HeapModel,
        claim: usize,
        settings: HeapSettings,
        options: &'a Options,
        budget: &'a Budget,
    ) -> Self {
        let given = &model.given[model.about[claim]].0;
        let procedure = given.procedure;
        let claim = &model.claims.list()[claim];
        let formulas = &model.claims.formulas;
        let named = claim.property.atoms(formulas).into_iter().filter_map(|atom| {
            let name = formulas.atom_name(atom);
            let read = Atom::read(name, &model.code, &model.grammar, procedure);
            Some((name.to_owned(), read.ok()?))
        });
        let atoms: Vec<(String, Atom)> = named.collect();
        let mut ghosts: Vec<Ghost> = atoms.iter().flat_map(|(_, atom)| atom.ghosts()).collect();
        if ghosts.iter().any(|it| matches!(it, Ghost::ElementField(_))) {
            ghosts.push(Ghost::Element);
        }
        // Sorted below: `elem` comes before its fields.
        let tracks = atoms.iter().any(|(_, atom)| atom.is_leak() || atom.is_whole());
        if tracks {
            // Who calls still has what it gave.
            let parameters = &model.code.methods[procedure].locals;
            let parameters = parameters.iter().take(given.parameters.len()).enumerate();
            let objects = parameters.filter(|(_, local)| local.kind.is_some());
            ghosts
                .extend(objects.filter_map(|(it, _)| Some(Ghost::Start(u32::try_from(it).ok()?))));
            // So it has what names of a heap that is given refer to.
            let names = 0..model.code.named.len();
            ghosts.extend(names.filter_map(|it| Some(Ghost::Named(u32::try_from(it).ok()?))));
        }
        ghosts.sort();
        ghosts.dedup();
        let loose = loose(&ghosts, &atoms);
        let (states, holes, input, machine, evidence) = (0, Vec::new(), None, None, None);
        Question {
            model,
            claim,
            given,
            procedure,
            settings,
            options,
            budget,
            atoms,
            ghosts,
            loose,
            states,
            holes,
            input,
            machine,
            heaps: Vec::new(),
            identities: Identities::default(),
            evidence,
            proof: None,
        }
    }

    /// An outcome that the claim holds, with a proof if one was asked for.
    fn proved(&mut self, grammar: &Grammar, mut outcome: Outcome, way: Way) -> Outcome {
        if !self.options.evidence {
            return outcome;
        }
        let formula = self.claim.formula().expect("claims about heaps are formulas");
        let about = (self.number(), formula);
        // A proof has about as many states as the machine: where it would have many more, because
        // calls are given all that they reach, it is given up.
        let most = self.settings.states.min(4 * self.states + 2_000);
        let loose = if way.around == Around::Named { &[][..] } else { &self.loose[..] };
        let coarse = way.around == Around::Asked;
        let Way { distance, numbers, narrow, views, .. } = way;
        let folds =
            Folds { distance, loose, coarse, numbers, narrow, views, ..Folds::plain(grammar) };
        let folds = Folds { states: most, ..folds };
        let mut found = self.model.proof(about, &folds, self.options, self.budget);
        if let (true, Err(NoRun::Refused(_))) = (narrow, &found) {
            let folds = Folds { narrow: false, ..folds };
            found = self.model.proof(about, &folds, self.options, self.budget);
        }
        if let Err(NoRun::Refused(_)) = found {
            found = self.by_choice().map_or(found, Ok);
        }
        match found {
            Ok(proof) => self.proof = Some(Box::new(proof)),
            Err(why) => {
                let gap = match why {
                    NoRun::Refused(why) => Gap::Unsupported(why),
                    NoRun::Limit(limit) => Gap::Limit(limit),
                };
                outcome.missing.push(Missing::Evidence(gap));
            }
        }
        outcome
    }

    /// A proof of a claim that asks for some run, by runs that go one way wherever the program may
    /// go either.
    fn by_choice(&self) -> Option<HeapProof> {
        let formula = self.claim.formula()?;
        if !tern_certify::heap::asks_for_some_path(&self.model.claims.formulas, formula) {
            return None;
        }
        let (grammar, loose, states) = (&self.model.grammar, &self.loose[..], FEW_STATES);
        let (distance, numbers) = (self.settings.distance, FEW_NUMBERS);
        [false, true].into_iter().map(Some).find_map(|chosen| {
            let folds = Folds { distance, loose, numbers, states, chosen, ..Folds::plain(grammar) };
            self.model.proof((self.number(), formula), &folds, self.options, self.budget).ok()
        })
    }

    /// The number of the input that the claim is about.
    fn number(&self) -> usize {
        let number = self.model.given.iter().position(|it| std::ptr::eq(&it.0, self.given));
        number.expect("it is one of them")
    }

    pub(super) fn decide(&mut self) -> Result<Outcome, Stop> {
        let budget = self.budget;
        let meter = &mut Meter::new(budget);
        let grammar = &self.model.grammar;
        let inputs = match start::inputs(grammar, self.given, &self.ghosts, meter) {
            // Small inputs may still show that it fails.
            Err(stop @ Stop::Places(_)) => return self.by_inputs(meter)?.ok_or(stop),
            other => other?,
        };
        let distance = self.settings.distance;
        // What is left out at first is most often not needed, and there are fewer states without.
        let (narrow, whole, views, numbers) = (false, false, false, FEW_NUMBERS);
        let around = Around::Used;
        let states = self.settings.states.min(FEW_STATES);
        let (counts, told) = (false, None);
        let usual = Way { distance, around, narrow, whole, views, numbers, counts, states, told };
        if inputs.is_empty() {
            return Ok(self.proved(grammar, Outcome::from(Verdict::Holds), usual));
        }
        let mut first = self.by_abstraction((grammar, &inputs), usual, meter);
        let narrow = self.can_be_narrow();
        let at_once = narrow && matches!(first, Err(Stop::Cutpoints(_)));
        let narrowed = Way { narrow: at_once, ..usual };
        let mut last = Way { told: Some(Names::All), ..narrowed };
        if at_once {
            first = self.by_abstraction((grammar, &inputs), narrowed, meter);
        }
        if matches!(&first, Ok(outcome) if outcome.verdict == Verdict::Holds) {
            return Ok(self.proved(grammar, first?, narrowed));
        }
        let few = matches!(first, Err(Stop::Nodes(_))) && usual.states < self.settings.states;
        if few {
            let states = self.settings.states;
            let coarse = Way { around: Around::Asked, narrow: at_once, states, ..usual };
            match self.by_abstraction((grammar, &inputs), coarse, meter) {
                Ok(outcome) if outcome.verdict == Verdict::Holds => {
                    return Ok(self.proved(grammar, outcome, coarse));
                }
                Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                _ => {}
            }
        }
        if let Some(outcome) = self.by_inputs(meter)? {
            return Ok(outcome);
        }
        if few {
            let all = Way { narrow: at_once, states: self.settings.states, ..usual };
            last = Way { told: Some(Names::None), ..all };
            first = self.by_abstraction((grammar, &inputs), all, meter);
            if matches!(&first, Ok(outcome) if outcome.verdict == Verdict::Holds) {
                return Ok(self.proved(grammar, first?, all));
            }
        }
        let (seen, holes) = (self.states, std::mem::take(&mut self.holes));
        // What is too large already is larger still if less is left out.
        let is_large = matches!(first, Err(Stop::Nodes(_)));
        let ways = self.more_exactly(usual, (narrow, at_once), is_large);
        if let Some(refined) = self.refined(meter)?
            && let Some(outcome) = self.by_refined_ways(&refined, usual, meter)?
        {
            return Ok(outcome);
        }
        for way in ways {
            match self.by_abstraction((grammar, &inputs), way, meter) {
                Ok(outcome) if outcome.verdict == Verdict::Holds => {
                    return Ok(self.proved(grammar, outcome, way));
                }
                Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                _ => {}
            }
        }
        if let Some(proof) = self.by_choice() {
            self.proof = Some(Box::new(proof)).filter(|_| self.options.evidence);
            return Ok(Outcome::from(Verdict::Holds));
        }
        let grows = matches!(first, Err(Stop::Objects(_)));
        if let Some(outcome) = self.by_other_grammars(grows, usual, meter)? {
            return Ok(outcome);
        }
        first?;
        // It is said where the abstraction is too coarse, and what the heap is there.
        let open = self.by_abstraction((grammar, &inputs), last, meter)?;
        self.states = seen;
        Ok(not_settled(open, &holes))
    }

    /// Ways that leave out less than usual.
    fn more_exactly(
        &self,
        usual: Way,
        (narrow, at_once): (bool, bool),
        is_large: bool,
    ) -> Vec<Way> {
        let mut ways = Vec::new();
        if !is_large && self.remembers_around() {
            ways.push(Way { views: true, ..usual });
        }
        let (states, whole) = (self.settings.states, self.sees_all());
        let (around, numbers, counts) = (Around::Named, MOST_VALUES, true);
        let exact = Way { around, whole, numbers, counts, states, ..usual };
        let is_more = exact.whole || self.computes() || !self.loose.is_empty();
        if !is_large && (is_more || !self.model.code.numbers_read().is_empty()) {
            ways.push(exact);
        }
        if narrow && !at_once {
            ways.push(Way { narrow, ..exact });
        }
        if !is_large {
            ways.push(Way { distance: usual.distance + 1, narrow: at_once, ..exact });
        }
        ways
    }

    /// Decides the claim by grammars that tell more than that of the program; nothing unless it
    /// holds.
    fn by_other_grammars(
        &mut self,
        grows: bool,
        way: Way,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let grammar = &self.model.grammar;
        // Heaps that are given are of the grammar as it was.
        if self.given.heaps.is_some() {
            return Ok(None);
        }
        // What cannot be folded may be chains.
        if grows
            && let Some(more) = tern_heap::grammar::with_chains(grammar, meter)?
            && let Some(outcome) = self.by_refined(&more, way, meter)?
        {
            return Ok(Some(outcome));
        }
        // What a program relies on may be how parts hang together that no claim speaks of.
        let fields: Vec<[SelectorId; 1]> = self.fields();
        let each = fields.iter().map(|it| Quality::Reached(it));
        for quality in std::iter::once(Quality::Size(MOST_TOLD_APART)).chain(each) {
            if let Some(refined) = tern_heap::grammar::refined(grammar, quality, meter)?
                && let Some(outcome) = self.by_refined(&refined, way, meter)?
            {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Decides the claim by a grammar that tells more, and perhaps by what lies around the heaps of
    /// callees; nothing unless it holds.
    fn by_refined_ways(
        &mut self,
        refined: &Grammar,
        way: Way,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        match self.by_refined(refined, way, meter)? {
            None if self.remembers_around() => {
                self.by_refined(refined, Way { views: true, ..way }, meter)
            }
            other => Ok(other),
        }
    }

    /// Decides the claim by a grammar that tells more; nothing unless it holds.
    fn by_refined(
        &mut self,
        refined: &Grammar,
        way: Way,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let inputs = start::inputs(refined, self.given, &self.ghosts, meter);
        match inputs.and_then(|inputs| self.by_abstraction((refined, &inputs), way, meter)) {
            Ok(outcome) if outcome.verdict == Verdict::Holds => {
                Ok(Some(self.proved(refined, outcome, way)))
            }
            Err(Stop::Limit(limit)) => Err(Stop::Limit(limit)),
            _ => Ok(None),
        }
    }

    /// The fields of types that have several.
    fn fields(&self) -> Vec<[SelectorId; 1]> {
        let kinds = self.model.grammar.types.kinds.iter();
        let several = kinds.filter(|(_, kind)| kind.selectors.len() > 1);
        several.flat_map(|(_, kind)| kind.selectors.iter().map(|&it| [it])).collect()
    }

    /// The grammar with hyperedges that know what is reached inside them, if the claim asks for
    /// that and it makes a difference.
    fn refined(&self, meter: &mut Meter<'_>) -> Result<Option<Grammar>, Limit> {
        let grammar = &self.model.grammar;
        let fields: BTreeSet<Vec<SelectorId>> =
            self.atoms.iter().filter_map(|(_, atom)| atom.follows(grammar)).collect();
        // Heaps that are given are of the grammar as it was.
        if self.given.heaps.is_some() {
            return Ok(None);
        }
        let mut refined: Option<Grammar> = None;
        for selectors in fields {
            let now = refined.as_ref().unwrap_or(grammar);
            let quality = Quality::Reached(&selectors);
            refined = tern_heap::grammar::refined(now, quality, meter)?.or(refined);
        }
        Ok(refined)
    }

    /// Whether the program computes with numbers.
    fn computes(&self) -> bool {
        let methods = self.model.code.methods.as_slice().iter();
        let mut lines = methods.flat_map(|method| &method.lines);
        lines.any(|line| matches!(line.action, Action::Compute(..)))
    }

    /// Whether the scope of calls can be made narrow: what is called does not read all fields.
    /// Claims about all of the heap, and programs that free objects, need all of the scope.
    fn can_be_narrow(&self) -> bool {
        let fields = self.model.grammar.types.selectors.len();
        self.is_about_frames() && self.callees().any(|it| it.effects.reads.len() < fields)
    }

    /// Whether claims remember objects that may lie around the heaps of callees. What is freed
    /// there is not followed.
    fn remembers_around(&self) -> bool {
        self.is_about_frames() && !self.ghosts.is_empty() && self.callees().next().is_some()
    }

    /// Whether what happens outside of a frame does not matter to it.
    fn is_about_frames(&self) -> bool {
        !self.sees_all() && !self.tracks_leaks() && self.model.code.freed.is_none()
    }

    /// The procedures that are called.
    fn callees(&self) -> impl Iterator<Item = &Method> {
        let methods = &self.model.code.methods;
        let lines = methods.as_slice().iter().flat_map(|method| &method.lines);
        let called = lines.filter_map(|line| match &line.action {
            Action::Call { callee, .. } => Some(callee.all()),
            _ => None,
        });
        called.flatten().map(|callee| &methods[callee])
    }

    /// How heaps are treated that stand for all inputs.
    fn folding(&self, distance: usize, around: Around) -> Settings {
        let loose = self.ghosts.iter().map(|it| around != Around::Named && self.loose.contains(it));
        let coarse = around == Around::Asked;
        Settings {
            kept: Some(Kept { distance, loose: bits(loose), coarse }),
            most_nodes: self.settings.states,
            views: if self.sees_all() { Views::Unnamed } else { Views::None },
            variables: self.sees_all() || self.tracks_leaks(),
            leaks: self.tracks_leaks(),
            ..Settings::default()
        }
    }

    /// The machine on heaps that stand for all inputs.
    pub(super) fn machine_of_all(&mut self) -> Result<Machine, Stop> {
        let meter = &mut Meter::new(self.budget);
        let inputs = start::inputs(&self.model.grammar, self.given, &self.ghosts, meter)?;
        let settings = self.folding(self.settings.distance, Around::Used);
        let heaps = self.followed(&self.model.grammar, &inputs, settings, meter)?;
        let product = Product::new(&heaps, &self.atoms, &self.ghosts, meter)?;
        Ok(product.machine(&self.model.source.name, Names::All))
    }

    /// Decides the claim on heaps that stand for all inputs.
    fn by_abstraction(
        &mut self,
        (grammar, inputs): (&Grammar, &[Heap]),
        Way { distance, around, narrow, whole, views, numbers, counts, states, told }: Way,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, Stop> {
        let settings = Settings {
            most_numbers: Some(numbers),
            most_nodes: states,
            counts,
            whole,
            narrow,
            most_cutpoints: Some(MOST_CUTPOINTS + self.ghosts.len()),
            ..self.folding(distance, around)
        };
        let settings = match views {
            true => Settings { views: Views::Remembered, ..settings },
            false => settings,
        };
        let heaps = self.followed(grammar, inputs, settings, meter)?;
        self.states = heaps.len();
        let mut product = Product::new(&heaps, &self.atoms, &self.ghosts, meter)?;
        let (mut formulas, formula) = self.formula();
        let outcome = self.by_product(&mut product, (&formulas, formula), told, meter)?;
        // That some run is so follows if all are.
        let stronger = tern_certify::heap::for_all_paths(&mut formulas, formula);
        match stronger.filter(|it| outcome.verdict != Verdict::Holds && *it != formula) {
            Some(stronger) => {
                match self.by_product(&mut product, (&formulas, stronger), told, meter)? {
                    found if found.verdict == Verdict::Holds => Ok(found),
                    _ => Ok(outcome),
                }
            }
            None => Ok(outcome),
        }
    }

    /// Decides a formula on the machine of what was followed.
    fn by_product(
        &self,
        product: &mut Product<'_, '_>,
        (formulas, formula): (&Formulas, FormulaId),
        told: Option<Names>,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, Stop> {
        // Runs are fair to the nodes of these labels.
        let decided = |product: &Product<'_, '_>, labels: &[String]| {
            let mut claims = Claims::from(formulas.clone());
            let justice = |name: &String| Fairness::Justice(claims.formulas.atom(name)).into();
            let fair: Vec<_> = labels.iter().map(justice).collect();
            claims.push(Claim { property: formula.into(), ..self.claim.clone() });
            claims.restrict(fair);
            let (formulas, claim) = (&claims.formulas, &claims.list()[0]);
            if told.is_none()
                && let Some(outcome) = self.surely(product, formulas, claim)?
            {
                return Ok(outcome);
            }
            let names = told.unwrap_or(Names::None);
            let machine = product.machine(&self.model.source.name, names);
            self.checked(&machine, formulas, claim)
        };
        // What holds of all runs needs no measures.
        let mut outcome = decided(product, &[])?;
        let mut labels = vec![AGAIN.to_owned()];
        if outcome.verdict != Verdict::Holds && product.find_progress(meter)? {
            outcome = decided(product, &labels)?;
        }
        if outcome.verdict != Verdict::Holds {
            // Fewer runs go on for ever where what the claim asks for does not come.
            let names: Vec<String> = self.atoms.iter().map(|it| it.0.clone()).collect();
            let conditions = conditions(formulas, formula, &names);
            let more = product.find_more(&conditions, meter)?;
            if !more.is_empty() {
                labels.extend(more.into_iter().map(product::again));
                outcome = decided(product, &labels)?;
            }
        }
        // Stories would be about the claim under a condition that nobody wrote.
        Ok(Outcome { stories: Vec::new(), reduced: None, culprit: None, evidence: None, ..outcome })
    }

    /// Decides whether a claim about all runs surely holds; nothing if it is about some run. If it
    /// does not hold, it may be that the abstraction is too coarse.
    fn surely(
        &self,
        product: &Product<'_, '_>,
        formulas: &Formulas,
        claim: &Claim,
    ) -> Result<Option<Outcome>, Limit> {
        let formula = claim.formula().expect("claims about heaps are formulas");
        let Translation { formulas: both, claim: must, .. } =
            Translation::new(formulas, formula, Lane::Must);
        // Runs by sure steps only are sought.
        if both.atoms_of(must).iter().any(|&atom| both.atom_name(atom) == MAYBE) {
            return Ok(None);
        }
        let machine = product.in_lanes();
        let claim = Claim { property: must.into(), ..claim.clone() };
        let Options { engine, seed, shuffle, .. } = *self.options;
        let options = Options { engine, seed, shuffle, ..Options::default() };
        let checker = Checker::new(&machine, self.budget)?;
        let mut outcome = checker.decide(&both, &claim, &options, self.budget);
        if self.options.regions {
            let why = "the machine is abstract".to_owned();
            outcome.missing.push(Missing::Regions(Gap::Unsupported(why)));
        }
        Ok(Some(outcome))
    }

    /// A line of which it is not known what follows, and why.
    fn show_hole(&self, (procedure, line): (ProcId, u32)) -> String {
        let method = &self.model.code.methods[procedure];
        let line = &method.lines[line as usize];
        let why = match &line.action {
            Action::Hole(why) => why,
            Action::Compute(..) => "a division by something that may be zero",
            _ if line.caught => "what is thrown there may be caught",
            Action::Cast(..) => "a cast that may not succeed",
            _ => "nothing is known of an object that is used",
        };
        format!("line {} of `{}` ({why})", line.place.line, method.name)
    }

    /// The program, followed on heaps from some inputs.
    pub(super) fn followed<'g>(
        &mut self,
        grammar: &'g Grammar,
        inputs: &[Heap],
        settings: Settings,
        meter: &mut Meter<'_>,
    ) -> Result<HeapMachine<'g>, Stop>
    where
        'a: 'g,
    {
        let atoms: Vec<Atom> = self.atoms.iter().map(|(_, atom)| atom.clone()).collect();
        let program = (&self.model.code, grammar);
        let mut heaps = HeapMachine::new(program, self.procedure, inputs, &atoms, settings, meter)?;
        heaps.explore(meter)?;
        self.holes = heaps.holes().iter().take(3).map(|&it| self.show_hole(it)).collect();
        Ok(heaps)
    }

    fn sees_all(&self) -> bool {
        self.atoms.iter().any(|(_, atom)| atom.is_whole())
    }

    fn tracks_leaks(&self) -> bool {
        self.atoms.iter().any(|(_, atom)| atom.is_leak())
    }

    fn checked(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        claim: &Claim,
    ) -> Result<Outcome, Limit> {
        let checker = Checker::new(machine, self.budget)?;
        Ok(checker.decide(formulas, claim, self.options, self.budget))
    }

    /// The formula that is decided on abstract heaps: where an input has one run, quantifiers mean
    /// nothing.
    fn formula(&self) -> (Formulas, FormulaId) {
        let formula = self.claim.formula().expect("claims about heaps are formulas");
        let (mut formulas, mut formula) = self.model.claims.formulas.alone(formula);
        if self.model.code.has_one_run(self.procedure) {
            formula = tern_certify::heap::without_quantifiers(&mut formulas, formula);
        }
        (formulas, formula)
    }
}

/// The ghosts of which no atom asks for fields. What `elem` led to is known by its fields, so these
/// are kept if that is remembered.
fn loose(ghosts: &[Ghost], atoms: &[(String, Atom)]) -> Vec<Ghost> {
    let read: Vec<Ghost> = atoms.iter().flat_map(|(_, atom)| atom.reads()).collect();
    let has_fields = ghosts.iter().any(|it| matches!(it, Ghost::ElementField(_)));
    let is_kept = |it: &Ghost| read.contains(it) || *it == Ghost::Element && has_fields;
    ghosts.iter().filter(|it| !is_kept(it)).cloned().collect()
}

/// What is said if an abstract machine does not settle a claim, and no input refutes it.
fn not_settled(outcome: Outcome, holes: &[String]) -> Outcome {
    let gap = match outcome.verdict {
        _ if !holes.is_empty() => Gap::Hole(holes.join("; ")),
        Verdict::Unknown(gap) => gap,
        Verdict::Holds | Verdict::Fails => Gap::Failed(
            "the abstract program violates the claim, but no input that was tried does".to_owned(),
        ),
    };
    Outcome::from(Verdict::Unknown(gap))
}
