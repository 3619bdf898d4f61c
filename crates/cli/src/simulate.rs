//! `tern simulate`: goes through a program one move at a time, by hand or at random.
//!
//! Commands are read from standard input, one a line, so that a session can be kept in a file and
//! played again. The way back is a list of what each move changed: however long a session is, only
//! one stack is kept.

use crate::args::SimulateArgs;
use crate::failure::{Failure, Status};
use crate::load;
use crate::terminal::Terminal;
use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal};
use tern::Model;
use tern_model::moves::{moves, surety};
use tern_model::{
    BoxId, Budget, Configuration, LabelId, Machine, Move, MoveKind, NodeId, Surety, index::Lists,
};
use tern_report::visible;

/// The commands, for the help.
pub(crate) const HELP: &str = "\
Commands, one a line:
  NUMBER     make the move of this number; an empty line makes the only one
  b          go back one move
  r [COUNT]  make one move, or so many, at random
  s          show the calls that have not returned
  q          end; so does the end of the input
  ?          show this list";

/// How many moves may be made at random in one command.
const MOST_RANDOM: usize = 1_000_000;

/// Runs the subcommand.
pub(crate) fn run(args: &SimulateArgs, terminal: &Terminal) -> Result<Status, Failure> {
    if args.model == "-" && args.random.is_none() {
        return Err(Failure::Usage {
            message: "commands are read from standard input, so the model cannot be".to_owned(),
            hint: "give the model as a file, or go at random with --random MOVES".to_owned(),
        });
    }
    let model = load::model(&args.model, &args.reading, &Budget::unlimited())?;
    let mut walk = Walk::new(&model, args.seed);
    terminal.print(&walk.show())?;
    if let Some(count) = args.random {
        walk.choose_initial();
        for _ in 0..count {
            walk.make_random();
            terminal.print(&walk.line())?;
        }
        return Ok(Status::Good);
    }
    let asks = io::stdin().is_terminal();
    let mut lines = io::stdin().lock();
    let mut line = String::new();
    loop {
        if asks {
            terminal.print("> ")?;
        }
        line.clear();
        if lines.read_line(&mut line).map_err(Failure::Output)? == 0 {
            return Ok(Status::Good);
        }
        match walk.obey(line.trim()) {
            Some(answer) => terminal.print(&answer)?,
            None => return Ok(Status::Good),
        }
    }
}

/// What a move changed.
struct Change {
    /// The node that was left; `None` if the move led to the sink.
    from: NodeId,
    kind: MoveKind,
    /// The box that was left.
    left: Option<BoxId>,
}

