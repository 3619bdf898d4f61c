//! A machine as a picture in SVG, with the run of a result in colour.
//!
//! Components stand below each other, each with its name. Nodes are rounded, with a thick line if a
//! component may be called there and a second line if they return; boxes are square, with the name
//! of the callee. What comes back from a box is dashed, with the name of the exit. Edges that are
//! only possible are dotted. The picture holds no script, and every name in it is escaped.

use crate::picture::{self, Arrow, Captions, Item, Picture, Thing, shortened};
use crate::used::Used;
use crate::visible;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use tern_model::{Budget, CompId, Edge, Limit, Machine};

const STYLE: &str = "\
text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1c2733}\
.small{font-size:10px;fill:#4a6076}.title{font-weight:bold;font-size:14px}\
rect{fill:#fff;stroke:#6b7f93}.box{fill:#eef3f8}.entry{stroke-width:2.5}.second{fill:none}\
path{fill:none;stroke:#6b7f93}.back{stroke-dasharray:5 3}.possible{stroke-dasharray:1 3}\
.lit{stroke:#c03000;stroke-width:2.5}.background{fill:#fff;stroke:none}marker path{fill:#6b7f93}\
@media(prefers-color-scheme:dark){text{fill:#dfe7ee}.small{fill:#9fb3c5}rect{fill:#1b242d}\
.box{fill:#243240}.background{fill:#11171d}.lit{stroke:#ff7a4d}}";

/// The room for the name of a component.
const TITLE: i32 = 34;

/// Makes the picture of some components.
///
/// # Errors
/// When the budget runs out.
pub fn picture(
    machine: &Machine,
    components: &[CompId],
    labels: &[&str],
    used: &Used,
    budget: &Budget,
) -> Result<String, Limit> {
    let captions = Captions::new(machine, labels.iter().copied());
    let mut pictures = Vec::new();
    for &component in components {
        let drawn = picture::component(machine, component, &captions, None, budget)?;
        pictures.push((component, drawn));
    }
    let mut text = String::new();
    write(&mut text, machine, &pictures, used).expect("a string takes all text");
    Ok(text)
}

fn write(
    out: &mut impl Write,
    machine: &Machine,
    pictures: &[(CompId, Picture)],
    used: &Used,
) -> fmt::Result {
    let width = pictures.iter().map(|(_, it)| it.width).max().unwrap_or(0).max(300);
    let height: i32 = pictures.iter().map(|(_, it)| it.height + TITLE).sum();
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" \
         markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n\
         <rect class=\"background\" width=\"{width}\" height=\"{height}\"/>"
    )?;
    let mut top = 0;
    for (component, picture) in pictures {
        let name = escaped(machine.component_name(*component));
        writeln!(out, "<g transform=\"translate(0 {top})\">")?;
        writeln!(out, "<text class=\"title\" x=\"24\" y=\"24\">{name}</text>")?;
        writeln!(out, "<g transform=\"translate(0 {TITLE})\">")?;
        let mut named: BTreeMap<usize, i32> = BTreeMap::new();
        for arrow in &picture.arrows {
            write_arrow(out, arrow, used)?;
            if let (Some(exit), Some(&(x, y))) = (arrow.exit, arrow.points.first()) {
                // Below each other, so that the names of several exits can be read.
                let nth = named.entry(arrow.from).or_default();
                let (x, y) = (x + 4, y + 11 + 10 * (*nth % 3));
                *nth += 1;
                let name = escaped(&shortened(&visible(machine.exit_name(exit)), 16));
                writeln!(out, "<text class=\"small\" x=\"{x}\" y=\"{y}\">{name}</text>")?;
            }
        }
        for item in &picture.items {
            write_item(out, machine, item, used)?;
        }
        writeln!(out, "</g></g>")?;
        top += picture.height + TITLE;
    }
    writeln!(out, "</svg>")
}

