//! `tern generate`: makes a machine, a formula or a pushdown system of a family and writes it.
//!
//! A `.tern` file begins with the command that makes it again, and says which verdicts are known
//! by construction. Other formats hold nothing but the machine or the formula.

use crate::args::{GenerateArgs, Product};
use crate::convert::{format_of, written};
use crate::failure::{Failure, Status};
use crate::files::Output;
use crate::terminal::Terminal;
use std::fmt::Write;
use std::path::Path;
use tern_front::generate::{self, FAMILIES, Family, Make, Model, Parameters};
use tern_front::{Format, claims, formats};

/// Runs the subcommand.
pub(crate) fn run(args: &GenerateArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let to = Output::new(args.output.as_deref().unwrap_or(Path::new("-")), args.force)?;
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let family = family(args)?;
    fits_its_name(args.what, output)?;
    let parameters = Parameters::new(family, args.size, args.seed, &args.settings)
        .map_err(|wrong| Failure::Usage { message: wrong.to_string(), hint: allowed(family) })?;
    let text = match family.make {
        Make::Machine(make) => machine(args, output, &make(&parameters), terminal)?,
        Make::Formula(_) | Make::Pushdown(_) if args.to.is_some() => {
            return Err(Failure::Usage {
                message: "--to is a format of machines".to_owned(),
                hint: "formulas are written as claims, one a line; pushdown systems as rules"
                    .to_owned(),
            });
        }
        Make::Formula(make) => claims::write(&make(&parameters)),
        Make::Pushdown(make) => make(&parameters),
    };
    to.write(&text, terminal)?;
    Ok(Status::Good)
}

/// Refuses a name that would make Tern read the file as something else.
fn fits_its_name(what: Product, output: Option<&Path>) -> Result<(), Failure> {
    let ending = output.and_then(Path::extension).and_then(|ending| ending.to_str());
    let is_model = |ending: &str| formats::endings().any(|own| own == ending);
    let is_claims = |ending: &str| ["ctl", "ltl", "ctls", "hoa"].contains(&ending);
    let (is_wrong, what, endings) = match (what, ending.unwrap_or_default()) {
        (Product::Rsm, ending) if is_claims(ending) => (true, "a machine", ".tern or .rsm"),
        (Product::Formula, ending) if ending == "hoa" || is_model(ending) => {
            (true, "a formula", ".ctl")
        }
        (Product::Pds, ending) if is_model(ending) || is_claims(ending) => {
            (true, "a pushdown system", ".pds")
        }
        _ => (false, "", ""),
    };
    match output {
        Some(path) if is_wrong => Err(Failure::Usage {
            message: format!("`{}` is no name for {what}", path.display()),
            hint: format!("use the ending {endings}"),
        }),
        _ => Ok(()),
    }
}

fn family(args: &GenerateArgs) -> Result<&'static Family, Failure> {
    let (found, what) = match args.what {
        Product::Rsm => (generate::machines(&args.family), "machines"),
        Product::Formula => (generate::formulas(&args.family), "formulas"),
        Product::Pds => (generate::pushdowns(&args.family), "pushdown systems"),
    };
    found.ok_or_else(|| {
        let is_wanted = |family: &&Family| match family.make {
            Make::Machine(_) => args.what == Product::Rsm,
            Make::Formula(_) => args.what == Product::Formula,
            Make::Pushdown(_) => args.what == Product::Pds,
        };
        let names: Vec<_> = FAMILIES.iter().filter(is_wanted).map(|f| f.name).collect();
        Failure::Usage {
            message: format!("there is no family of {what} `{}`", args.family),
            hint: format!("the families are {}", names.join(", ")),
        }
    })
}

/// What can be chosen of a family.
fn allowed(family: &Family) -> String {
    let mut text = format!("--size is 1 to {}", family.most);
    for p in family.parameters {
        write!(text, ", {} {} to {}", p.name, p.least, p.most).expect("a string takes all text");
    }
    text
}

fn machine(
    args: &GenerateArgs,
    output: Option<&Path>,
    model: &Model,
    terminal: &Terminal,
) -> Result<String, Failure> {
    let usual: &Format = &tern_front::tern::FORMAT;
    let format = args.to.or(format_of(output)).unwrap_or(usual);
    let text = written(format, &args.family, &model.machine, &model.claims, terminal)?;
    Ok(if format == usual { origin(args, model) + &text } else { text })
}

/// Comments that tell where a machine comes from and what is known of it.
fn origin(args: &GenerateArgs, model: &Model) -> String {
    let GenerateArgs { family, size, seed, settings, .. } = args;
    let mut text = format!("// tern generate rsm --family {family} --size {size} --seed {seed}");
    for (name, value) in settings {
        text += &format!(" --set {name}={value}");
    }
    text.push('\n');
    for (claim, expected) in model.claims.list().iter().zip(&model.expected) {
        if let (Some(name), Some(holds)) = (&claim.name, expected) {
            let word = if *holds { "holds" } else { "fails" };
            text += &format!("// by construction: {name} {word}\n");
        }
    }
    text
}
