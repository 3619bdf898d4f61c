//! Programs made ready to run: every process a list of *sites*, one for each step that it can take.
//!
//! A state of the program gives a value to every *slot*: the variables, a program counter for each
//! process (0 is the textbook's `?`, the process is not there; `k` is its site `k - 1`), registers,
//! the process that moved last (where fairness asks for it), and the point of a fault.
//!
//! In coarse granularity a statement is one site. In fine granularity an assignment, and the
//! condition of `if` and `while`, are worked off in registers of the process, as the textbook's
//! `load R, x`, `add R, y`, `store R, x`: an operand is loaded; an operator takes its second
//! operand from memory if that is a variable or a number, else from the next register; the last
//! step stores the value, or goes where the condition says. `and` and `or` whose second operand is
//! no variable leave it out by a step of their own. `wait`, `lock`, `unlock` and calls stay one
//! step: they are what processes synchronise by. Registers that are no longer needed are set back,
//! so that states differ only in what matters.

use super::expr::{Binary, Code, Expr, Op, Range, Term, Type, Unary, bounds};
use super::program::{
    Action, Composition, Granularity, Mark, PointId, ProcId, ProcessId, Program, VarId,
};
use rustc_hash::FxHashMap;
use std::ops::Range as Slots;
use tern_model::Id;
use tern_model::index::Table;

/// The value of a program counter.
pub(super) type Pc = i64;

/// The program counter of a process that is not there.
pub(super) const NOWHERE: Pc = 0;

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Sets a slot, if it may have the value, and clears registers.
    Set {
        slot: usize,
        code: Code,
        next: Pc,
        clear: Slots<usize>,
    },
    Go {
        next: Pc,
    },
    /// Goes one of two ways, and clears registers.
    Test {
        code: Code,
        yes: Pc,
        no: Pc,
        clear: Slots<usize>,
    },
    Wait {
        code: Code,
        next: Pc,
    },
    Lock {
        slot: usize,
        next: Pc,
    },
    Unlock {
        slot: usize,
        next: Pc,
    },
    /// Lets processes begin; this one waits at the next site.
    Fork {
        children: Vec<ProcessId>,
    },
    /// Goes on when the processes are at their ends.
    Join {
        children: Vec<ProcessId>,
        next: Pc,
    },
    /// Calls a procedure with values for its parameters.
    Call {
        callee: ProcId,
        arguments: Vec<(usize, Code)>,
        next: Pc,
    },
    /// The end.
    End,
}

/// Where a process can be.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) point: PointId,
    /// Which step of the statement it is, of how many.
    pub(super) step: u32,
    pub(super) steps: u32,
    pub(super) act: Act,
}

/// A process, ready to run.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    pub(super) sites: Vec<Site>,
    /// The slot of its program counter.
    pub(super) counter: usize,
    pub(super) start: Pc,
    pub(super) end: Pc,
    /// The slots of its registers.
    pub(super) registers: Slots<usize>,
}

impl Routine {
    /// What is at a program counter.
    pub(super) fn site(&self, pc: Pc) -> Option<&Site> {
        usize::try_from(pc).ok()?.checked_sub(1).and_then(|at| self.sites.get(at))
    }
}

/// A program, ready to run.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) routines: Table<ProcessId, Routine>,
    /// The values that each slot may have; the first slots are those of the variables.
    pub(super) slots: Vec<Range>,
    /// The slot that says which process moved last: its number, counted from 0.
    pub(super) mover: Option<usize>,
    /// The slot of the fault: 0, or one more than the number of a point.
    pub(super) fault: usize,
    /// The program as a whole.
    pub(super) main: ProcessId,
}

/// Where a step leads, while the sites are not numbered.
#[derive(Clone, Copy)]
enum To {
    Point(PointId),
    /// A step of the same statement.
    Step(usize),
}

/// A step with its targets, in the order of its fields.
type Draft = (Act, Vec<To>);

/// Steps of a statement.
struct Steps {
    list: Vec<Draft>,
    /// What the registers may hold.
    registers: Vec<(i64, i64)>,
}

fn number(range: (i64, i64)) -> Range {
    Range { kind: Type::Number, low: range.0, high: range.1 }
}

