//! The product of a pushdown system with the tableau of a path formula, and its fair runs: steps 1
//! to 3 of the header of [`pushdown`](super).

use super::{Class, EMPTY, sink, spots};
use crate::oracle::tableau::{self, Kinds, Tableau, fair_states};
use std::collections::BTreeMap;
use tern_model::{BoxId, Edge, EndRule, FormulaId, Formulas, Id, Machine, NodeId};

/// A symbol of the stack.
#[derive(Clone, Copy)]
struct Symbol {
    /// The class of what is below; none if this is the bottom.
    below: Option<usize>,
    /// The class of the stack of which this is the top.
    class: usize,
}

/// A rule of a head, given its spot and symbol. Symbols are numbers.
#[derive(Clone, Copy)]
enum Move {
    /// To a spot, with another symbol on top or the same.
    Goto(usize, usize),
    /// To a spot, with one more symbol.
    Push(usize, usize),
    /// To a spot, with one symbol less.
    Pop(usize),
}

/// The product of the pushdown system with the tableau of a path formula.
///
/// The *pair* of a spot and a guess has the number `spot * guesses + guess`; the head of a symbol
/// and a pair has the number `symbol * pairs + pair`.
pub(super) struct Product<'a> {
    machine: &'a Machine,
    classes: &'a [Class],
    tableau: Tableau,
    symbols: Vec<Symbol>,
    /// The symbol of a class and the box that is pushed on it.
    number: BTreeMap<(usize, BoxId), usize>,
    guesses: usize,
    pairs: usize,
    limit: usize,
}

/// A rule of the product. Successors are heads, but for a pop, whose successor is a pair.
struct Rule {
    head: usize,
    /// What is seen at the head.
    kinds: Kinds,
    then: Then,
}

enum Then {
    Goto(usize),
    Push(usize),
    Pop(usize),
}

