//! What operators make of terms, and the types that they ask for.

use super::flat::Flat;
use super::resolve::{BOOL, INT};
use super::syntax::{Binary, Expr, Unary};
use super::terms::{Base, Fault, Op, Sort, Term, TermId, Value};
use crate::problem::Problem;
use std::collections::BTreeSet;
use tern_model::Span;

impl Flat {
    /// The term of an operator and its operands.
    pub(super) fn operation(
        &mut self,
        expr: &Expr,
        terms: &[(TermId, Span)],
        span: Span,
    ) -> Option<TermId> {
        match (expr, terms) {
            (Expr::Unary(unary, _), &[operand]) => self.unary(*unary, operand, span),
            (Expr::Binary(binary, ..), &[left, right]) => self.binary(*binary, left, right, span),
            (Expr::If(..), &[condition, result, other]) => {
                if !self.is(condition.0, BOOL, condition.1) {
                    return None;
                }
                let sort = self.joined(&[result, other])?;
                Some(self.terms.make(Term::If(condition.0, result.0, other.0), sort, span))
            }
            (Expr::Case(_), _) => self.case(terms, span),
            (Expr::Set(_), _) => self.set(terms, span),
            (Expr::Range(low, high), _) => self.range(*low, *high, span),
            (Expr::Count(_), _) => {
                let mut sum = self.terms.value(Value::Int(0), span);
                for &(term, at) in terms {
                    if !self.is(term, BOOL, at) {
                        return None;
                    }
                    let one = self.terms.make(Term::ToInt(term), INT, span);
                    sum = self.terms.make(Term::Binary(Op::Plus, sum, one), INT, span);
                }
                Some(sum)
            }
            (Expr::Bounded(..), _) => self.out_of_place(span),
            _ => None,
        }
    }

    fn out_of_place(&mut self, span: Span) -> Option<TermId> {
        self.problem("S033", span, |_| {
            let message = "operators of time stand in specifications only, outside of comparisons";
            Problem::error("S033", message).at(span, "not here")
        });
        None
    }

    /// `{a, b}`: the constants among them first, all at once.
    fn set(&mut self, terms: &[(TermId, Span)], span: Span) -> Option<TermId> {
        let sort = Sort { is_set: true, ..self.joined(terms)? };
        let constants: BTreeSet<Value> =
            terms.iter().filter_map(|&(term, _)| self.terms.constant(term)).collect();
        let rest = terms.iter().filter(|&&(term, _)| self.terms.constant(term).is_none());
        let mut parts: Vec<TermId> = rest.map(|&(term, _)| term).collect();
        if !constants.is_empty() {
            parts.push(self.terms.values(&constants, sort.base, span));
        }
        parts
            .into_iter()
            .reduce(|set, part| self.terms.make(Term::Binary(Op::Union, set, part), sort, span))
    }

    fn range(&mut self, low: i64, high: i64, span: Span) -> Option<TermId> {
        const MOST: i64 = 1 << 20;
        let wrong = if low > high {
            Some(("S030", format!("the range {low}..{high} has no values")))
        } else if high - low >= MOST {
            Some(("S006", format!("sets of more than {MOST} values are not supported")))
        } else {
            None
        };
        if let Some((code, message)) = wrong {
            self.problem(code, span, |_| Problem::error(code, message).at(span, "here"));
            return None;
        }
        let values: BTreeSet<Value> = (low..=high).map(Value::Int).collect();
        Some(self.terms.values(&values, Base::Int, span))
    }

    fn unary(&mut self, unary: Unary, (operand, at): (TermId, Span), span: Span) -> Option<TermId> {
        let base = self.terms.facts(operand).sort.base;
        let is_set = self.terms.facts(operand).sort.is_set;
        match unary {
            // What is inside was read so.
            Unary::Next => Some(operand),
            Unary::Not => {
                self.is(operand, BOOL, at).then(|| self.terms.make(Term::Not(operand), BOOL, span))
            }
            Unary::Minus => {
                self.is(operand, INT, at).then(|| self.terms.make(Term::Negate(operand), INT, span))
            }
            Unary::Toint if base == Base::Int && !is_set => Some(operand),
            Unary::Toint => {
                self.is(operand, BOOL, at).then(|| self.terms.make(Term::ToInt(operand), INT, span))
            }
            Unary::Bool if base == Base::Bool && !is_set => Some(operand),
            Unary::Bool => self
                .is(operand, INT, at)
                .then(|| self.terms.make(Term::ToBool(operand), BOOL, span)),
            Unary::Abs => {
                if !self.is(operand, INT, at) {
                    return None;
                }
                let zero = self.terms.value(Value::Int(0), span);
                let below = self.terms.make(Term::Binary(Op::Less, operand, zero), BOOL, span);
                let other = self.terms.make(Term::Negate(operand), INT, span);
                Some(self.terms.make(Term::If(below, other, operand), INT, span))
            }
            _ => self.out_of_place(span),
        }
    }

