//! What a file says, before its names mean anything: flat tables in the order of the text.
//!
//! The rows of a component lie together in each table, so a component needs to know only where
//! its rows end; likewise for the labels of a node, the ports of a box and the targets of a
//! transition.

use super::json::{Json, Key, KeySet, Name, Shape, Stop, Value, one_byte};
use super::symbols::Symbol;
use crate::problem::Problem;
use std::ops::Range;

/// All that a file says.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) initial_component: Option<Name>,
    pub(super) initial_nodes: Vec<Name>,
    pub(super) components: Vec<RawComponent>,
    pub(super) nodes: Vec<RawNode>,
    pub(super) labels: Vec<Symbol>,
    /// Labels that are unknown, each with the row of its node; in the order of the rows.
    pub(super) unknown: Vec<(u32, Symbol)>,
    pub(super) boxes: Vec<RawBox>,
    pub(super) ports: Vec<Port>,
    pub(super) transitions: Vec<Transition>,
    pub(super) targets: Vec<Reference>,
    /// The rows of targets that are only possible, in order.
    pub(super) possible: Vec<u32>,
    /// Whether some component's name could not be read, so that a missing one may be that.
    pub(super) lost_component: bool,
}

pub(super) struct RawComponent {
    /// `None` if it could not be read; the content is checked all the same.
    pub(super) name: Option<Name>,
    pub(super) nodes: Range<u32>,
    pub(super) boxes: Range<u32>,
    pub(super) transitions: Range<u32>,
    /// Whether some of its content could not be read, so that a missing name may be that.
    pub(super) damaged: bool,
}

pub(super) struct RawNode {
    pub(super) name: Name,
    pub(super) is_entry: bool,
    pub(super) is_exit: bool,
    pub(super) labels_end: u32,
}

pub(super) struct RawBox {
    pub(super) name: Name,
    pub(super) callee: Name,
    pub(super) ports_end: u32,
}

/// An item of `call_nodes` or `return_nodes`.
pub(super) struct Port {
    pub(super) name: Name,
    pub(super) returns: bool,
}

/// A node of the component or, with a box, of the box's callee.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    pub(super) through: Option<Name>,
    pub(super) node: Name,
}

pub(super) struct Transition {
    /// `None` if it could not be read; the targets are checked all the same.
    pub(super) source: Option<Reference>,
    pub(super) targets_end: u32,
}

const FILE: Shape = Shape {
    what: "the file",
    keys: KeySet::new(&[
        Key::InitialComponent,
        Key::InitialNode,
        Key::InitialNodes,
        Key::Components,
    ]),
    required: &[Key::InitialComponent, Key::Components],
};
const COMPONENT: Shape = Shape {
    what: "a component",
    keys: KeySet::new(&[Key::Name, Key::Nodes, Key::Boxes, Key::Transitions]),
    required: &[Key::Name, Key::Nodes],
};
const NODE: Shape = Shape {
    what: "a node",
    keys: KeySet::new(&[Key::IsEntry, Key::IsExit, Key::Labels, Key::Name, Key::UnknownLabels]),
    required: &[Key::Name],
};
const BOX: Shape = Shape {
    what: "a box",
    keys: KeySet::new(&[Key::Name, Key::Component, Key::CallNodes, Key::ReturnNodes]),
    required: &[Key::Name, Key::Component],
};
const TRANSITION: Shape = Shape {
    what: "a transition",
    keys: KeySet::new(&[Key::Source, Key::Targets, Key::PossibleTargets]),
    required: &[Key::Source, Key::Targets],
};
const REFERENCE: Shape = Shape {
    what: "a reference",
    keys: KeySet::new(&[Key::Name, Key::Type, Key::BoxName, Key::NodeName, Key::Node, Key::Box]),
    required: &[Key::Type],
};

impl Raw {
    /// Reads the whole text.
    pub(super) fn read(&mut self, json: &mut Json) -> Result<(), Stop> {
        let mut initial_said = false;
        let mut components_read = false;
        let start = json.object(Value::File, &FILE, |json, key| match key {
            Key::InitialComponent => {
                self.initial_component = json.name(Value::Of(key))?;
                Ok(())
            }
            Key::Components => {
                let before = json.problems.count();
                json.list(key, |json, item| self.component(json, item))?;
                components_read = !self.components.is_empty() || json.problems.count() == before;
                Ok(())
            }
            _ => {
                let before = json.problems.count();
                json.one_or_more_names(key, &mut self.initial_nodes)?;
                initial_said |= json.problems.count() > before;
                Ok(())
            }
        })?;
        json.end()?;
        self.lost_component |= !components_read;
        if let Some(start) = start
            && self.initial_nodes.is_empty()
            && !initial_said
        {
            json.problems.add(|_| {
                Problem::error("R130", "the file names no initial node")
                    .at(one_byte(start), "`initial_node` is missing or empty in here")
                    .hint("say where the program starts: \"initial_node\": \"name\"")
            });
        }
        Ok(())
    }

