//! Pushdown systems with variables, multiplied out on demand: a control state is one of the text
//! with values of the global variables, a symbol one of the text with values of its own variables.
//!
//! The relation of a rule says which values may follow which; a rule without one lets any values
//! follow. At the start, variables have any values. Only what is reached is made.
//!
//! # Values that do not matter
//! A variable that no rule for the symbol on top reads is 0 there: what follows does not depend on
//! it, since the rules say all that does, and no label does. So configurations that differ in such
//! values only are the same to every formula, and one of them is enough. This goes for global
//! variables too, as long as the symbol on top is known, that is, not for pops.

use super::expression::{Expr, ExprId, Expressions, When};
use super::parser::Draft;
use super::solve::Relation;
use super::variables::{Owner, Variables};
use crate::problem::{Problem, Refusal};
use crate::pushdown::{
    ControlId, Head, HeadId, Heads, Push, Right, Rules, SymbolId, System, WordId, Words,
};
use rustc_hash::FxHashMap;
use tern_model::LabelId;
use tern_model::budget::Meter;
use tern_model::index::{Lists, Numbering};
use tern_model::names::Names;

tern_model::indices! {
    /// Values of some variables.
    ValuesId = "v";
}

/// How many rules a system may have when its variables are multiplied out.
pub(super) const LIMIT: usize = 1_000_000;

/// A rule of the text.
#[derive(Debug)]
struct TextRule {
    right: Right,
    /// The symbols of the right side.
    word: Vec<SymbolId>,
    relation: Option<ExprId>,
    at: u32,
    /// The largest value of each slot after the step, and which slots matter then: the global
    /// variables, then those of the first and of the second symbol.
    most: Vec<u16>,
    matters: Vec<bool>,
}

/// A system with variables.
#[derive(Debug)]
pub(super) struct Expanded {
    system: System,
    variables: Variables,
    expressions: Expressions,
    rules: FxHashMap<Head, Vec<TextRule>>,
    /// For each symbol, which global variables and which of its own matter.
    matters: FxHashMap<SymbolId, Matters>,
    of_symbols: Lists<SymbolId, LabelId>,
    of_controls: Lists<ControlId, LabelId>,
    values: Numbering<ValuesId, Box<[u16]>>,
    controls: Numbering<ControlId, (ControlId, ValuesId)>,
    symbols: Numbering<SymbolId, (SymbolId, ValuesId)>,
    words: Words,
    /// How many rules were made.
    count: usize,
}

/// Which slots matter when a symbol is on top.
#[derive(Clone, Debug, Default)]
struct Matters {
    globals: Vec<bool>,
    locals: Vec<bool>,
}

impl Expanded {
    pub(super) fn new(draft: Draft) -> Self {
        let Draft { mut system, variables, expressions, relations, .. } = draft;
        let mut rules: FxHashMap<Head, Vec<TextRule>> = FxHashMap::default();
        let mut matters: FxHashMap<SymbolId, Matters> = FxHashMap::default();
        for (rule, relation) in std::mem::take(&mut system.rules).into_iter().zip(relations) {
            let word = system.words.pushed(rule.right.push);
            let own = TextRule {
                right: rule.right,
                word,
                relation,
                at: rule.at,
                most: Vec::new(),
                matters: Vec::new(),
            };
            rules.entry(rule.head).or_default().push(own);
            let globals = variables.globals.most.len();
            let locals = variables.of(rule.head.symbol).most.len();
            let read = matters.entry(rule.head.symbol).or_default();
            read.globals.resize(globals, false);
            read.locals.resize(locals, false);
            if let Some(relation) = relation {
                note_reads(&expressions, relation, read);
            }
        }
        for rule in rules.values_mut().flatten() {
            (rule.most, rule.matters) =
                slots(&variables, &matters, &rule.word[..rule.word.len().min(2)]);
        }
        let of_symbols = Lists::group(system.symbols.len(), &system.of_symbols);
        let of_controls = Lists::group(system.controls.len(), &system.of_controls);
        Expanded {
            system,
            variables,
            expressions,
            rules,
            matters,
            of_symbols,
            of_controls,
            values: Numbering::default(),
            controls: Numbering::default(),
            symbols: Numbering::default(),
            words: Words::default(),
            count: 0,
        }
    }

    fn too_large() -> Refusal {
        let message = format!("the values of its variables give more than {LIMIT} rules");
        let hint = "give variables fewer bits or arrays fewer elements, \
                    or say in each rule what becomes of every variable";
        Problem::error("P030", message).hint(hint).into()
    }

    fn control(&mut self, base: ControlId, globals: &[u16]) -> ControlId {
        let values = self.values.id(globals.into());
        self.controls.id((base, values))
    }

    fn symbol(&mut self, base: SymbolId, locals: &[u16]) -> SymbolId {
        let values = self.values.id(locals.into());
        self.symbols.id((base, values))
    }

    /// The symbols of a word with values, which begin at a slot.
    fn word(&mut self, word: &[SymbolId], values: &[u16]) -> Vec<SymbolId> {
        let mut at = 0;
        let mut symbols = Vec::with_capacity(word.len());
        for (i, &base) in word.iter().enumerate() {
            let count = if i < 2 { self.variables.of(base).most.len() } else { 0 };
            symbols.push(self.symbol(base, &values[at..at + count]));
            at += count;
        }
        symbols
    }
}