/// A walk through a program.
struct Walk<'m> {
    model: &'m Model,
    labels: Lists<NodeId, LabelId>,
    /// The labels of which it is unknown whether nodes have them.
    unknown: Lists<NodeId, LabelId>,
    /// Where it is; `None` while an initial node is to be chosen.
    here: Option<Configuration>,
    /// Whether the program has ended in its sink.
    in_sink: bool,
    made: Vec<Change>,
    random: fastrand::Rng,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model, seed: u64) -> Self {
        let machine = &model.machine;
        let here = match machine.initial() {
            [only] => Some(Configuration::from(*only)),
            _ => None,
        };
        Walk {
            model,
            labels: machine.labels_by_node(),
            unknown: machine.unknown_by_node(),
            here,
            in_sink: false,
            made: Vec::new(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    fn machine(&self) -> &'m Machine {
        &self.model.machine
    }

    fn choose_initial(&mut self) {
        if self.here.is_none() {
            let initial = self.machine().initial();
            self.here = Some(initial[self.random.usize(..initial.len())].into());
        }
    }

    /// What a command answers; `None` ends the walk.
    fn obey(&mut self, command: &str) -> Option<String> {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let answer = match (word, rest.trim()) {
            ("q" | "quit" | "exit", "") => return None,
            ("?" | "h" | "help", "") => format!("{HELP}\n"),
            ("s" | "stack", "") => self.stack(),
            ("b" | "back", "") => match self.back() {
                true => self.show(),
                false => "this is where it began\n".to_owned(),
            },
            ("r" | "random", count) => {
                let count = if count.is_empty() { Ok(1) } else { count.parse::<usize>() };
                match count {
                    Ok(count) if count <= MOST_RANDOM => {
                        self.choose_initial();
                        (0..count).for_each(|_| self.make_random());
                        self.show()
                    }
                    _ => format!("r takes a number up to {MOST_RANDOM}\n"),
                }
            }
            ("", _) if self.choices() == 1 => self.choose(0),
            (number, "") => match number.parse::<usize>() {
                Ok(number) if (1..=self.choices()).contains(&number) => self.choose(number - 1),
                _ => format!("choose a number from 1 to {}, or ? for help\n", self.choices()),
            },
            _ => "there is no such command; ? lists them\n".to_owned(),
        };
        Some(answer)
    }

    /// The moves from here.
    fn moves(&self) -> Vec<Move> {
        match &self.here {
            Some(here) if self.in_sink => vec![Move { kind: MoveKind::Stay, node: here.node }],
            Some(here) => moves(self.machine(), here),
            None => Vec::new(),
        }
    }

    fn choices(&self) -> usize {
        if self.here.is_some() { self.moves().len() } else { self.machine().initial().len() }
    }

    fn choose(&mut self, number: usize) -> String {
        match self.here {
            None => self.here = Some(self.machine().initial()[number].into()),
            Some(_) => self.make(self.moves()[number]),
        }
        self.show()
    }

    fn make_random(&mut self) {
        let moves = self.moves();
        let choice = self.random.usize(..moves.len());
        self.make(moves[choice]);
    }

    fn make(&mut self, step: Move) {
        let Some(here) = &mut self.here else { return };
        let from = here.node;
        let left = here.advance(step);
        self.in_sink |= step.kind == MoveKind::Sink;
        self.made.push(Change { from, kind: step.kind, left });
    }

    /// Takes the last move back, if there is one.
    fn back(&mut self) -> bool {
        let has_choice = self.machine().initial().len() > 1;
        match (self.made.pop(), &mut self.here) {
            (Some(Change { from, kind, left }), Some(here)) => {
                if kind.calls().is_some() {
                    here.stack.pop();
                }
                here.stack.extend(left);
                here.node = from;
                self.in_sink &= kind != MoveKind::Sink;
                true
            }
            (None, here @ Some(_)) if has_choice => {
                *here = None;
                true
            }
            _ => false,
        }
    }

    /// A line on where the walk is.
    fn line(&self) -> String {
        let Some(here) = &self.here else { return "where to begin?\n".to_owned() };
        let mut line = format!("{:3}  {}", self.made.len(), "  ".repeat(here.stack.len().min(16)));
        line +=
            &if self.in_sink { "the program has ended".to_owned() } else { self.node(here.node) };
        line.push('\n');
        line
    }

    /// A node with its labels, values and origin.
    fn node(&self, node: NodeId) -> String {
        let machine = self.machine();
        let values: Vec<(String, String)> = match &self.model.vocabulary {
            Some(vocabulary) => vocabulary.values(node).into_iter().collect(),
            None => Vec::new(),
        };
        let path = machine.node_path(node);
        let mut text = visible(without_values(&path, &values)).into_owned();
        // What is a value is not said once more as a label.
        let is_value = |label: &str| {
            let sides = label.split_once(" = ");
            sides.is_some_and(|(x, d)| values.iter().any(|(name, value)| name == x && value == d))
        };
        let name = |&label: &LabelId| visible(machine.label_name(label)).into_owned();
        let own = self.labels.of(node).iter();
        let mut names: Vec<String> =
            own.filter(|&&label| !is_value(machine.label_name(label))).map(name).collect();
        names.extend(self.unknown.of(node).iter().map(|label| name(label) + "?"));
        if !names.is_empty() {
            let _ = write!(text, " {{{}}}", names.join(", "));
        }
        for (name, value) in &values {
            let _ = write!(text, " {}={}", visible(name), visible(value));
        }
        if let Some(origin) = machine.origin(node) {
            let _ = write!(text, "  ({}:{})", visible(&origin.file), origin.line);
        }
        text
    }

    /// Where the walk is, and the moves from there.
    fn show(&self) -> String {
        let mut text = self.line();
        let machine = self.machine();
        if self.here.is_none() {
            for (i, &node) in machine.initial().iter().enumerate() {
                let _ = writeln!(text, "     {}: {}", i + 1, self.node(node));
            }
        }
        for (i, step) in self.moves().into_iter().enumerate() {
            let perhaps = match &self.here {
                Some(here) if surety(machine, here, step) == Surety::Possible => "perhaps ",
                _ => "",
            };
            let _ = writeln!(text, "     {}: {perhaps}{}", i + 1, self.told(step));
        }
        text
    }

    /// A move in words.
    fn told(&self, step: Move) -> String {
        let machine = self.machine();
        let calls = |call: BoxId| {
            let callee = machine.component_name(machine.callee(call));
            format!("calls {} by {}", visible(callee), visible(machine.box_name(call)))
        };
        let returns = |exit| format!("returns by {}", visible(machine.exit_name(exit)));
        let how = match step.kind {
            MoveKind::Step => return format!("to {}", self.node(step.node)),
            MoveKind::Stay => return "stays".to_owned(),
            MoveKind::Sink => return "ends".to_owned(),
            MoveKind::Call(call) => calls(call),
            MoveKind::Return(exit) => returns(exit),
            MoveKind::ReturnAndCall(exit, call) => {
                format!("{}; the caller {}", returns(exit), calls(call))
            }
        };
        format!("{how}, to {}", self.node(step.node))
    }

    /// The calls that have not returned, outermost first.
    fn stack(&self) -> String {
        let machine = self.machine();
        let stack = self.here.as_ref().map_or(&[][..], |here| &here.stack);
        if stack.is_empty() {
            return "no call is open\n".to_owned();
        }
        let lines = stack.iter().map(|&call| {
            let callee = machine.component_name(machine.callee(call));
            format!("  {} calls {}\n", visible(&machine.box_path(call)), visible(callee))
        });
        lines.collect()
    }
}

/// The path of a node whose name lists the values of variables at its end, without these.
fn without_values<'p>(path: &'p str, values: &[(String, String)]) -> &'p str {
    let mut rest = path;
    for (name, value) in values.iter().rev() {
        let shown = rest.strip_suffix(value.as_str()).and_then(|rest| rest.strip_suffix('='));
        let Some(shorter) = shown.and_then(|rest| rest.strip_suffix(name.as_str())) else { break };
        // If nothing is left of the name of the node, that of its component is.
        let Some(shorter) = shorter.strip_suffix([',', '.']) else { return path };
        rest = shorter;
    }
    rest
}
