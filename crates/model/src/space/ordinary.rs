//! The ordinary machine of an abstract space, as a space: made on demand.
//!
//! It is the machine M' of [`abstraction`](crate::abstraction), of which a node, an edge or a label
//! is made when it is asked for. What the abstract space says is kept in a [`Part`], so that it is
//! asked once for all copies of a node. Ids are handed out as things are found. There is one
//! difference: a node has its exit `stay n` wherever that may be needed, and whether it is said by
//! the return sites after it, because it is not known beforehand by which boxes it is called.
//!
//! Where the abstract space has a hole, so have all copies of the place: there anything may follow,
//! and any label be, those of M' included.

use super::{Labels, Part, Space, SpaceError, Successors};
use crate::abstraction::{Lane, MAYBE, label_in};
use crate::budget::Meter;
use crate::index::{BoxId, CompId, ExitId, Id, LabelId, NodeId, Numbering, PlaceId};
use crate::machine::{Edge, EndRule, Surety};

/// Where a copy of a component is: above a call, or at the bottom of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Level {
    Called,
    Bottom,
}

/// What a node of M' is, in the ids of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spot {
    Node(Level, NodeId, Surety),
    Sink(CompId, Surety),
}

/// What an exit of M' is, in the ids of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Exit(ExitId, Surety),
    Stay(NodeId),
}

/// What a proposition of M' asks of a node.
#[derive(Clone, Copy, Debug)]
enum Asks {
    Maybe,
    Label(Lane, LabelId),
    Nothing,
}

/// The ids that things of M' have, as far as they were found.
#[derive(Clone, Debug, Default)]
pub struct OrdinaryIds {
    nodes: Numbering<NodeId, Spot>,
    exits: Numbering<ExitId, Way>,
    boxes: Numbering<BoxId, (Level, BoxId)>,
    components: Numbering<CompId, (Level, CompId)>,
}

impl OrdinaryIds {
    /// The node, in the ids of the part, that a node of M' is a copy of; `None` for a sink.
    pub fn original(&self, node: NodeId) -> Option<NodeId> {
        match self.nodes.rows()[node] {
            Spot::Node(_, node, _) => Some(node),
            Spot::Sink(..) => None,
        }
    }
}

/// The ordinary machine of an abstract space.
pub struct Ordinary<'a, S> {
    space: &'a mut S,
    part: &'a mut Part,
    ids: &'a mut OrdinaryIds,
    asks: Vec<Asks>,
}

impl<'a, S: Space> Ordinary<'a, S> {
    /// The ordinary machine of a space. The part keeps what was asked of the space, and the ids
    /// what was found of the machine; both belong to this space alone.
    pub fn new(space: &'a mut S, part: &'a mut Part, ids: &'a mut OrdinaryIds) -> Self {
        Ordinary { space, part, ids, asks: Vec::new() }
    }

    /// The propositions of M' for those that the abstract space was told.
    pub fn names(propositions: &[String]) -> Vec<String> {
        let lanes = |name| [Lane::Must, Lane::May].map(|lane| label_in(lane, name));
        let names = propositions.iter().flat_map(|name| lanes(name));
        names.chain([MAYBE.to_owned()]).collect()
    }

    fn node(&mut self, level: Level, node: NodeId, surety: Surety) -> NodeId {
        let component = (level, self.part.component_of(node));
        self.ids.components.id(component);
        self.ids.nodes.id(Spot::Node(level, node, surety))
    }

    fn call(&mut self, level: Level, call: BoxId) -> BoxId {
        self.ids.components.id((level, self.part.box_home(call)));
        self.ids.components.id((Level::Called, self.part.box_callee(call)));
        self.ids.boxes.id((level, call))
    }

    /// The edges of a place of the abstract space. Says where it has a hole.
    fn ask(
        &mut self,
        place: PlaceId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(Edge, Surety)>, SpaceError> {
        self.part.edges(self.space, place, meter)?;
        if self.part.is_hole(place) {
            out.hole("");
        }
        Ok(self.part.known_edges(place).collect())
    }

    /// A step or a call.
    fn onward(&mut self, level: Level, edge: Edge, surety: Surety) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.node(level, to, surety)),
            Edge::Call(call, entry) => {
                let entry = self.node(Level::Called, entry, surety);
                Edge::Call(self.call(level, call), entry)
            }
            Edge::Return(exit) => Edge::Return(self.ids.exits.id(Way::Exit(exit, surety))),
        }
    }

    fn of_node(
        &mut self,
        level: Level,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        let place = self.part.node_place(node);
        let edges = self.ask(place, out, meter)?;
        let hole = self.part.is_hole(place);
        if edges.is_empty() && !hole {
            out.step(self.node(level, node, Surety::Sure));
        }
        let returns = |edge: Edge| matches!(edge, Edge::Return(_));
        let (mut ends, mut goes_on) = (false, false);
        for (edge, surety) in edges {
            ends |= returns(edge);
            goes_on |= !returns(edge) && surety == Surety::Sure;
            out.edge(match (edge, level) {
                (Edge::Return(_), Level::Bottom) => match self.space.end_rule() {
                    EndRule::Loop => Edge::Step(self.node(level, node, surety)),
                    EndRule::Sink => {
                        let component = self.part.component_of(node);
                        Edge::Step(self.ids.nodes.id(Spot::Sink(component, surety)))
                    }
                },
                _ => self.onward(level, edge, surety),
            });
        }
        if level == Level::Called && ends && !goes_on && !hole {
            out.leave(self.ids.exits.id(Way::Stay(node)));
        }
        Ok(())
    }

    /// Whether a node stays where it is because a box does not go on after its returns, surely or
    /// perhaps.
    fn stays(
        &mut self,
        node: NodeId,
        call: BoxId,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Surety>, SpaceError> {
        let place = self.part.node_place(node);
        let edges: Vec<(Edge, Surety)> = self.part.known_edges(place).collect();
        let (mut ends, mut goes_on) = (false, None);
        for (edge, surety) in edges {
            if let Edge::Return(exit) = edge {
                let site = self.part.site(call, exit);
                let nothing = self.part.edges(self.space, site, meter)?.is_empty();
                if nothing && !self.part.is_hole(site) {
                    ends = true;
                    continue;
                }
            }
            goes_on = Some(goes_on.map_or(surety, |it: Surety| it.min(surety)));
        }
        Ok(match (ends, goes_on) {
            (false, _) | (true, Some(Surety::Sure)) => None,
            (true, None) => Some(Surety::Sure),
            (true, Some(Surety::Possible)) => Some(Surety::Possible),
        })
    }
}