/// Makes a program ready to run.
pub(super) fn compile(program: &Program) -> Compiled {
    let mut slots: Vec<Range> = program.variables.iter().map(|(_, it)| it.range).collect();
    let first_counter = slots.len();
    let process_count = program.processes.len();
    slots.extend(program.processes.iter().map(|_| number((0, 0))));
    let mut points: Table<ProcessId, Vec<PointId>> = Table::filled(Vec::new(), process_count);
    for (id, point) in program.points.iter() {
        points[point.process].push(id);
    }
    let mut routines = Table::new();
    for process in program.processes.ids() {
        let first_register = slots.len();
        let mut registers = Vec::new();
        let mut lowered: Vec<(PointId, Vec<Draft>)> = Vec::new();
        for &point in &points[process] {
            let mut steps = Steps { list: Vec::new(), registers: Vec::new() };
            steps.lower(program, point, first_register);
            for (i, &range) in steps.registers.iter().enumerate() {
                match registers.get_mut(i) {
                    None => registers.push(range),
                    Some(all) => widen(all, range),
                }
            }
            lowered.push((point, steps.list));
        }
        slots.extend(registers.iter().map(|&range| number(range)));
        let counter = first_counter + process.index();
        let sites = place(lowered, first_register..slots.len());
        slots[counter].high = sites.len() as i64;
        let start = program.target(program.processes[process].start);
        let at = |wanted: PointId| sites.iter().position(|site| site.point == wanted);
        let start = at(start).map_or(NOWHERE, |at| at as Pc + 1);
        let end = sites.len() as Pc;
        let registers = first_register..slots.len();
        routines.push(Routine { sites, counter, start, end, registers });
    }
    let interleaved = program.mode.composition == Composition::Asynchronous;
    let mover = (program.mode.fair && interleaved).then(|| {
        slots.push(number((0, process_count as i64 - 1)));
        slots.len() - 1
    });
    let fault = slots.len();
    slots.push(number((0, program.points.len() as i64)));
    Compiled { routines, slots, mover, fault, main: program.main() }
}

fn widen(all: &mut (i64, i64), range: (i64, i64)) {
    *all = (all.0.min(range.0), all.1.max(range.1));
}

/// Numbers the sites of a process, and lets steps lead to the numbers. All registers are cleared at
/// the end of a statement.
fn place(lowered: Vec<(PointId, Vec<Draft>)>, registers: Slots<usize>) -> Vec<Site> {
    let mut first: FxHashMap<PointId, Pc> = FxHashMap::default();
    let mut count = 0;
    for (point, steps) in &lowered {
        first.insert(*point, count + 1);
        count += steps.len() as Pc;
    }
    let mut sites: Vec<Site> = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    for (point, list) in lowered {
        let begin = first[&point];
        let pc = |to: To| match to {
            To::Point(point) => first[&point],
            To::Step(step) => begin + step as Pc,
        };
        let steps = list.len() as u32;
        for (step, (mut act, targets)) in list.into_iter().enumerate() {
            let leaves = targets.iter().all(|to| matches!(to, To::Point(_)));
            match (&mut act, &targets[..]) {
                (Act::Set { next, clear, .. }, &[to]) => {
                    *next = pc(to);
                    if leaves {
                        *clear = registers.clone();
                    }
                }
                (Act::Test { yes, no, clear, .. }, &[a, b]) => {
                    (*yes, *no) = (pc(a), pc(b));
                    if leaves {
                        *clear = registers.clone();
                    }
                }
                (
                    Act::Go { next }
                    | Act::Wait { next, .. }
                    | Act::Lock { next, .. }
                    | Act::Unlock { next, .. }
                    | Act::Join { next, .. }
                    | Act::Call { next, .. },
                    &[to],
                ) => *next = pc(to),
                _ => {}
            }
            sites.push(Site { point, step: step as u32, steps, act });
        }
    }
    sites
}

impl Steps {
    /// The steps of the statement at a point.
    fn lower(&mut self, program: &Program, point: PointId, first_register: usize) {
        let to = |mark: Mark| To::Point(program.target(mark));
        let slot = |variable: VarId| variable.index() as u32;
        let fine = program.mode.granularity == Granularity::Fine;
        let next = NOWHERE; // until the sites are numbered
        match &program.points[point].action {
            Action::Assign { variable, value, next: mark } => {
                let code = match fine {
                    true => self.work_off(program, value, first_register),
                    false => value.code(slot),
                };
                let act = Act::Set { slot: variable.index(), code, next, clear: 0..0 };
                self.push(act, &[to(*mark)]);
            }
            Action::Test { condition, yes, no } => {
                let code = match fine {
                    true => self.work_off(program, condition, first_register),
                    false => condition.code(slot),
                };
                let act = Act::Test { code, yes: next, no: next, clear: 0..0 };
                self.push(act, &[to(*yes), to(*no)]);
            }
            Action::Skip { next: mark } => self.push(Act::Go { next }, &[to(*mark)]),
            Action::Wait { condition, next: mark } => {
                self.push(Act::Wait { code: condition.code(slot), next }, &[to(*mark)]);
            }
            Action::Lock { variable, next: mark } => {
                self.push(Act::Lock { slot: variable.index(), next }, &[to(*mark)]);
            }
            Action::Unlock { variable, next: mark } => {
                self.push(Act::Unlock { slot: variable.index(), next }, &[to(*mark)]);
            }
            Action::Fork { children, next: mark } => {
                self.push(Act::Fork { children: children.clone() }, &[]);
                self.push(Act::Join { children: children.clone(), next }, &[to(*mark)]);
            }
            Action::Call { callee, arguments, next: mark } => {
                let parameters = &program.procedures[*callee].parameters;
                let given = parameters.iter().zip(arguments);
                let arguments = given.map(|(it, value)| (it.index(), value.code(slot))).collect();
                self.push(Act::Call { callee: *callee, arguments, next }, &[to(*mark)]);
            }
            Action::End => self.push(Act::End, &[]),
        }
    }

