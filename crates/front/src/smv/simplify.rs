//! Terms as they are made: constants are folded, sets of constants are sets, and a chain of cases
//! over one variable is a table.

use super::terms::{Base, Domain, Facts, Op, Sort, Term, TermId, Terms, Value, VarId, apply};
use std::collections::BTreeSet;
use tern_model::Span;
use tern_model::index::Table;

impl Terms {
    /// A term whose operands are terms, of a given type; computed if it can be.
    pub(super) fn make(&mut self, term: Term, sort: Sort, span: Span) -> TermId {
        if let Some(simple) = self.simplified(term, span) {
            return simple;
        }
        let operands: [Option<TermId>; 3] = match term {
            Term::Const(_) | Term::Now(_) | Term::Next(_) | Term::Set(_) | Term::Fault(..) => {
                [None; 3]
            }
            Term::Not(a) | Term::Negate(a) | Term::ToInt(a) | Term::ToBool(a) => {
                [Some(a), None, None]
            }
            Term::Member(a, _) | Term::Table(a, _) => [Some(a), None, None],
            Term::Binary(_, a, b) => [Some(a), Some(b), None],
            Term::If(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        let of_table = match term {
            Term::Table(_, table) => self.table(table),
            _ => &[],
        };
        let mut facts = Facts::constant(sort, span);
        facts.may_fail = match term {
            Term::Binary(Op::Divide | Op::Mod, _, b) => {
                matches!(self.constant(b), None | Some(Value::Int(0)))
            }
            _ => false,
        };
        for &operand in operands.iter().flatten().chain(of_table) {
            let of = self.facts(operand);
            facts.has_next |= of.has_next;
            facts.has_input |= of.has_input;
            facts.may_fail |= of.may_fail;
        }
        self.add(term, facts)
    }

    /// What a term comes to, if that is simpler.
    fn simplified(&mut self, term: Term, span: Span) -> Option<TermId> {
        use Value::{Bool, Int};
        match term {
            Term::Not(a) => match (self.constant(a), self.get(a)) {
                (Some(Bool(truth)), _) => Some(self.truth(!truth, span)),
                (None, Term::Not(inner)) => Some(inner),
                _ => None,
            },
            Term::Negate(a) => match self.constant(a)? {
                Int(number) => Some(self.value(Int(-number), span)),
                _ => None,
            },
            Term::ToInt(a) => match self.constant(a)? {
                Bool(truth) => Some(self.value(Int(i64::from(truth)), span)),
                _ => None,
            },
            Term::ToBool(a) => match self.constant(a)? {
                Int(number) => Some(self.truth(number != 0, span)),
                _ => None,
            },
            Term::If(a, b, c) => match self.constant(a) {
                Some(Bool(true)) => Some(b),
                Some(Bool(false)) => Some(c),
                _ if b == c => Some(b),
                _ => None,
            },
            Term::Member(a, set) => {
                let value = self.constant(a)?;
                let truth = self.set(set).binary_search(&value).is_ok();
                Some(self.truth(truth, span))
            }
            Term::Binary(op, a, b) => self.simplified_binary(op, a, b, span),
            _ => None,
        }
    }

    fn simplified_binary(&mut self, op: Op, a: TermId, b: TermId, span: Span) -> Option<TermId> {
        use Value::Bool;
        let (left, right) = (self.constant(a), self.constant(b));
        match (op, left, right) {
            (Op::And, Some(Bool(true)), _) | (Op::Or, Some(Bool(false)), _) => Some(b),
            (Op::And, _, Some(Bool(true))) | (Op::Or, _, Some(Bool(false))) => Some(a),
            (Op::Implies, Some(Bool(true)), _) => Some(b),
            (Op::And, Some(Bool(false)), _) => Some(a),
            (Op::Or, Some(Bool(true)), _) => Some(a),
            (Op::Implies, Some(Bool(false)), _) => Some(self.truth(true, span)),
            (Op::Union, ..) => self.united(a, b, span),
            (Op::In, _, _) => self.contained(a, b, span),
            (_, Some(left), Some(right)) => {
                let value = apply(op, left, right).ok()?;
                Some(self.value(value, span))
            }
            _ => None,
        }
    }

    /// The values of a constant or constant set.
    fn constants(&self, id: TermId) -> Option<Vec<Value>> {
        match self.get(id) {
            Term::Const(value) => Some(vec![value]),
            Term::Set(set) => Some(self.set(set).to_vec()),
            _ => None,
        }
    }

    fn united(&mut self, a: TermId, b: TermId, span: Span) -> Option<TermId> {
        let mut values: BTreeSet<Value> = self.constants(a)?.into_iter().collect();
        values.extend(self.constants(b)?);
        let base = self.facts(a).sort.base.join(self.facts(b).sort.base)?;
        Some(self.values(&values, base, span))
    }

    fn contained(&mut self, a: TermId, b: TermId, span: Span) -> Option<TermId> {
        let bool = Sort { base: Base::Bool, is_set: false };
        let values = self.constants(b)?;
        if let Some(own) = self.constants(a) {
            let truth = own.iter().all(|value| values.contains(value));
            return Some(self.truth(truth, span));
        }
        if self.facts(a).sort.is_set {
            return None;
        }
        match values[..] {
            [value] => {
                let value = self.value(value, span);
                Some(self.make(Term::Binary(Op::Equal, a, value), bool, span))
            }
            _ => {
                let mut values = values;
                values.sort_unstable();
                let set = self.sets.id(values);
                Some(self.make(Term::Member(a, set), bool, span))
            }
        }
    }

    /// A chain of conditions with results, and what comes if none is true.
    pub(super) fn cases(
        &mut self,
        cases: &[(TermId, TermId)],
        otherwise: TermId,
        sort: Sort,
        span: Span,
        domains: &Table<VarId, Domain>,
    ) -> TermId {
        if let Some(table) = self.as_table(cases, otherwise, sort, span, domains) {
            return table;
        }
        cases.iter().rev().fold(otherwise, |rest, &(condition, result)| {
            self.make(Term::If(condition, result, rest), sort, span)
        })
    }

    /// The chain as a table, if all conditions ask for the value of one variable.
    fn as_table(
        &mut self,
        cases: &[(TermId, TermId)],
        otherwise: TermId,
        sort: Sort,
        span: Span,
        domains: &Table<VarId, Domain>,
    ) -> Option<TermId> {
        const LEAST: usize = 4;
        if cases.len() < LEAST {
            return None;
        }
        let (of, _) = self.asked(cases.first()?.0)?;
        let (Term::Now(var) | Term::Next(var)) = self.get(of) else { return None };
        let domain = &domains[var];
        // The last row is for `EXIT`.
        let exit = domain.len();
        let mut rows: Vec<Option<TermId>> = vec![None; exit + 1];
        for &(condition, result) in cases {
            if self.constant(condition) == Some(Value::Bool(true)) {
                rows.iter_mut().for_each(|row| *row = row.or(Some(result)));
                continue;
            }
            let (asked, values) = self.asked(condition)?;
            if asked != of {
                return None;
            }
            for value in values {
                let position = match value {
                    Value::Exit => Some(exit),
                    value => domain.position(value),
                };
                if let Some(position) = position {
                    rows[position].get_or_insert(result);
                }
            }
        }
        let rows = rows.into_iter().map(|row| row.unwrap_or(otherwise)).collect();
        let table = self.tables.id(rows);
        Some(self.make(Term::Table(of, table), sort, span))
    }

    /// The variable that a condition asks for, and the values for which it is true.
    pub(super) fn asked(&self, condition: TermId) -> Option<(TermId, Vec<Value>)> {
        let is_variable = |id: TermId| matches!(self.get(id), Term::Now(_) | Term::Next(_));
        match self.get(condition) {
            Term::Binary(Op::Equal, a, b) => match (self.constant(a), self.constant(b)) {
                (None, Some(value)) if is_variable(a) => Some((a, vec![value])),
                (Some(value), None) if is_variable(b) => Some((b, vec![value])),
                _ => None,
            },
            Term::Member(a, set) if is_variable(a) => Some((a, self.set(set).to_vec())),
            Term::Now(_) if self.facts(condition).sort.base == Base::Bool => {
                Some((condition, vec![Value::Bool(true)]))
            }
            _ => None,
        }
    }
}
