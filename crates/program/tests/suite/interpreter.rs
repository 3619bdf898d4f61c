//! Runs programs with random choices, and writes down what happens. It shares nothing with what
//! finds calls and makes machines: classes are walked by name at every step.

use fastrand::Rng;
use std::collections::BTreeSet;
use tern_ir::{
    BlockId, Body, Dispatch, Jump, NameId, Operand, ProcId, Program, SelectorId, Statement,
};
use tern_model::Id;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A procedure begins.
    Enter(ProcId),
    /// A statement or jump of a procedure is done, given by its offset.
    Step {
        procedure: ProcId,
        offset: u32,
        /// Whether it is a call, or a jump other than `goto`.
        is_control: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Object(NameId),
    Other,
}

enum Frame {
    Code {
        procedure: ProcId,
        block: BlockId,
        row: u32,
        variables: Vec<Value>,
    },
    /// Code that is missing.
    Outside,
}

pub(crate) struct Interpreter<'a> {
    program: &'a Program,
    rng: Rng,
    frames: Vec<Frame>,
    happened: Vec<Happening>,
    objects: Vec<NameId>,
    initialised: BTreeSet<NameId>,
    /// What a class that is missing really extends.
    lost: &'static str,
}

/// Why a run ends.
struct Over;

/// What happens when a program is run from a procedure, for so many steps at most.
pub(crate) fn run(program: &Program, main: ProcId, seed: u64, steps: usize) -> Vec<Happening> {
    let mut rng = Rng::with_seed(seed);
    let lost =
        ["java.lang.Exception", "java.lang.RuntimeException", "java.lang.Error"][rng.usize(..3)];
    let mut interpreter = Interpreter {
        program,
        rng,
        frames: Vec::new(),
        happened: Vec::new(),
        objects: Vec::new(),
        initialised: BTreeSet::new(),
        lost,
    };
    let class = program.procedures()[main].class.expect("a class");
    interpreter.initialised.insert(program.classes()[class].name);
    let _ = interpreter.enter(main, None);
    for _ in 0..steps {
        if interpreter.frames.is_empty() || interpreter.step().is_err() {
            break;
        }
    }
    interpreter.happened
}