    fn component(&mut self, json: &mut Json, item: Value) -> Result<(), Stop> {
        let before = json.problems.count();
        let mut name = None;
        let starts = [self.nodes.len(), self.boxes.len(), self.transitions.len()];
        json.object(item, &COMPONENT, |json, key| match key {
            Key::Name => {
                name = json.name(Value::Of(key))?;
                Ok(())
            }
            Key::Nodes => json.list(key, |json, item| self.node(json, item)),
            Key::Boxes => json.list(key, |json, item| self.call_box(json, item)),
            _ => json.list(key, |json, item| self.transition(json, item)),
        })?;
        let [nodes, boxes, transitions] = starts.map(|start| start as u32);
        self.lost_component |= name.is_none();
        self.components.push(RawComponent {
            name,
            nodes: nodes..self.nodes.len() as u32,
            boxes: boxes..self.boxes.len() as u32,
            transitions: transitions..self.transitions.len() as u32,
            damaged: json.problems.count() > before,
        });
        Ok(())
    }

    fn node(&mut self, json: &mut Json, item: Value) -> Result<(), Stop> {
        let mut name = None;
        let (mut is_entry, mut is_exit) = (false, false);
        let row = self.nodes.len() as u32;
        json.object(item, &NODE, |json, key| {
            match key {
                Key::UnknownLabels => json.list(key, |json, item| {
                    self.unknown.extend(json.name(item)?.map(|label| (row, label.symbol)));
                    Ok(())
                })?,
                Key::Name => name = json.name(Value::Of(key))?,
                Key::IsEntry => is_entry = json.truth(key)?,
                Key::IsExit => is_exit = json.truth(key)?,
                _ => json.list(key, |json, item| {
                    self.labels.extend(json.name(item)?.map(|label| label.symbol));
                    Ok(())
                })?,
            }
            Ok(())
        })?;
        let labels_end = self.labels.len() as u32;
        self.nodes.extend(name.map(|name| RawNode { name, is_entry, is_exit, labels_end }));
        Ok(())
    }

    fn call_box(&mut self, json: &mut Json, item: Value) -> Result<(), Stop> {
        let (mut name, mut callee) = (None, None);
        let ports_start = self.ports.len();
        json.object(item, &BOX, |json, key| {
            match key {
                Key::Name => name = json.name(Value::Of(key))?,
                Key::Component => callee = json.name(Value::Of(key))?,
                _ => json.list(key, |json, item| {
                    let returns = key == Key::ReturnNodes;
                    self.ports.extend(json.name(item)?.map(|name| Port { name, returns }));
                    Ok(())
                })?,
            }
            Ok(())
        })?;
        match (name, callee) {
            (Some(name), Some(callee)) => {
                let ports_end = self.ports.len() as u32;
                self.boxes.push(RawBox { name, callee, ports_end });
            }
            // They must not pass for ports of the next box.
            _ => self.ports.truncate(ports_start),
        }
        Ok(())
    }

    fn transition(&mut self, json: &mut Json, item: Value) -> Result<(), Stop> {
        let mut source = None;
        json.object(item, &TRANSITION, |json, key| match key {
            Key::Source => {
                source = reference(json, Value::Of(key))?;
                Ok(())
            }
            _ => json.list(key, |json, item| {
                let target = reference(json, item)?;
                if key == Key::PossibleTargets && target.is_some() {
                    self.possible.push(self.targets.len() as u32);
                }
                self.targets.extend(target);
                Ok(())
            }),
        })?;
        self.transitions.push(Transition { source, targets_end: self.targets.len() as u32 });
        Ok(())
    }
}

fn reference(json: &mut Json, value: Value) -> Result<Option<Reference>, Stop> {
    let before = json.problems.count();
    let mut through_box = false;
    let (mut through, mut node) = (None, None);
    let start = json.object(value, &REFERENCE, |json, key| {
        let part = match key {
            Key::Type => {
                through_box = json.word(key, ["node", "box_node"])? == Some(1);
                return Ok(());
            }
            Key::Box | Key::BoxName => &mut through,
            _ => &mut node,
        };
        if part.is_some() {
            return json.repeated(key, &REFERENCE);
        }
        *part = json.name(Value::Of(key))?;
        Ok(())
    })?;
    let (Some(start), true) = (start, json.problems.count() == before) else {
        return Ok(None);
    };
    match (through_box, through, node) {
        (true, Some(_), Some(node)) | (false, None, Some(node)) => {
            return Ok(Some(Reference { through, node }));
        }
        (true, None, _) => json.missing(Key::BoxName, "a reference of type `box_node`", start),
        (true, Some(_), None) => {
            json.missing(Key::NodeName, "a reference of type `box_node`", start);
        }
        (false, _, None) => json.missing(Key::Name, "a reference of type `node`", start),
        (false, Some(_), Some(_)) => json.problems.add(|_| {
            Problem::error("R107", "a reference of type `node` names a box")
                .at(one_byte(start), "in here")
                .hint("to go through a box, write \"type\": \"box_node\"")
        }),
    }
    Ok(None)
}
