//! Grammars that are there: lists and trees of one type.
//!
//! Shapes that use the same selectors of the same type share nonterminals, so that a heap has one
//! normal form: `SLL` and `CSLL` are both made of segments.

/// A family of shapes.
struct Family {
    /// The shapes it defines.
    shapes: &'static [&'static str],
    /// How many selectors it takes.
    selectors: usize,
    /// Its text, in which `T` is the type, `1`, `2` and `3` are the selectors.
    text: &'static str,
}

/// Singly linked lists, doubly linked lists, binary trees, and those with pointers to parents. A
/// path is a tree without one subtree.
const FAMILIES: &[Family] = &[
    Family {
        shapes: &["SLL", "CSLL"],
        selectors: 1,
        text: "grammar SLL(a: T, b: T?) = a.1 = b | a.1 = n, SLL(n, b) | SLL(a, n), SLL(n, b)
               shape SLL(x: T) = SLL(x, null)
               shape CSLL(x: T) = SLL(x, x)",
    },
    Family {
        shapes: &["DLL", "CDLL"],
        selectors: 2,
        text: "grammar DLL(a: T, b: T) = a.1 = b, b.2 = a
                 | a.1 = n, n.2 = a, DLL(n, b)
                 | DLL(a, n), n.1 = b, b.2 = n
                 | DLL(a, n), DLL(n, b)
               shape DLL(x: T) = x.2 = null, x.1 = null | x.2 = null, DLL(x, y), y.1 = null
               shape CDLL(x: T) = DLL(x, x)",
    },
    Family {
        shapes: &["Tree"],
        selectors: 2,
        text: "grammar Tree(r: T) = r.1 = null, r.2 = null
                 | r.1 = x, Tree(x), r.2 = null
                 | r.1 = null, r.2 = x, Tree(x)
                 | r.1 = x, Tree(x), r.2 = y, Tree(y)
                 | TreePath(r, x), Tree(x)
               grammar TreePath(r: T, h: T) = r.1 = h, r.2 = null
                 | r.1 = null, r.2 = h
                 | r.1 = h, r.2 = x, Tree(x)
                 | r.1 = x, Tree(x), r.2 = h
                 | r.1 = x, TreePath(x, h), r.2 = null
                 | r.1 = null, r.2 = x, TreePath(x, h)
                 | r.1 = x, TreePath(x, h), r.2 = y, Tree(y)
                 | r.1 = y, Tree(y), r.2 = x, TreePath(x, h)
                 | TreePath(r, x), TreePath(x, h)
               shape Tree(x: T) = Tree(x)",
    },
    Family {
        shapes: &["PTree"],
        selectors: 3,
        text: "grammar PTree(r: T) = r.1 = null, r.2 = null
                 | r.1 = x, x.3 = r, PTree(x), r.2 = null
                 | r.1 = null, r.2 = x, x.3 = r, PTree(x)
                 | r.1 = x, x.3 = r, PTree(x), r.2 = y, y.3 = r, PTree(y)
                 | PTreePath(r, x), PTree(x)
               grammar PTreePath(r: T, h: T) = r.1 = h, h.3 = r, r.2 = null
                 | r.1 = null, r.2 = h, h.3 = r
                 | r.1 = h, h.3 = r, r.2 = x, x.3 = r, PTree(x)
                 | r.1 = x, x.3 = r, PTree(x), r.2 = h, h.3 = r
                 | r.1 = x, x.3 = r, PTreePath(x, h), r.2 = null
                 | r.1 = null, r.2 = x, x.3 = r, PTreePath(x, h)
                 | r.1 = x, x.3 = r, PTreePath(x, h), r.2 = y, y.3 = r, PTree(y)
                 | r.1 = y, y.3 = r, PTree(y), r.2 = x, x.3 = r, PTreePath(x, h)
                 | PTreePath(r, x), x.1 = h, h.3 = x, x.2 = null
                 | PTreePath(r, x), x.1 = null, x.2 = h, h.3 = x
                 | PTreePath(r, x), x.1 = h, h.3 = x, x.2 = y, y.3 = x, PTree(y)
                 | PTreePath(r, x), x.1 = y, y.3 = x, PTree(y), x.2 = h, h.3 = x
                 | PTreePath(r, x), PTreePath(x, h)
               shape PTree(x: T) = x.3 = null, PTree(x)",
    },
];

/// The names of all shapes.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.shapes.iter().copied())
}

/// How many selectors a shape takes.
pub fn selectors(shape: &str) -> Option<usize> {
    family(shape).map(|family| family.selectors)
}

fn family(shape: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.shapes.contains(&shape))
}

/// The text of the grammar of a shape for a type and its selectors, and the first shape of its
/// family. A suffix tells families for different types apart.
pub(crate) fn text(shape: &str, kind: &str, selectors: &[&str], suffix: &str) -> Option<String> {
    let family = family(shape)?;
    let mut text = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, text: &mut String| {
        match word.as_str() {
            "T" => text.push_str(kind),
            "1" | "2" | "3" => text.push_str(selectors[word.parse::<usize>().unwrap_or(1) - 1]),
            // Names that stand for nonterminals and shapes begin with a capital.
            it if it.starts_with(|c: char| c.is_ascii_uppercase()) => {
                text.push_str(it);
                text.push_str(suffix);
            }
            it => text.push_str(it),
        }
        word.clear();
    };
    for char in family.text.chars() {
        if char.is_ascii_alphanumeric() {
            word.push(char);
        } else {
            flush(&mut word, &mut text);
            text.push(char);
        }
    }
    flush(&mut word, &mut text);
    Some(text)
}

/// The first shape of the family of a shape.
pub(crate) fn family_name(shape: &str) -> Option<&'static str> {
    family(shape).map(|family| family.shapes[0])
}
