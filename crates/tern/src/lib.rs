//! Tern as a library: reads models and claims, decides the claims, says why, and has that checked.
//!
//! ```
//! let model = "component main { initial entry a -> b; node b {done} -> b; }";
//! let answer = tern::check(model, "AF done")?;
//! assert_eq!(answer.verdict(), &tern::Verdict::Holds);
//! # Ok::<(), tern::Error>(())
//! ```
//!
//! A [`Model`] is what a file holds: a machine, and claims with the fairness conditions that they
//! are meant under. [`Model::ask`] has one claim decided, with whatever else is wanted:
//!
//! ```
//! use tern::{Model, Verdict};
//!
//! let mut model = Model::parse(
//!     "component main { initial entry wait -> wait, work; node work {busy} -> wait; }
//!      fair busy;
//!      claim works: AF busy;",
//! )?;
//! let never = model.claim("AG !busy")?;
//!
//! // The claim of the text is meant for paths that are fair, as the text says.
//! let works = model.ask(0).evidence().certified().decide();
//! assert_eq!(works.verdict(), &Verdict::Holds);
//! assert!(works.certification.is_some_and(|it| it.accepted));
//! assert_eq!(model.show(0), "A [G F busy -> F busy]");
//!
//! // Where it is false, and by which run.
//! let answer = model.ask(never).engine("automata")?.witness(100).decide();
//! assert_eq!(answer.verdict(), &Verdict::Fails);
//! let culprit = answer.outcome.culprit.expect("it fails somewhere");
//! assert_eq!(culprit.show(&model.machine), "main.wait");
//! # Ok::<(), tern::Error>(())
//! ```
//!
//! A claim is about the initial nodes, unless it says otherwise:
//!
//! ```
//! use tern::{Configuration, Model, Verdict};
//!
//! let mut model = Model::parse(
//!     "component main {
//!          initial entry a -> call.in; box call: f; call.out -> b; node b {back} -> b;
//!      }
//!      component f { entry in -> out; exit out; }",
//! )?;
//! let claim = model.claim("EX back")?;
//! assert_eq!(model.ask(claim).decide().verdict(), &Verdict::Fails);
//!
//! // At `out`, called from `main`.
//! let call = model.machine.boxes().next().expect("there is one");
//! let out = model.machine.find_node("f", "out").expect("there is one");
//! let inside = Configuration { stack: vec![call], node: out };
//! assert_eq!(model.ask(claim).at([inside]).decide().verdict(), &Verdict::Holds);
//! # Ok::<(), tern::Error>(())
//! ```
//!
//! What is wrong with an input is an [`Error`], which prints itself as the command line does: with
//! the place, a piece of the text and a hint, for all problems at once.
//!
//! ```
//! let model = "component main { initial entry a -> b; nod b -> a; }";
//! let error = tern::check(model, "AF done").unwrap_err();
//! assert!(error.to_string().contains("did you mean `node`?"));
//! ```
//!
//! Many claims on one model are decided by one [`Session`], which prepares the machine once.
//!
//! A strong fairness condition may name edges, of which no formula can speak:
//!
//! ```
//! use tern::model::{Edge, Pair, Place, Side};
//! use tern::{Model, Verdict};
//!
//! let text = "component main { initial entry a -> a, b; node b {p} -> b; } claim F p;";
//! let mut model = Model::parse(text)?;
//! assert_eq!(model.ask(0).decide().verdict(), &Verdict::Fails); // by the loop at a
//! let a = model.machine.find_node("main", "a").expect("it is there");
//! // Whoever follows the loop at `a` again and again follows nothing again and again: nobody does.
//! let when = Side::edges([(Place::Node(a), Edge::Step(a))]);
//! model.claims.restrict([Pair { when, then: Side::edges([]) }.into()]);
//! assert_eq!(model.ask(0).decide().verdict(), &Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program need not be there as a whole: [`OnDemand`] decides claims on what produces its states
//! when they are asked for.
//!
//! The crates that Tern is made of are here under their own names, for what goes beyond this:
//!
//! ```
//! use tern::certify::{Asked, check_outcome};
//! use tern::front::{Source, claims, hoa, rsm};
//! use tern::report::text::{self, Detail};
//! use tern::{Budget, Model};
//!
//! let budget = Budget::unlimited();
//! // `front` reads and writes formats.
//! let source = Source::new("m.tern", "component main { initial entry a {p} -> a; } claim AG p;");
//! let (machine, _) = tern::front::tern::read(&source, &budget).expect("it is sound");
//! assert!(rsm::write(&machine).expect("it can be said").contains("initial_component"));
//!
//! // `automata` makes automata of path formulas.
//! let mut model = Model::read(source, &budget)?;
//! claims::read_one(&mut model.claims, "G (p -> F q)").expect("a formula");
//! let path = model.claims.list()[1].formula().expect("no automaton");
//! let automaton = tern::automata::translate(&mut model.claims.formulas, path, &budget)?;
//! assert!(hoa::write(&automaton, &model.claims.formulas).starts_with("HOA: v1"));
//!
//! // `certify` checks evidence, and knows no engine.
//! let answer = model.ask(0).evidence().decide();
//! let (formulas, claim) = (&model.claims.formulas, &model.claims.list()[0]);
//! let asked = Asked { formulas, claim };
//! assert!(check_outcome((&model.machine).into(), asked, &answer.outcome, &budget).is_ok());
//!
//! // `report` words answers; `record` keeps them in files.
//! let mut lines = String::new();
//! text::answer(&mut lines, Some(&model.machine), formulas, claim, &answer, Detail::default())
//!     .expect("a string takes all text");
//! assert!(lines.starts_with("holds    AG p"));
//! # Ok::<(), tern::Error>(())
//! ```

pub mod certification;
mod error;
pub mod heap;
mod model_file;
mod on_demand;
mod session;

pub use error::Error;
pub use model_file::Model;
pub use on_demand::OnDemand;
pub use session::{Ask, Session};

pub use tern_automata as automata;
pub use tern_certify as certify;
pub use tern_engine as engine;
pub use tern_front as front;
pub use tern_model as model;
pub use tern_program as program;
pub use tern_record as record;
pub use tern_report as report;

pub use tern_engine::{ENGINES, Engine, Options};
pub use tern_model::{
    Answer, Budget, Claim, Claims, Configuration, Evidence, Formulas, Gap, Limit, Machine, Missing,
    Outcome, Property, Start, Verdict,
};

/// Decides a formula on a model, which is a text in the format of `.tern` files. The fairness
/// conditions of the model count.
///
/// # Errors
/// All that is wrong with the model or with the formula.
pub fn check(model: &str, formula: &str) -> Result<Answer, Error> {
    let mut model = Model::parse(model)?;
    let claim = model.claim(formula)?;
    Ok(model.ask(claim).decide())
}