impl<S: Space> Space for Ordinary<'_, S> {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        let own = self.part.propositions();
        let asks = |name: &String| {
            let labels = own.iter().enumerate().find_map(|(position, own)| {
                let lane =
                    [Lane::Must, Lane::May].into_iter().find(|&it| label_in(it, own) == *name);
                lane.map(|lane| Asks::Label(lane, LabelId::new(position)))
            });
            match labels {
                Some(asks) => asks,
                None if name == MAYBE => Asks::Maybe,
                None => Asks::Nothing,
            }
        };
        self.asks = names.iter().map(asks).collect();
        Ok(())
    }

    fn initial(&mut self, meter: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        let nodes = self.part.initial(self.space, meter)?.to_vec();
        Ok(nodes.into_iter().map(|node| self.node(Level::Bottom, node, Surety::Sure)).collect())
    }

    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        match self.ids.nodes.rows()[node] {
            Spot::Sink(component, _) => {
                out.step(self.ids.nodes.id(Spot::Sink(component, Surety::Sure)));
                Ok(())
            }
            Spot::Node(level, node, _) => self.of_node(level, node, out, meter),
        }
    }

    fn site_edges(
        &mut self,
        call: BoxId,
        exit: ExitId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        let (level, own) = self.ids.boxes.rows()[call];
        match self.ids.exits.rows()[exit] {
            Way::Stay(node) => {
                if let Some(surety) = self.stays(node, own, meter)? {
                    out.call(call, self.node(Level::Called, node, surety));
                }
            }
            Way::Exit(exit, left) => {
                let site = self.part.site(own, exit);
                for (edge, surety) in self.ask(site, out, meter)? {
                    let edge = self.onward(level, edge, left.and(surety));
                    out.edge(edge);
                }
            }
        }
        Ok(())
    }

    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        let (own, surety) = match self.ids.nodes.rows()[node] {
            Spot::Node(_, node, surety) => (Some(node), surety),
            Spot::Sink(_, surety) => (None, surety),
        };
        if let Some(own) = own {
            self.part.labels(self.space, own, meter)?;
        }
        for (position, &asks) in self.asks.iter().enumerate() {
            let has = match (asks, own) {
                (Asks::Maybe, _) => surety == Surety::Possible,
                (Asks::Label(lane, label), Some(own)) => {
                    self.part.known_labels(own).binary_search(&label).is_ok()
                        || lane == Lane::May
                            && self.part.unknown_labels(own).binary_search(&label).is_ok()
                }
                (Asks::Label(..), None) | (Asks::Nothing, _) => false,
            };
            if has {
                out.add(LabelId::new(position));
            }
        }
        Ok(())
    }

    fn component(&self, node: NodeId) -> CompId {
        let component = match self.ids.nodes.rows()[node] {
            Spot::Node(level, node, _) => (level, self.part.component_of(node)),
            Spot::Sink(component, _) => (Level::Bottom, component),
        };
        self.ids.components.find(&component).expect("it has an id since its first node")
    }

    fn home(&self, call: BoxId) -> CompId {
        let (level, call) = self.ids.boxes.rows()[call];
        let home = (level, self.part.box_home(call));
        self.ids.components.find(&home).expect("it has an id since its first box")
    }

    fn callee(&self, call: BoxId) -> CompId {
        let (_, call) = self.ids.boxes.rows()[call];
        let callee = (Level::Called, self.part.box_callee(call));
        self.ids.components.find(&callee).expect("it has an id since it is called")
    }

    fn component_name(&self, component: CompId) -> String {
        let (level, component) = self.ids.components.rows()[component];
        let name = self.space.component_name(self.part.component_outside(component));
        match level {
            Level::Called => format!("called {name}"),
            Level::Bottom => format!("bottom {name}"),
        }
    }

    fn node_name(&self, node: NodeId) -> String {
        let (name, surety) = match self.ids.nodes.rows()[node] {
            Spot::Node(_, node, surety) => {
                (self.space.node_name(self.part.node_outside(node)), surety)
            }
            Spot::Sink(_, surety) => (String::new(), surety),
        };
        match surety {
            Surety::Sure => format!("sure {name}"),
            Surety::Possible => format!("maybe {name}"),
        }
    }

    fn box_name(&self, call: BoxId) -> String {
        self.space.box_name(self.part.box_outside(self.ids.boxes.rows()[call].1))
    }

    fn exit_name(&self, exit: ExitId) -> String {
        match self.ids.exits.rows()[exit] {
            Way::Stay(node) => {
                format!("stay {}", self.space.node_name(self.part.node_outside(node)))
            }
            Way::Exit(exit, surety) => {
                let name = self.space.exit_name(self.part.exit_outside(exit));
                match surety {
                    Surety::Sure => format!("sure {name}"),
                    Surety::Possible => format!("maybe {name}"),
                }
            }
        }
    }
}
