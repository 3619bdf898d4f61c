//! Pushdown systems, and the machines that are the same to every formula.
//!
//! A pushdown system has control states and stack symbols. A configuration is (p, w): a control
//! state, and a stack whose top is the first symbol of w. A *head* is a control state with the
//! symbol on top; a rule of a head replaces that symbol by a word:
//! ```text
//! p <g> --> q <>           pop:   (p, gw)  ->  (q, w)
//! p <g> --> q <h>          step:  (p, gw)  ->  (q, hw)
//! p <g> --> q <h v>        call:  (p, gw)  ->  (q, hvw)
//! ```
//! A rule is one step. The empty stack is the end of the program: a state without labels that loops
//! for ever. A configuration whose head has no rule is a dead end. Labels belong to heads.
//!
//! # The machine of a pushdown system
//! The nodes are the heads that can be reached. The rules become edges, one to one:
//! ```text
//! pop     a return, by the exit of control state q
//! step    a step to the node (q, h)
//! call    a call of the node (q, h), through a box that remembers v
//! ```
//! The return site of such a box and exit r, where v = g'v', has a step to the node (r, g'), or, if
//! v' is not empty, a call of it through a box that remembers v'. Return sites are passed in no
//! time, so a pop is one step. A component is a class of heads that are joined by steps, by rules
//! or after calls (`explore.rs`): what a procedure was before it was flattened. Its exits are
//! the control states in which it pops, several if there are several.
//!
//! # Why every formula keeps its truth
//! A configuration (b1 … bk, (p, g)) of the machine stands for (p, g vk … v1), where box bi
//! remembers vi. Both have the labels of the head. By the table above each rule that the one can
//! take is an edge that the other can take, and leads to configurations that stand for each other:
//! for a pop, the top of what box bk remembers comes to light, and the rest of it is remembered by
//! the box through which the site calls on. That the site is there is due to the exploration: it is
//! made for each r in which the callee can pop. With an empty stack of boxes a pop of the last
//! symbol leads to the sink. So "stands for" is a bisimulation, and both satisfy the same formulas
//! of CTL*, `X` included.
//!
//! A system that starts with more than one symbol starts inside calls that no rule has made. There,
//! nodes are pairs of a head and the rest of that first stack, in a component of their own
//! (`outer.rs`): a pop is a step to what comes to light. The argument is the same.

mod explore;
mod flatten;
mod machine;
mod outer;

pub(crate) use explore::{HeadId, Heads};
pub(crate) use flatten::{Flat, flatten};
pub(crate) use machine::machine;

use crate::problem::Refusal;
use tern_model::LabelId;
use tern_model::budget::Meter;
use tern_model::index::{Lists, Numbering, Table};
use tern_model::names::{Interner, Names};

tern_model::indices! {
    /// A control state.
    pub(crate) ControlId = "p";
    /// A stack symbol.
    pub(crate) SymbolId = "g";
    /// A word of stack symbols that is not empty.
    pub(crate) WordId = "w";
}

/// A control state, and the symbol on top of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Head {
    pub(crate) control: ControlId,
    pub(crate) symbol: SymbolId,
}

/// What a rule puts in the place of the symbol on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Push {
    /// Nothing.
    Nothing,
    /// One symbol.
    One(SymbolId),
    /// A symbol on top, and a word below it.
    More(SymbolId, WordId),
}

/// The right side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Right {
    pub(crate) control: ControlId,
    pub(crate) push: Push,
}

/// Words of stack symbols, each kept once: its first symbol, and the rest of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(Numbering<WordId, (SymbolId, Option<WordId>)>);

impl Words {
    /// What a rule pushes that has these symbols on its right side, the top first.
    pub(crate) fn push(&mut self, symbols: &[SymbolId]) -> Push {
        match symbols {
            [] => Push::Nothing,
            &[one] => Push::One(one),
            &[top, ref below @ ..] => {
                let mut word = None;
                for &symbol in below.iter().rev() {
                    word = Some(self.0.id((symbol, word)));
                }
                word.map_or(Push::One(top), |word| Push::More(top, word))
            }
        }
    }

    /// All words, each with its first symbol and the rest of it.
    pub(crate) fn rows(&self) -> &Table<WordId, (SymbolId, Option<WordId>)> {
        self.0.rows()
    }

    /// The first symbol of a word, and the rest of it.
    pub(crate) fn split(&self, word: WordId) -> (SymbolId, Option<WordId>) {
        self.0[word]
    }

    /// What a rule pushes, the top first.
    pub(crate) fn pushed(&self, push: Push) -> Vec<SymbolId> {
        match push {
            Push::Nothing => Vec::new(),
            Push::One(top) => vec![top],
            Push::More(top, below) => std::iter::once(top).chain(self.symbols(below)).collect(),
        }
    }

    /// The symbols of a word.
    pub(crate) fn symbols(&self, word: WordId) -> impl Iterator<Item = SymbolId> {
        let mut rest = Some(word);
        std::iter::from_fn(move || {
            let (symbol, below) = self.split(rest?);
            rest = below;
            Some(symbol)
        })
    }
}