/// The slots that a right side with these symbols sets, those of the global variables first: the
/// largest value of each, and whether it matters.
fn slots(
    variables: &Variables,
    matters: &FxHashMap<SymbolId, Matters>,
    word: &[SymbolId],
) -> (Vec<u16>, Vec<bool>) {
    let nothing = Matters::default();
    let of = |symbol: SymbolId| matters.get(&symbol).unwrap_or(&nothing);
    let mut most = variables.globals.most.clone();
    let mut read = match word.first() {
        None => vec![true; most.len()],
        Some(&top) => of(top).globals.clone(),
    };
    read.resize(most.len(), false);
    for &symbol in word {
        most.extend(&variables.of(symbol).most);
        read.extend(&of(symbol).locals);
        read.resize(most.len(), false);
    }
    (most, read)
}

/// Notes which values before the step an expression reads.
fn note_reads(all: &Expressions, id: ExprId, read: &mut Matters) {
    let mut todo = vec![id];
    while let Some(id) = todo.pop() {
        match &all[id] {
            Expr::Number(_) | Expr::Bound(_) => {}
            Expr::Value(slots, index) => {
                todo.extend(*index);
                if slots.when == When::Now {
                    let globals = read.globals.len();
                    for slot in slots.first..=slots.first + (slots.to - slots.from) as usize {
                        match slot.checked_sub(globals) {
                            None => read.globals[slot] = true,
                            Some(slot) => read.locals[slot] = true,
                        }
                    }
                }
            }
            Expr::Not(inner) => todo.push(*inner),
            Expr::And(list) | Expr::Or(list) => todo.extend(list),
            Expr::Binary(_, one, other) => todo.extend([*one, *other]),
            Expr::Quantified { from, to, body, .. } => todo.extend([*from, *to, *body]),
        }
    }
}

impl Rules for Expanded {
    fn words(&self) -> &Words {
        &self.words
    }

    fn starts(&mut self, meter: &mut Meter<'_>) -> Result<Vec<(Head, Option<WordId>)>, Refusal> {
        let Some((head, below)) = self.system.start else { return Ok(Vec::new()) };
        let below = below.into_iter().flat_map(|word| self.system.words.symbols(word));
        let word: Vec<SymbolId> = [head.symbol].into_iter().chain(below).collect();
        // All symbols of the first stack have values, not only two.
        let (most, matters) = slots(&self.variables, &self.matters, &word);
        let relation =
            Relation { all: &self.expressions, condition: None, most: &most, matters: &matters };
        let found = relation.solve(&[], LIMIT, meter)?;
        let Some(found) = found else { return Err(Self::too_large()) };
        let globals = self.variables.globals.most.len();
        let mut starts = Vec::new();
        for values in found {
            meter.tick()?;
            let control = self.control(head.control, &values[..globals]);
            let mut at = globals;
            let mut stack = Vec::new();
            for &base in &word {
                let count = self.variables.of(base).most.len();
                stack.push(self.symbol(base, &values[at..at + count]));
                at += count;
            }
            match self.words.push(&stack) {
                Push::Nothing => {}
                Push::One(symbol) => starts.push((Head { control, symbol }, None)),
                Push::More(symbol, word) => starts.push((Head { control, symbol }, Some(word))),
            }
        }
        Ok(starts)
    }

    fn rules_of(
        &mut self,
        head: Head,
        found: &mut Vec<Right>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        let (control, globals) = self.controls[head.control];
        let (symbol, locals) = self.symbols[head.symbol];
        let now: Vec<u16> = [&self.values[globals][..], &self.values[locals][..]].concat();
        let Some(rules) = self.rules.remove(&Head { control, symbol }) else { return Ok(()) };
        let count = self.variables.globals.most.len();
        for rule in &rules {
            let relation = Relation {
                all: &self.expressions,
                condition: rule.relation,
                most: &rule.most,
                matters: &rule.matters,
            };
            let solved = relation.solve(&now, LIMIT - self.count, meter)?;
            let Some(solved) = solved else { return Err(Self::too_large()) };
            self.count += solved.len();
            for next in solved {
                meter.tick()?;
                let control = self.control(rule.right.control, &next[..count]);
                let word = self.word(&rule.word, &next[count..]);
                let push = self.words.push(&word);
                found.push(Right { control, push });
            }
        }
        self.rules.insert(Head { control, symbol }, rules);
        Ok(())
    }

    fn control_name(&self, control: ControlId) -> String {
        let (base, values) = self.controls[control];
        let name = self.system.controls.of(base).to_owned();
        name + &self.variables.globals.show(&self.values[values], |_| true)
    }

    fn symbol_name(&self, symbol: SymbolId) -> String {
        let (base, values) = self.symbols[symbol];
        let name = self.system.symbols.of(base).to_owned();
        let matters = self.matters.get(&base);
        let is_read = |slot: usize| matters.is_some_and(|it| it.locals.get(slot) == Some(&true));
        let own: &Owner = self.variables.of(base);
        name + &own.show(&self.values[values], is_read)
    }

    fn symbols(&self) -> &Names<SymbolId> {
        self.system.symbols.names()
    }

    fn base(&self, symbol: SymbolId) -> SymbolId {
        self.symbols[symbol].0
    }

    fn labels(&self) -> &Names<LabelId> {
        self.system.labels.names()
    }

    fn label(&self, heads: &Heads, give: &mut dyn FnMut(HeadId, LabelId)) {
        for (id, head) in heads.all().iter() {
            let ((control, _), (symbol, _)) =
                (self.controls[head.control], self.symbols[head.symbol]);
            let of_symbol = self.of_symbols.of(symbol).iter();
            for &label in of_symbol.chain(self.of_controls.of(control)) {
                give(id, label);
            }
        }
    }

    fn place(&self, head: Head) -> Option<u32> {
        let ((control, _), (symbol, _)) = (self.controls[head.control], self.symbols[head.symbol]);
        Some(self.rules.get(&Head { control, symbol })?.first()?.at)
    }
}