impl<'a> Product<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        formulas: &Formulas,
        path: FormulaId,
        classes: &'a [Class],
        limit: usize,
    ) -> Option<Product<'a>> {
        let tableau = Tableau::new(formulas, path)?;
        let mut symbols = vec![Symbol { below: None, class: EMPTY }];
        let mut number = BTreeMap::new();
        for (below, class) in classes.iter().enumerate() {
            for (&call, &above) in &class.above {
                number.insert((below, call), symbols.len());
                symbols.push(Symbol { below: Some(below), class: above });
            }
        }
        let guesses = tableau.guess_count();
        let pairs = (sink(machine) + 1).checked_mul(guesses)?;
        pairs.checked_mul(symbols.len()).filter(|&heads| heads <= limit)?;
        Some(Product { machine, classes, tableau, symbols, number, guesses, pairs, limit })
    }

    /// Classes that know, besides all that was known, where some path begins on which the path
    /// formula has the wanted truth. This is stored as the formula `id`, which is `E` of the path
    /// formula or, if what is wanted is false, `A` of it.
    pub(super) fn refine(&self, id: FormulaId, wanted: bool) -> Option<Vec<Class>> {
        let rules = self.rules();
        let pops = self.pops(&rules);
        let good = self.good_heads(&rules, &pops);
        // A new class is an old one with the pairs that are fair.
        let mut index: BTreeMap<(usize, Vec<bool>), usize> = BTreeMap::new();
        let mut open: Vec<(usize, Vec<bool>)> = Vec::new();
        let mut visit = |class: usize, fair: Vec<bool>, open: &mut Vec<(usize, Vec<bool>)>| {
            *index.entry((class, fair)).or_insert_with_key(|key| {
                open.push(key.clone());
                open.len() - 1
            })
        };
        visit(EMPTY, good[..self.pairs].to_vec(), &mut open);
        let mut refined: Vec<Class> = Vec::new();
        while refined.len() < open.len() {
            if open.len() > self.limit {
                return None;
            }
            let (number, fair) = open[refined.len()].clone();
            let mut class = self.classes[number].clone();
            for (&call, above) in &mut class.above {
                let symbol = self.number[&(number, call)];
                let is_fair = |pair: usize| {
                    let head = symbol * self.pairs + pair;
                    good[head] || pops[head].keys().any(|&left| fair[left])
                };
                *above = visit(*above, (0..self.pairs).map(is_fair).collect(), &mut open);
            }
            let mut row = vec![false; sink(self.machine) + 1];
            for spot in spots(self.machine, class.top) {
                let letter = self.letter(number, spot);
                let found = (0..self.guesses).any(|guess| {
                    fair[spot * self.guesses + guess]
                        && self.tableau.atom(&letter, guess).last() == Some(&wanted)
                });
                row[spot] = found == wanted;
            }
            class.truth.insert(id, row);
            refined.push(class);
        }
        Some(refined)
    }

    /// What is true of the leaves at a spot under a stack.
    fn letter(&self, class: usize, spot: usize) -> Vec<bool> {
        let truth = &self.classes[class].truth;
        self.tableau.leaves().iter().map(|leaf| truth[leaf][spot]).collect()
    }

    /// The rules of the pushdown system.
    fn moves(&self, symbol: usize, spot: usize) -> Vec<Move> {
        let Symbol { below, class } = self.symbols[symbol];
        if spot == sink(self.machine) {
            return vec![Move::Goto(spot, symbol)];
        }
        let mut moves = Vec::new();
        for &edge in self.machine.edges(NodeId::new(spot)) {
            match (edge, below.zip(self.classes[class].top)) {
                (Edge::Step(to), _) => moves.push(Move::Goto(to.index(), symbol)),
                (Edge::Call(call, entry), _) => {
                    moves.push(Move::Push(entry.index(), self.number[&(class, call)]));
                }
                (Edge::Return(_), None) => moves.push(match self.machine.end_rule() {
                    EndRule::Loop => Move::Goto(spot, symbol),
                    EndRule::Sink => Move::Goto(sink(self.machine), symbol),
                }),
                (Edge::Return(exit), Some((below, top))) => {
                    let site = self.machine.site(top, exit);
                    for &edge in site.map_or(&[][..], |site| self.machine.edges_at(site)) {
                        moves.push(match edge {
                            Edge::Step(to) => Move::Pop(to.index()),
                            Edge::Call(call, entry) => {
                                Move::Goto(entry.index(), self.number[&(below, call)])
                            }
                            Edge::Return(_) => unreachable!("return sites do not return"),
                        });
                    }
                }
            }
        }
        if moves.is_empty() {
            moves.push(Move::Goto(spot, symbol));
        }
        moves
    }

    /// The rules of the product: each move, with each atom that may come after it.
    fn rules(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for (symbol, &Symbol { below, class }) in self.symbols.iter().enumerate() {
            for spot in spots(self.machine, self.classes[class].top) {
                let letter = self.letter(class, spot);
                for step in self.moves(symbol, spot) {
                    let (to, to_class) = match step {
                        Move::Goto(to, next) | Move::Push(to, next) => {
                            (to, self.symbols[next].class)
                        }
                        Move::Pop(to) => (to, below.expect("the bottom is never taken away")),
                    };
                    let to_letter = self.letter(to_class, to);
                    for guess in 0..self.guesses {
                        let next_atom = self.tableau.atom(&to_letter, guess);
                        let before = self.tableau.before(&letter, &next_atom);
                        let next = to * self.guesses + guess;
                        rules.push(Rule {
                            head: symbol * self.pairs + spot * self.guesses + before,
                            kinds: self.tableau.settled(&self.tableau.atom(&letter, before)),
                            then: match step {
                                Move::Goto(_, symbol) => Then::Goto(symbol * self.pairs + next),
                                Move::Push(_, symbol) => Then::Push(symbol * self.pairs + next),
                                Move::Pop(_) => Then::Pop(next),
                            },
                        });
                    }
                }
            }
        }
        rules
    }

    /// The head that a head becomes when what was pushed on it is taken away.
    fn uncovered(&self, head: usize, pair: usize) -> usize {
        head - head % self.pairs + pair
    }

    /// Of each head: the pairs to which it pops, with the kinds that may be seen before.
    fn pops(&self, rules: &[Rule]) -> Vec<BTreeMap<usize, Kinds>> {
        let mut pops: Vec<BTreeMap<usize, Kinds>> =
            vec![BTreeMap::new(); self.symbols.len() * self.pairs];
        loop {
            let mut stable = true;
            for rule in rules {
                let found: Vec<(usize, Kinds)> = match rule.then {
                    Then::Pop(pair) => vec![(pair, 0)],
                    Then::Goto(next) => pops[next].iter().map(|(&p, &kinds)| (p, kinds)).collect(),
                    Then::Push(next) => pops[next]
                        .iter()
                        .flat_map(|(&pair, &first)| {
                            let then = &pops[self.uncovered(rule.head, pair)];
                            then.iter().map(move |(&p, &second)| (p, first | second))
                        })
                        .collect(),
                };
                for (pair, kinds) in found {
                    let seen = pops[rule.head].entry(pair).or_insert(0);
                    // Bit 0 is seen at every head, so what is new is never taken for known.
                    stable &= *seen | kinds | rule.kinds == *seen;
                    *seen |= kinds | rule.kinds;
                }
            }
            if stable {
                return pops;
            }
        }
    }

    /// The heads at which a fair run begins that never takes away what is below.
    fn good_heads(&self, rules: &[Rule], pops: &[BTreeMap<usize, Kinds>]) -> Vec<bool> {
        let mut edges: Vec<tableau::Edge> = Vec::new();
        for &Rule { head, kinds, ref then } in rules {
            match *then {
                Then::Pop(_) => (),
                Then::Goto(next) => edges.push((head, next, kinds)),
                Then::Push(next) => {
                    edges.push((head, next, kinds));
                    for (&pair, &seen) in &pops[next] {
                        edges.push((head, self.uncovered(head, pair), kinds | seen));
                    }
                }
            }
        }
        fair_states(self.symbols.len() * self.pairs, &edges, self.tableau.all_kinds())
    }
}
