//! The two fixed points: what is thrown, and which classes are told apart.
//!
//! *What is thrown* goes up: from procedures to the references that lead to them, from references
//! to the procedures that have them, less what handlers take. A row of either kind that has grown
//! waits in a queue, and only what is new in it is passed on. Procedures that throw again what
//! they caught are gone through as a whole.
//!
//! *Which classes are told apart* goes down: a handler tells apart what it takes some of, and a
//! caller that lets something escape tells apart what its own callers do.

use super::{Asked, From, HandlersId, Set, Source, Thrown, add, meet};
use crate::calls::{Calls, KindId, ReferenceId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tern_ir::{Body, ProcId, Program, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::{Id, Lists};

/// How many classes callers of a procedure may tell apart before they are not told apart.
const MOST_TOLD: usize = 8;

/// Which classes are told apart by the callers of procedures and references; `None` if too many.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) procedures: Vec<Option<Vec<KindId>>>,
    pub(super) references: Vec<Option<Vec<KindId>>>,
}

/// Where things come from in a procedure, and which handlers they meet: each pair once.
type Arrivals = Lists<ProcId, (ReferenceId, HandlersId)>;

impl Thrown {
    /// Adds what the sources of a procedure throw to what its handlers catch and what escapes.
    pub(super) fn flow(
        &self,
        body: &Body,
        sources: &[Source],
        caught: &mut FxHashMap<VarId, Set>,
        escaping: &mut [u64],
    ) {
        let rethrows = rethrows(sources);
        loop {
            let mut grown = false;
            for source in sources {
                let set: &[u64] = match source.from {
                    From::Set(set) => &self.set_bits[set.index()],
                    From::Reference(reference) => self.by_reference(reference),
                    From::Initialiser(procedure) => self.by_procedure(procedure),
                    From::Caught(variable) => match caught.get(&variable) {
                        Some(set) => &set.clone(),
                        None => continue,
                    },
                };
                let handling = &self.handling[source.handlers];
                add_masked(escaping, set, &handling.escapes);
                if rethrows {
                    let handlers = body.handlers(tern_ir::BlockId::new(source.block as usize));
                    for (handler, takes) in handlers.iter().zip(&handling.takes) {
                        let empty = || vec![0; self.words].into_boxed_slice();
                        let into = caught.entry(handler.variable).or_insert_with(empty);
                        grown |= add_masked(into, set, takes);
                    }
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// The least solution.
    pub(super) fn solve(
        &mut self,
        asked: Asked<'_>,
        sources: &[Vec<Source>],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Asked { program, calls, .. } = asked;
        let mut solver = Solver::new(self, program, calls, sources, meter)?;
        solver.begin(meter)?;
        while let Some(row) = solver.queue.pop_front() {
            meter.tick()?;
            solver.is_open[row as usize] = false;
            match (row as usize).checked_sub(solver.procedure_count) {
                None => solver.procedure(ProcId::new(row as usize), meter)?,
                Some(reference) => solver.reference(ReferenceId::new(reference), meter)?,
            }
        }
        Ok(())
    }

    /// Which classes the callers of procedures and references tell apart.
    pub(super) fn tell(
        &mut self,
        asked: Asked<'_>,
        sources: &[Vec<Source>],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Asked { program, calls, .. } = asked;
        let (mut told, Passing { references, initialisers }) =
            self.handled(asked, sources, meter)?;
        let mut open: Vec<ProcId> = calls.reached.clone();
        let mut is_open = vec![true; program.procedures().len()];
        let mut grown: Vec<ProcId> = Vec::new();
        for (id, reference) in calls.references().iter() {
            for target in &reference.targets {
                let from = told.references[id.index()].as_deref();
                join(&mut told.procedures[target.index()], from);
            }
        }
        while let Some(procedure) = open.pop() {
            is_open[procedure.index()] = false;
            let own = told.procedures[procedure.index()].clone();
            if own.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            for of in initialisers.get(&procedure).into_iter().flatten() {
                if join(&mut told.procedures[of.index()], own.as_deref()) {
                    grown.push(*of);
                }
            }
            for &reference in references.of(procedure) {
                meter.tick()?;
                if !join(&mut told.references[reference.index()], own.as_deref()) {
                    continue;
                }
                for target in &calls.references()[reference].targets {
                    meter.tick()?;
                    let from = told.references[reference.index()].as_deref();
                    if join(&mut told.procedures[target.index()], from) {
                        grown.push(*target);
                    }
                }
            }
            for procedure in grown.drain(..) {
                if !std::mem::replace(&mut is_open[procedure.index()], true) {
                    open.push(procedure);
                }
            }
        }
        for list in told.procedures.iter_mut().chain(&mut told.references).flatten() {
            list.sort_unstable();
        }
        self.told = told;
        Ok(())
    }

    /// What handlers tell apart at the calls themselves, and what passes all of them.
    fn handled(
        &self,
        Asked { program, calls, .. }: Asked<'_>,
        sources: &[Vec<Source>],
        meter: &mut Meter<'_>,
    ) -> Result<(Told, Passing), Limit> {
        let mut told = Told {
            procedures: vec![Some(Vec::new()); program.procedures().len()],
            references: vec![Some(Vec::new()); calls.references().len()],
        };
        let tell = |known: &mut Option<Vec<KindId>>, set: &[u64], handlers: HandlersId| {
            let handling = &self.handling[handlers];
            for (class, takes) in handling.classes.iter().zip(&handling.takes) {
                if let (Some(class), true) = (class, meet(set, takes)) {
                    join(known, Some(std::slice::from_ref(class)));
                }
            }
            meet(set, &handling.escapes)
        };
        let mut passing: Vec<(ProcId, ReferenceId)> = Vec::new();
        let mut initialisers: FxHashMap<ProcId, Vec<ProcId>> = FxHashMap::default();
        let arrivals = arrivals(calls, sources);
        for &procedure in &calls.reached {
            for &(reference, handlers) in arrivals.of(procedure) {
                meter.tick()?;
                let known = &mut told.references[reference.index()];
                if tell(known, self.by_reference(reference), handlers) {
                    passing.push((procedure, reference));
                }
            }
            for source in &sources[procedure.index()] {
                let From::Initialiser(of) = source.from else { continue };
                let known = &mut told.procedures[of.index()];
                if tell(known, self.by_procedure(of), source.handlers) {
                    initialisers.entry(procedure).or_default().push(of);
                }
            }
        }
        passing.sort_unstable();
        passing.dedup();
        let references = Lists::group(program.procedures().len(), &passing);
        Ok((told, Passing { references, initialisers }))
    }
}

/// What passes all handlers of procedures.
struct Passing {
    references: Lists<ProcId, ReferenceId>,
    initialisers: FxHashMap<ProcId, Vec<ProcId>>,
}

/// Solves for what is thrown. Rows of the queue are procedures, and behind them references.
struct Solver<'a> {
    thrown: &'a mut Thrown,
    program: &'a Program,
    calls: &'a Calls,
    sources: &'a [Vec<Source>],
    /// The references that lead to a procedure.
    callers: Lists<ProcId, ReferenceId>,
    /// Who has calls of a reference, and in which handlers.
    sites: Lists<ReferenceId, (ProcId, HandlersId)>,
    /// Who may run an initialiser, and in which handlers.
    users: FxHashMap<ProcId, Vec<(ProcId, HandlersId)>>,
    /// References that lead to code which cannot be followed, and procedures that are such code.
    open_references: Vec<ReferenceId>,
    open_procedures: Vec<ProcId>,
    is_back: Vec<bool>,
    rethrows: Vec<bool>,
    /// Whether a procedure that throws again must be gone through.
    is_stale: Vec<bool>,
    /// What was passed on so far.
    passed: Vec<u64>,
    /// What was new in the last row, to be used again.
    news: Vec<u64>,
    queue: VecDeque<u32>,
    is_open: Vec<bool>,
    procedure_count: usize,
}

impl<'a> Solver<'a> {
    fn new(
        thrown: &'a mut Thrown,
        program: &'a Program,
        calls: &'a Calls,
        sources: &'a [Vec<Source>],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let count = program.procedures().len();
        let mut users: FxHashMap<ProcId, Vec<_>> = FxHashMap::default();
        for &procedure in &calls.reached {
            for source in &sources[procedure.index()] {
                meter.tick()?;
                if let From::Initialiser(of) = source.from {
                    users.entry(of).or_default().push((procedure, source.handlers));
                }
            }
        }
        let references = calls.references();
        let mut callers: Vec<(ProcId, ReferenceId)> = Vec::new();
        for (id, reference) in references.iter() {
            callers.extend(reference.targets.iter().map(|&target| (target, id)));
        }
        let arrivals = arrivals(calls, sources);
        let sites = calls.reached.iter().flat_map(|&procedure| {
            let of = arrivals.of(procedure).iter();
            of.map(move |&(reference, handlers)| (reference, (procedure, handlers)))
        });
        let open_references =
            references.iter().filter(|(_, it)| it.unknown.is_some()).map(|(id, _)| id).collect();
        let is_stub = |it: &ProcId| calls.is_stub(program, *it);
        let open_procedures = calls.reached.iter().copied().filter(is_stub).collect();
        let mut is_back = vec![false; count];
        calls.callbacks.iter().for_each(|it| is_back[it.index()] = true);
        let rows = count + references.len();
        Ok(Solver {
            program,
            calls,
            sources,
            callers: Lists::group(count, &callers),
            sites: Lists::gather(references.len(), sites),
            users,
            open_references,
            open_procedures,
            is_back,
            rethrows: sources.iter().map(|sources| rethrows(sources)).collect(),
            is_stale: vec![false; count],
            passed: vec![0; rows * thrown.words],
            news: Vec::new(),
            queue: VecDeque::new(),
            is_open: vec![false; rows],
            procedure_count: count,
            thrown,
        })
    }

    /// What procedures throw by themselves, and code that cannot be followed.
    fn begin(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let unknown = self.thrown.unknown.clone();
        for i in 0..self.open_references.len() {
            self.add_to_reference(self.open_references[i], &unknown);
        }
        for &id in self.calls.reached.iter().rev() {
            meter.tick()?;
            if self.calls.is_stub(self.program, id) {
                self.add_to_procedure(id, &unknown);
                continue;
            }
            if self.rethrows[id.index()] {
                self.is_stale[id.index()] = true;
                self.push(id.index());
            }
            let mut escaping = vec![0; self.thrown.words];
            for source in &self.sources[id.index()] {
                if let From::Set(set) = source.from {
                    let set = &self.thrown.set_bits[set.index()];
                    add_masked(&mut escaping, set, &self.thrown.handling[source.handlers].escapes);
                }
            }
            self.add_to_procedure(id, &escaping);
        }
        Ok(())
    }

    fn push(&mut self, row: usize) {
        if !std::mem::replace(&mut self.is_open[row], true) {
            self.queue.push_back(row as u32);
        }
    }

    fn add_to_procedure(&mut self, id: ProcId, set: &[u64]) {
        let row = id.index() * self.thrown.words;
        if add(&mut self.thrown.procedures[row..row + self.thrown.words], set) {
            self.push(id.index());
        }
    }

    fn add_to_reference(&mut self, id: ReferenceId, set: &[u64]) {
        let row = id.index() * self.thrown.words;
        if add(&mut self.thrown.references[row..row + self.thrown.words], set) {
            self.push(self.procedure_count + id.index());
        }
    }

    /// What is new in a row since it was last passed on: of a procedure, or behind them of a
    /// reference. The caller gives it back.
    fn news(&mut self, row: usize) -> Vec<u64> {
        let words = self.thrown.words;
        let set = match row.checked_sub(self.procedure_count) {
            None => &self.thrown.procedures[row * words..][..words],
            Some(reference) => &self.thrown.references[reference * words..][..words],
        };
        let passed = &mut self.passed[row * words..][..words];
        let mut news = std::mem::take(&mut self.news);
        news.clear();
        news.extend(set.iter().zip(&*passed).map(|(all, old)| all & !old));
        passed.copy_from_slice(set);
        news
    }

    /// Passes on what is new in what a procedure throws.
    fn procedure(&mut self, id: ProcId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        if std::mem::replace(&mut self.is_stale[id.index()], false)
            && let Some(body) = &self.program.procedures()[id].body
        {
            let mut escaping = self.thrown.by_procedure(id).to_vec();
            let (mut caught, sources) = (FxHashMap::default(), &self.sources[id.index()]);
            self.thrown.flow(body, sources, &mut caught, &mut escaping);
            let row = id.index() * self.thrown.words;
            add(&mut self.thrown.procedures[row..row + self.thrown.words], &escaping);
        }
        let news = self.news(id.index());
        if news.iter().all(|&word| word == 0) {
            self.news = news;
            return Ok(());
        }
        for at in self.callers.range(id) {
            meter.tick()?;
            self.add_to_reference(self.callers.items()[at], &news);
        }
        if self.is_back[id.index()] && add(&mut self.thrown.unknown, &news) {
            for i in 0..self.open_references.len() {
                meter.tick()?;
                self.add_to_reference(self.open_references[i], &news);
            }
            for i in 0..self.open_procedures.len() {
                meter.tick()?;
                self.add_to_procedure(self.open_procedures[i], &news);
            }
        }
        if let Some(users) = self.users.get(&id).cloned() {
            for (user, handlers) in users {
                meter.tick()?;
                self.arrive(user, handlers, &news);
            }
        }
        self.news = news;
        Ok(())
    }

    /// Passes on what is new in what the calls of a reference throw.
    fn reference(&mut self, id: ReferenceId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let news = self.news(self.procedure_count + id.index());
        for at in self.sites.range(id) {
            meter.tick()?;
            let (procedure, handlers) = self.sites.items()[at];
            self.arrive(procedure, handlers, &news);
        }
        self.news = news;
        Ok(())
    }

    /// Something comes to handlers of a procedure.
    fn arrive(&mut self, procedure: ProcId, handlers: HandlersId, news: &[u64]) {
        if self.rethrows[procedure.index()] {
            self.is_stale[procedure.index()] = true;
            self.push(procedure.index());
            return;
        }
        let Solver { thrown, .. } = self;
        let row = procedure.index() * thrown.words;
        let own = &mut thrown.procedures[row..row + thrown.words];
        if add_masked(own, news, &thrown.handling[handlers].escapes) {
            self.push(procedure.index());
        }
    }
}

/// The references of the calls of each procedure with their handlers, each pair once.
fn arrivals(calls: &Calls, sources: &[Vec<Source>]) -> Arrivals {
    let mut pairs: Vec<(ProcId, (ReferenceId, HandlersId))> = Vec::new();
    for &procedure in &calls.reached {
        let begin = pairs.len();
        pairs.extend(sources[procedure.index()].iter().filter_map(|source| match source.from {
            From::Reference(reference) => Some((procedure, (reference, source.handlers))),
            _ => None,
        }));
        pairs[begin..].sort_unstable();
        let mut kept = begin;
        for i in begin..pairs.len() {
            if kept == begin || pairs[kept - 1] != pairs[i] {
                pairs[kept] = pairs[i];
                kept += 1;
            }
        }
        pairs.truncate(kept);
    }
    Lists::group(sources.len(), &pairs)
}

/// Whether a procedure throws again what it caught.
pub(super) fn rethrows(sources: &[Source]) -> bool {
    sources.iter().any(|source| matches!(source.from, From::Caught(_)))
}

/// Adds what one set has in common with another; whether that made a difference.
fn add_masked(to: &mut [u64], from: &[u64], mask: &[u64]) -> bool {
    let mut grown = false;
    for (to, (from, mask)) in to.iter_mut().zip(from.iter().zip(mask)) {
        let more = from & mask & !*to;
        grown |= more != 0;
        *to |= more;
    }
    grown
}

/// Adds classes that are told apart; whether that made a difference.
fn join(to: &mut Option<Vec<KindId>>, from: Option<&[KindId]>) -> bool {
    let (Some(list), Some(from)) = (to.as_mut(), from) else {
        return from.is_none() && to.take().is_some();
    };
    let before = list.len();
    for class in from {
        if !list.contains(class) {
            list.push(*class);
        }
    }
    let grown = list.len() > before;
    if list.len() > MOST_TOLD {
        *to = None;
    }
    grown
}