fn write_arrow(out: &mut impl Write, arrow: &Arrow, used: &Used) -> fmt::Result {
    let mut class = String::new();
    if arrow.exit.is_some() {
        class += "back ";
    }
    if arrow.is_possible {
        class += "possible ";
    }
    if arrow.edge.is_some_and(|edge| used.edges.contains(&edge)) {
        class += "lit";
    }
    let (data, class) = (picture::path(arrow), class.trim_end());
    writeln!(out, "<path class=\"{class}\" d=\"{data}\" marker-end=\"url(#head)\"/>")
}

fn write_item(out: &mut impl Write, machine: &Machine, item: &Item, used: &Used) -> fmt::Result {
    let Item { thing, x, y, width, height, lines } = item;
    let (mut class, mut radius, mut returns, title) = (
        String::new(),
        0,
        false,
        match *thing {
            Thing::Node(node) => {
                let origin = machine.origin(node).map(|it| format!(" ({it})")).unwrap_or_default();
                format!("{}{origin}", machine.node_path(node))
            }
            Thing::Call(call) => machine.box_path(call),
            Thing::Component(component) => machine.component_name(component).to_owned(),
        },
    );
    let is_lit = match *thing {
        Thing::Node(node) => {
            radius = 9;
            returns = machine.edges(node).iter().any(|edge| matches!(edge, Edge::Return(_)));
            if machine.is_entry(node) {
                class += "entry ";
            }
            used.nodes.contains(&node)
        }
        Thing::Call(call) => {
            class += "box ";
            used.calls(call)
        }
        Thing::Component(_) => false,
    };
    if is_lit {
        class += "lit";
    }
    writeln!(out, "<g><title>{}</title>", escaped(&title))?;
    let class = class.trim_end();
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
    )?;
    if returns {
        let (x, y, width, height) = (x + 3, y + 3, width - 6, height - 6);
        writeln!(
            out,
            "<rect class=\"second\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>"
        )?;
    }
    for (i, line) in lines.iter().enumerate() {
        let (class, y) = if i == 0 { ("", y + 16) } else { ("small", y + 31) };
        writeln!(
            out,
            "<text class=\"{class}\" x=\"{}\" y=\"{y}\">{}</text>",
            x + 9,
            escaped(line)
        )?;
    }
    writeln!(out, "</g>")
}

/// A text as it is written between tags.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no such characters, not even escaped.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Builder, Configuration, Edge, Move, MoveKind, Place};

    const HOSTILE: &str = "</text><script>alert('1')</script>\"&";

    #[test]
    fn names_are_escaped_and_runs_are_lit() {
        let mut b = Builder::new();
        let main = b.component(HOSTILE);
        let (first, last) = (b.node(main, HOSTILE), b.node(main, "last"));
        b.initial(first);
        b.label(first, HOSTILE);
        b.label(last, "q<");
        b.edge(Place::Node(first), Edge::Step(last));
        b.edge(Place::Node(last), Edge::Step(last));
        let machine = b.finish().expect("a sound machine");
        let from = Configuration::from(first);
        let moves = [Move { kind: MoveKind::Step, node: last }];
        let used = Used::by_moves(&machine, &from, &moves);
        let all: Vec<CompId> = machine.components().collect();
        let text = picture(&machine, &all, &[HOSTILE, "q<"], &used, &Budget::unlimited());
        let text = text.expect("no limit is set");
        assert!(!text.contains("<script") && !text.contains("</text><"), "{text}");
        assert!(text.contains("&lt;script&gt;alert(&#39;1&#39;)"), "{text}");
        assert!(text.contains(">q&lt;</text>"), "{text}");
        // Two nodes and the way between them, but not the loop.
        assert_eq!(text.matches("class=\"lit\"").count(), 3, "{text}");
        for tag in ["svg", "g", "text", "title", "defs", "marker", "style"] {
            let begun = text.matches(&format!("<{tag}>")).count()
                + text.matches(&format!("<{tag} ")).count();
            assert_eq!(begun, text.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