    fn push(&mut self, act: Act, targets: &[To]) {
        self.list.push((act, targets.to_vec()));
    }

    /// Sets a register, and goes on with the next step.
    fn operate(&mut self, register: usize, ops: Vec<Op>, range: (i64, i64), first: usize) {
        match self.registers.get_mut(register) {
            None => self.registers.push(range),
            Some(all) => widen(all, range),
        }
        let next = To::Step(self.list.len() + 1);
        let slot = first + register;
        let clear = slot + 1..slot + 1;
        self.push(Act::Set { slot, code: Code(ops), next: NOWHERE, clear }, &[next]);
    }

    /// The steps that leave the value of an expression in the first register; gives the code for
    /// it.
    fn work_off(&mut self, program: &Program, expr: &Expr, first: usize) -> Code {
        let begins = expr.begins();
        let register = |depth: usize| Op::Slot((first + depth) as u32);
        // What may be in each register that is in use, and where jumps wait for their end.
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        let mut jumps: Vec<Option<usize>> = vec![None; expr.terms.len()];
        let is_leaf = |at: usize| matches!(expr.terms[at], Term::Value(..) | Term::Variable(_));
        let mut skips = vec![false; expr.terms.len()];
        for (at, term) in expr.terms.iter().enumerate() {
            if matches!(term, Term::Binary(Binary::And | Binary::Or)) && !is_leaf(at - 1) {
                skips[begins[at - 1]] = true;
            }
        }
        for (at, &term) in expr.terms.iter().enumerate() {
            if skips[at] {
                // The step that may leave out the second operand; which way is known at its end.
                jumps[at] = Some(self.list.len());
                ranges.pop();
                let code = Code(vec![register(ranges.len())]);
                let act = Act::Test { code, yes: NOWHERE, no: NOWHERE, clear: 0..0 };
                let on = To::Step(self.list.len() + 1);
                self.push(act, &[on, on]);
            }
            let is_second = matches!(expr.terms.get(at + 1), Some(Term::Binary(_)));
            match term {
                Term::Value(..) | Term::Variable(_) if is_second => {}
                Term::Value(..) | Term::Variable(_) => {
                    let (op, range) = leaf(program, term);
                    self.operate(ranges.len(), vec![op], range, first);
                    ranges.push(range);
                }
                Term::Unary(operator) => {
                    let (low, high) = ranges.pop().unwrap_or_default();
                    let range = match operator {
                        Unary::Minus => bounds(Binary::Minus, (0, 0), (low, high)),
                        Unary::Not => (0, 1),
                    };
                    let ops = vec![register(ranges.len()), Op::Unary(operator)];
                    self.operate(ranges.len(), ops, range, first);
                    ranges.push(range);
                }
                Term::Binary(operator) if is_leaf(at - 1) => {
                    let (op, second) = leaf(program, expr.terms[at - 1]);
                    let range = bounds(operator, ranges.pop().unwrap_or_default(), second);
                    let ops = vec![register(ranges.len()), op, Op::Binary(operator)];
                    self.operate(ranges.len(), ops, range, first);
                    ranges.push(range);
                }
                Term::Binary(operator @ (Binary::And | Binary::Or)) => {
                    let end = To::Step(self.list.len());
                    if let Some(jump) = jumps[begins[at - 1]] {
                        let way = usize::from(operator == Binary::And);
                        self.list[jump].1[way] = end;
                    }
                }
                Term::Binary(operator) => {
                    let second = ranges.pop().unwrap_or_default();
                    let range = bounds(operator, ranges.pop().unwrap_or_default(), second);
                    let depth = ranges.len();
                    let ops = vec![register(depth), register(depth + 1), Op::Binary(operator)];
                    self.operate(depth, ops, range, first);
                    if let Some((Act::Set { clear, .. }, _)) = self.list.last_mut() {
                        clear.end += 1; // the second operand is no longer needed
                    }
                    ranges.push(range);
                }
            }
        }
        Code(vec![register(0)])
    }
}

/// How an operand is read, and the values it may have.
fn leaf(program: &Program, term: Term) -> (Op, (i64, i64)) {
    match term {
        Term::Variable(variable) => {
            let Range { low, high, .. } = program.variables[variable].range;
            (Op::Slot(variable.index() as u32), (low, high))
        }
        Term::Value(value, _) => (Op::Value(value), (value, value)),
        Term::Unary(_) | Term::Binary(_) => unreachable!("an operator is no operand"),
    }
}