    fn binary(
        &mut self,
        binary: Binary,
        left: (TermId, Span),
        right: (TermId, Span),
        span: Span,
    ) -> Option<TermId> {
        use Binary::*;
        let ((a, at_a), (b, at_b)) = (left, right);
        let (op, operands, sort) = match binary {
            And => (Op::And, BOOL, BOOL),
            Or => (Op::Or, BOOL, BOOL),
            Xor => (Op::Xor, BOOL, BOOL),
            Iff | Xnor => (Op::Iff, BOOL, BOOL),
            Implies => (Op::Implies, BOOL, BOOL),
            Plus => (Op::Plus, INT, INT),
            Minus => (Op::Minus, INT, INT),
            Times => (Op::Times, INT, INT),
            Divide => (Op::Divide, INT, INT),
            Mod => (Op::Mod, INT, INT),
            Less | Greater | Min | Max => (Op::Less, INT, BOOL),
            AtMost | AtLeast => (Op::AtMost, INT, BOOL),
            Equal | NotEqual | In | Union => return self.alike(binary, left, right, span),
            Until | Release | ExistsUntil | AllUntil => return self.out_of_place(span),
        };
        // Both, so that both are complained of.
        if !(self.is(a, operands, at_a) & self.is(b, operands, at_b)) {
            return None;
        }
        let (a, b) = if matches!(binary, Greater | AtLeast) { (b, a) } else { (a, b) };
        let made = self.terms.make(Term::Binary(op, a, b), sort, span);
        Some(match binary {
            Min => self.terms.make(Term::If(made, a, b), INT, span),
            Max => self.terms.make(Term::If(made, b, a), INT, span),
            _ => made,
        })
    }

    /// `=`, `!=`, `in` and `union`, whose operands need only be alike.
    fn alike(
        &mut self,
        binary: Binary,
        left: (TermId, Span),
        right: (TermId, Span),
        span: Span,
    ) -> Option<TermId> {
        let ((a, at_a), (b, at_b)) = (left, right);
        let base = self.joined(&[left, right])?.base;
        if matches!(binary, Binary::Equal | Binary::NotEqual) {
            for (term, at) in [(a, at_a), (b, at_b)] {
                let Sort { base, is_set } = self.terms.facts(term).sort;
                if is_set {
                    self.is(term, Sort { base, is_set: false }, at);
                    return None;
                }
            }
            let equal = self.terms.make(Term::Binary(Op::Equal, a, b), BOOL, span);
            return Some(match binary {
                Binary::Equal => equal,
                _ => self.terms.make(Term::Not(equal), BOOL, span),
            });
        }
        Some(match binary {
            Binary::In => self.terms.make(Term::Binary(Op::In, a, b), BOOL, span),
            _ => {
                let sort = Sort { base, is_set: true };
                self.terms.make(Term::Binary(Op::Union, a, b), sort, span)
            }
        })
    }

    /// The least type that has all terms; reports if there is none.
    fn joined(&mut self, terms: &[(TermId, Span)]) -> Option<Sort> {
        let &[(first, at_first), ref rest @ ..] = terms else { return None };
        let mut sort = self.terms.facts(first).sort;
        for &(term, at) in rest {
            let other = self.terms.facts(term).sort;
            let Some(base) = sort.base.join(other.base) else {
                self.problem("S031", at, |_| {
                    let (has, needs) = (other.base.words(), sort.base.words());
                    let message = format!("{has} does not go together with {needs}");
                    let problem = Problem::error("S031", message).at(at, format!("this is {has}"));
                    problem.related(at_first, format!("this is {needs}"))
                });
                return None;
            };
            sort = Sort { base, is_set: sort.is_set || other.is_set };
        }
        Some(sort)
    }

    fn case(&mut self, terms: &[(TermId, Span)], span: Span) -> Option<TermId> {
        let mut fine = true;
        for pair in terms.chunks_exact(2) {
            fine &= self.is(pair[0].0, BOOL, pair[0].1);
        }
        let results: Vec<(TermId, Span)> = terms.chunks_exact(2).map(|pair| pair[1]).collect();
        let sort = self.joined(&results)?;
        if !fine {
            return None;
        }
        let otherwise = self.terms.fault(Fault::NotExhaustive, sort, span);
        let cases: Vec<(TermId, TermId)> =
            terms.chunks_exact(2).map(|pair| (pair[0].0, pair[1].0)).collect();
        Some(self.terms.cases(&cases, otherwise, sort, span, &self.domains))
    }
}