/// A pushdown system, or what can be expanded to one on demand.
pub(crate) trait Rules {
    /// The words that rules push.
    fn words(&self) -> &Words;

    /// The configurations at which it starts, each a head and what is below it.
    ///
    /// # Errors
    /// That there are too many, or a limit.
    fn starts(&mut self, meter: &mut Meter<'_>) -> Result<Vec<(Head, Option<WordId>)>, Refusal>;

    /// Adds the right sides of the rules of a head, in the order of the text.
    ///
    /// # Errors
    /// That there are too many, or a limit.
    fn rules_of(
        &mut self,
        head: Head,
        found: &mut Vec<Right>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal>;

    /// The name of a control state.
    fn control_name(&self, control: ControlId) -> String;

    /// The name of a stack symbol.
    fn symbol_name(&self, symbol: SymbolId) -> String;

    /// The symbols of the text, without values of variables.
    fn symbols(&self) -> &Names<SymbolId>;

    /// The symbol of the text that a symbol is, with some values of its variables.
    fn base(&self, symbol: SymbolId) -> SymbolId;

    /// The names of all labels.
    fn labels(&self) -> &Names<LabelId>;

    /// Says which of these heads have which labels.
    fn label(&self, heads: &Heads, give: &mut dyn FnMut(HeadId, LabelId));

    /// Where in the text the first rule of a head stands.
    fn place(&self, head: Head) -> Option<u32>;
}

/// A rule as it stands in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) head: Head,
    pub(crate) right: Right,
    /// Where it stands in the text.
    pub(crate) at: u32,
}

/// A pushdown system whose rules are written down one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) controls: Interner<ControlId>,
    pub(crate) symbols: Interner<SymbolId>,
    pub(crate) words: Words,
    pub(crate) rules: Vec<Rule>,
    /// Where it starts.
    pub(crate) start: Option<(Head, Option<WordId>)>,
    pub(crate) labels: Interner<LabelId>,
    /// The labels that all heads with a symbol on top have, those of a control state, and those of
    /// single heads.
    pub(crate) of_symbols: Vec<(SymbolId, LabelId)>,
    pub(crate) of_controls: Vec<(ControlId, LabelId)>,
    pub(crate) of_heads: Vec<(Head, LabelId)>,
}

/// A system whose rules can be found by their heads.
#[derive(Debug)]
pub(crate) struct Indexed {
    system: System,
    heads: Numbering<LeftId, Head>,
    rules: Lists<LeftId, (Right, u32)>,
    of_symbols: Lists<SymbolId, LabelId>,
    of_controls: Lists<ControlId, LabelId>,
}

tern_model::indices! {
    /// A head that is the left side of rules.
    LeftId = "l";
}

impl From<System> for Indexed {
    fn from(mut system: System) -> Self {
        let mut heads = Numbering::default();
        let rules = std::mem::take(&mut system.rules);
        let pairs: Vec<(LeftId, (Right, u32))> =
            rules.iter().map(|rule| (heads.id(rule.head), (rule.right, rule.at))).collect();
        let rules = Lists::group(heads.rows().len(), &pairs);
        let of_symbols = Lists::group(system.symbols.len(), &system.of_symbols);
        let of_controls = Lists::group(system.controls.len(), &system.of_controls);
        Indexed { system, heads, rules, of_symbols, of_controls }
    }
}

impl Rules for Indexed {
    fn words(&self) -> &Words {
        &self.system.words
    }

    fn starts(&mut self, _: &mut Meter<'_>) -> Result<Vec<(Head, Option<WordId>)>, Refusal> {
        Ok(self.system.start.into_iter().collect())
    }

    fn rules_of(
        &mut self,
        head: Head,
        found: &mut Vec<Right>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        let Some(left) = self.heads.find(&head) else { return Ok(()) };
        for &(right, _) in self.rules.of(left) {
            meter.tick()?;
            found.push(right);
        }
        Ok(())
    }

    fn control_name(&self, control: ControlId) -> String {
        self.system.controls.of(control).to_owned()
    }

    fn symbol_name(&self, symbol: SymbolId) -> String {
        self.system.symbols.of(symbol).to_owned()
    }

    fn symbols(&self) -> &Names<SymbolId> {
        self.system.symbols.names()
    }

    fn base(&self, symbol: SymbolId) -> SymbolId {
        symbol
    }

    fn labels(&self) -> &Names<LabelId> {
        self.system.labels.names()
    }

    fn label(&self, heads: &Heads, give: &mut dyn FnMut(HeadId, LabelId)) {
        for (id, head) in heads.all().iter() {
            let of_symbol = self.of_symbols.of(head.symbol).iter();
            for &label in of_symbol.chain(self.of_controls.of(head.control)) {
                give(id, label);
            }
        }
        for &(head, label) in &self.system.of_heads {
            if let Some(id) = heads.find(head) {
                give(id, label);
            }
        }
    }

    fn place(&self, head: Head) -> Option<u32> {
        let (_, at) = *self.rules.of(self.heads.find(&head)?).first()?;
        Some(at)
    }
}