impl Interpreter<'_> {
    fn enter(&mut self, procedure: ProcId, receiver: Option<Value>) -> Result<(), Over> {
        let body = self.program.procedures()[procedure].body.as_ref().ok_or(Over)?;
        let mut variables = vec![Value::Other; body.variables.len()];
        if let Some(receiver) = receiver {
            variables[0] = receiver;
        }
        self.happened.push(Happening::Enter(procedure));
        self.frames.push(Frame::Code { procedure, block: BlockId::new(0), row: 0, variables });
        Ok(())
    }

    fn step(&mut self) -> Result<(), Over> {
        let program = self.program;
        let Some(Frame::Code { procedure, block, row, .. }) = self.frames.last() else {
            return self.outside();
        };
        let (procedure, block, row) = (*procedure, *block, *row);
        let body = program.procedures()[procedure].body.as_ref().expect("entered");
        let rows = &body.blocks[block].statements;
        if rows.start + row >= rows.end {
            return self.jump(procedure, body, block);
        }
        let at = (rows.start + row) as usize;
        let statement = &body.statements[at];
        if let Some(initialiser) = self.first_use(statement) {
            return self.enter(initialiser, None);
        }
        let is_control = matches!(statement, Statement::Call { .. });
        let offset = body.places[at].offset;
        self.happened.push(Happening::Step { procedure, offset, is_control });
        self.advance();
        match statement {
            Statement::New { to, class } => {
                self.objects.push(*class);
                self.set(to.index(), Value::Object(*class));
            }
            Statement::Copy { to, from } => {
                let value = self.value(*from);
                self.set(to.index(), value);
            }
            Statement::Call { call, .. } => {
                let receiver = body.operands(&call.arguments).first().map(|it| self.value(*it));
                self.call(call.dispatch, call.class, call.selector, receiver)?;
            }
            other => {
                if let Some(to) = other.written() {
                    self.set(to.index(), Value::Other);
                }
            }
        }
        Ok(())
    }

    fn advance(&mut self) {
        if let Some(Frame::Code { row, .. }) = self.frames.last_mut() {
            *row += 1;
        }
    }

    fn set(&mut self, variable: usize, value: Value) {
        if let Some(Frame::Code { variables, .. }) = self.frames.last_mut() {
            variables[variable] = value;
        }
    }

    fn value(&self, operand: Operand) -> Value {
        match (operand, self.frames.last()) {
            (Operand::Variable(it), Some(Frame::Code { variables, .. })) => variables[it.index()],
            _ => Value::Other,
        }
    }

    /// The next initialiser that must run before a statement.
    fn first_use(&mut self, statement: &Statement) -> Option<ProcId> {
        let class = match statement {
            Statement::New { class, .. } => *class,
            Statement::Load { object: None, field, .. }
            | Statement::Store { object: None, field, .. } => self.program.fields()[*field].class,
            Statement::Call { call, .. } if call.dispatch == Dispatch::Static => call.class,
            _ => return None,
        };
        for class in self.superclasses(class).into_iter().rev() {
            if self.initialised.insert(class)
                && let Some(initialiser) = self.own(class, "<clinit>")
            {
                return Some(initialiser);
            }
        }
        None
    }

    fn own(&self, class: NameId, name: &str) -> Option<ProcId> {
        let class = &self.program.classes()[self.program.find_class(class)?];
        class.procedures.iter().copied().find(|&it| {
            let selector = self.program.procedures()[it].selector;
            self.program.text(self.program.selectors()[selector].name) == name
        })
    }

    fn superclasses(&self, class: NameId) -> Vec<NameId> {
        let mut list = vec![class];
        loop {
            let last = *list.last().expect("one");
            let above = match self.program.find_class(last) {
                Some(class) => self.program.classes()[class].superclass,
                None => {
                    let above = match self.program.text(last) {
                        "lost.Failure" => self.lost,
                        "java.lang.RuntimeException" => "java.lang.Exception",
                        "java.lang.Exception" | "java.lang.Error" => "java.lang.Throwable",
                        _ => return list,
                    };
                    self.program.find_name(above)
                }
            };
            let Some(above) = above else { return list };
            list.push(above);
        }
    }

    fn call(
        &mut self,
        dispatch: Dispatch,
        class: NameId,
        selector: SelectorId,
        receiver: Option<Value>,
    ) -> Result<(), Over> {
        let program = self.program;
        let name = program.text(program.selectors()[selector].name);
        if name == "event" {
            return Ok(());
        }
        if program.text(class) == "lost.Library" {
            self.frames.push(Frame::Outside);
            return Ok(());
        }
        let from = match (dispatch, receiver) {
            (Dispatch::Static, _) => class,
            (Dispatch::Exact, Some(Value::Object(_))) => class,
            (Dispatch::Virtual, Some(Value::Object(object))) if self.is_a(object, class) => object,
            _ => return Err(Over),
        };
        match self.find(from, name)? {
            Some(target) => self.enter(target, receiver),
            None if name == "toString" => {
                self.frames.push(Frame::Outside);
                Ok(())
            }
            None => Err(Over),
        }
    }

    fn is_a(&self, object: NameId, class: NameId) -> bool {
        self.superclasses(object).contains(&class) || self.interfaces(object).contains(&class)
    }

    fn interfaces(&self, class: NameId) -> BTreeSet<NameId> {
        let mut all = BTreeSet::new();
        for class in self.superclasses(class) {
            let Some(class) = self.program.find_class(class) else { continue };
            for &interface in &self.program.classes()[class].interfaces {
                all.insert(interface);
                all.extend(self.interfaces(interface));
            }
        }
        all
    }

    /// The procedure that a class has or inherits.
    fn find(&self, class: NameId, name: &str) -> Result<Option<ProcId>, Over> {
        let with_code = |it: ProcId| self.program.procedures()[it].body.is_some();
        for class in self.superclasses(class) {
            if let Some(own) = self.own(class, name) {
                return if with_code(own) { Ok(Some(own)) } else { Err(Over) };
            }
        }
        let all = self.interfaces(class);
        let has: Vec<NameId> =
            all.iter().copied().filter(|&it| self.own(it, name).is_some()).collect();
        let hidden = |it: &NameId| has.iter().any(|&other| self.interfaces(other).contains(it));
        let found: Vec<ProcId> = has
            .iter()
            .filter(|it| !hidden(it))
            .filter_map(|&it| self.own(it, name))
            .filter(|&it| with_code(it))
            .collect();
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            _ => Err(Over),
        }
    }

    fn jump(&mut self, procedure: ProcId, body: &Body, block: BlockId) -> Result<(), Over> {
        let jump = &body.blocks[block].jump;
        if !matches!(jump, Jump::Goto(_)) {
            let offset = body.blocks[block].place.offset;
            self.happened.push(Happening::Step { procedure, offset, is_control: true });
        }
        match jump {
            Jump::Return(_) => {
                self.frames.pop();
            }
            Jump::Throw(value) => match self.value(*value) {
                Value::Object(class) => self.throw(class)?,
                Value::Other => return Err(Over),
            },
            other => {
                let mut targets = Vec::new();
                other.targets(|target| targets.push(target));
                let next = targets[self.rng.usize(..targets.len())];
                self.go_to(next);
            }
        }
        Ok(())
    }

    fn go_to(&mut self, target: BlockId) {
        if let Some(Frame::Code { block, row, .. }) = self.frames.last_mut() {
            (*block, *row) = (target, 0);
        }
    }

    /// Unwinds the stack to a handler.
    fn throw(&mut self, class: NameId) -> Result<(), Over> {
        let mut class = class;
        loop {
            let (procedure, block) = match self.frames.last() {
                None => return Err(Over),
                // It passes missing code, or ends there.
                Some(Frame::Outside) => {
                    if self.rng.bool() {
                        return Ok(());
                    }
                    self.frames.pop();
                    continue;
                }
                Some(Frame::Code { procedure, block, .. }) => (*procedure, *block),
            };
            let body = self.program.procedures()[procedure].body.as_ref().expect("entered");
            let above = self.superclasses(class);
            let taken = body
                .handlers(block)
                .iter()
                .find(|it| it.class.is_none_or(|wanted| above.contains(&wanted)));
            if let Some(handler) = taken {
                self.set(handler.variable.index(), Value::Object(class));
                self.go_to(handler.block);
                return Ok(());
            }
            self.frames.pop();
            let selector = self.program.procedures()[procedure].selector;
            let name = self.program.text(self.program.selectors()[selector].name);
            let is_error = above.iter().any(|&it| self.program.text(it) == "java.lang.Error");
            if name == "<clinit>" && !is_error {
                let failed = "java.lang.ExceptionInInitializerError";
                class = self.program.find_name(failed).ok_or(Over)?;
            }
        }
    }

    /// One step of missing code: it returns, throws, or calls back.
    fn outside(&mut self) -> Result<(), Over> {
        match self.rng.u8(..4) {
            0 => {
                self.frames.pop();
                let thrown = self.program.classes().as_slice().iter().map(|it| it.name);
                let is_error = |name: &NameId| self.program.text(*name).starts_with('E');
                let mut thrown: Vec<NameId> = thrown.filter(is_error).collect();
                thrown.extend(self.program.find_name("lost.Failure"));
                let class = thrown[self.rng.usize(..thrown.len())];
                self.throw(class)
            }
            1 if !self.objects.is_empty() => {
                let object = self.objects[self.rng.usize(..self.objects.len())];
                match self.find(object, "toString")? {
                    Some(target) => self.enter(target, Some(Value::Object(object))),
                    None => Ok(()),
                }
            }
            _ => {
                self.frames.pop();
                Ok(())
            }
        }
    }
}
