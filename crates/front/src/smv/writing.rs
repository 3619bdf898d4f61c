//! Expressions as text again, with the full names of variables: so propositions are called.

use super::flat::{Flat, InstanceId};
use super::syntax::{Binary, CONDITIONAL, Expr, ExprId, PREFIX, Unary, Whole};

/// What is still to be written.
enum Piece {
    Text(&'static str),
    Number(i64),
    /// A row, in parentheses if it binds less than this.
    Row(ExprId, u8),
}

impl Flat {
    /// An expression of an instance, with the full names of variables.
    pub(super) fn written(&self, whole: Whole, instance: InstanceId) -> String {
        self.put_together(vec![Piece::Row(whole.root, 0)], instance)
    }

    /// `a = b`, if the expression is `a != b` in a program without calls. With calls it would not
    /// be the opposite: neither is true while another module runs.
    pub(super) fn opposite(&self, whole: Whole, instance: InstanceId) -> Option<String> {
        let Expr::Binary(Binary::NotEqual, a, b) = self.text.rows[whole.root].expr else {
            return None;
        };
        let own = Binary::Equal.strength();
        let pieces = vec![Piece::Row(b, own + 1), Piece::Text(" = "), Piece::Row(a, own)];
        (!self.has_calls).then(|| self.put_together(pieces, instance))
    }

    /// What some pieces say, the last first.
    fn put_together(&self, mut left: Vec<Piece>, instance: InstanceId) -> String {
        let mut text = String::new();
        while let Some(piece) = left.pop() {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Number(number) => text.push_str(&number.to_string()),
                Piece::Row(row, needed) => {
                    let expr = &self.text.rows[row].expr;
                    let mut pieces = Vec::new();
                    self.pieces(expr, instance, &mut text, &mut pieces);
                    if strength(expr) < needed {
                        pieces.insert(0, Piece::Text("("));
                        pieces.push(Piece::Text(")"));
                    }
                    left.extend(pieces.into_iter().rev());
                }
            }
        }
        text
    }

    /// The pieces of an expression; a name is written at once.
    fn pieces(
        &self,
        expr: &Expr,
        instance: InstanceId,
        text: &mut String,
        pieces: &mut Vec<Piece>,
    ) {
        use Piece::{Number, Row, Text};
        let comma = |list: &[ExprId], pieces: &mut Vec<Piece>| {
            for (i, &it) in list.iter().enumerate() {
                pieces.extend((i > 0).then_some(Text(", ")));
                pieces.push(Row(it, 0));
            }
        };
        match expr {
            Expr::True => pieces.push(Text("TRUE")),
            Expr::False => pieces.push(Text("FALSE")),
            Expr::Number(number) => pieces.push(Number(*number)),
            Expr::Name(name) => {
                let of = &self.instances[instance];
                let module = self.text.modules[of.module].name;
                if of.symbols.contains_key(name) {
                    if self.has_calls {
                        text.push_str(self.name(module));
                        text.push('.');
                    }
                    text.push_str(&of.path);
                }
                text.push_str(self.name(*name));
            }
            Expr::SelfWord => text.push_str(self.instances[instance].path.trim_end_matches('.')),
            Expr::Dot(of, name) => {
                // Members of members: the rest is written when what is before the dot is.
                let mut names = vec![*name];
                let mut of = *of;
                while let Expr::Dot(before, name) = self.text.rows[of].expr {
                    names.push(name);
                    of = before;
                }
                let before = text.len();
                self.path(&self.text.rows[of].expr, instance, text);
                for name in names.into_iter().rev() {
                    // `self` of `main` is nothing.
                    if text.len() > before {
                        text.push('.');
                    }
                    text.push_str(self.name(name));
                }
            }
            Expr::Index(of, index) => {
                pieces.extend([Row(*of, PREFIX + 1), Text("["), Row(*index, 0), Text("]")]);
            }
            Expr::Unary(unary, of) => match unary {
                Unary::Not | Unary::Minus => {
                    pieces.extend([Text(unary.text()), Row(*of, PREFIX)]);
                }
                _ => pieces.extend([Text(unary.text()), Text("("), Row(*of, 0), Text(")")]),
            },
            Expr::Binary(binary @ (Binary::Min | Binary::Max), a, b) => {
                pieces.extend([Text(binary.text()), Text("(")]);
                comma(&[*a, *b], pieces);
                pieces.push(Text(")"));
            }
            Expr::Binary(binary, a, b) => {
                let own = binary.strength();
                let to_right = u8::from(*binary == Binary::Implies);
                pieces.extend([Row(*a, own + to_right), Text(" "), Text(binary.text()), Text(" ")]);
                pieces.push(Row(*b, own + 1 - to_right));
            }
            Expr::If(a, b, c) => {
                let own = CONDITIONAL;
                pieces.extend([Row(*a, own + 1), Text(" ? "), Row(*b, 0)]);
                pieces.extend([Text(" : "), Row(*c, own)]);
            }
            Expr::Case(cases) => {
                pieces.push(Text("case "));
                for &(condition, result) in cases {
                    pieces.extend([Row(condition, 0), Text(" : "), Row(result, 0), Text("; ")]);
                }
                pieces.push(Text("esac"));
            }
            Expr::Set(list) => {
                pieces.push(Text("{"));
                comma(list, pieces);
                pieces.push(Text("}"));
            }
            Expr::Range(low, high) => pieces.extend([Number(*low), Text(".."), Number(*high)]),
            Expr::Count(list) => {
                pieces.push(Text("count("));
                comma(list, pieces);
                pieces.push(Text(")"));
            }
            // Not part of propositions.
            Expr::Bounded(..) => {}
        }
    }

    /// What stands before a dot: a name, or `self`.
    fn path(&self, expr: &Expr, instance: InstanceId, text: &mut String) {
        let of = &self.instances[instance];
        match expr {
            Expr::Name(name) => {
                if of.symbols.contains_key(name) {
                    text.push_str(&of.path);
                }
                text.push_str(self.name(*name));
            }
            _ => text.push_str(of.path.trim_end_matches('.')),
        }
    }
}

/// How tightly an expression binds.
fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Unary(Unary::Not | Unary::Minus, _) => PREFIX,
        Expr::Binary(binary, ..) => binary.strength(),
        Expr::If(..) => CONDITIONAL,
        Expr::Range(..) => 11,
        Expr::Number(number) if *number < 0 => PREFIX,
        _ => PREFIX + 1,
    }
}
