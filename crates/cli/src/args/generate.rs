//! The command line of `tern generate`.

use super::values::written_formats;
use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;
use tern_front::Format;
use tern_front::generate::{FAMILIES, Family, Make};

#[derive(Debug, clap::Args)]
#[command(after_long_help = families())]
pub(crate) struct GenerateArgs {
    /// What to make
    pub(crate) what: Product,
    /// The family; `tern generate --help` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) family: String,
    /// How large it is to be; what this is the number of depends on the family
    #[arg(long, value_name = "N")]
    pub(crate) size: usize,
    /// What chance goes by: the same seed gives the same text
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Another parameter of the family; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, usize)>,
    /// The file to write; standard output if left out. Its ending tells the format
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// The format to write a machine in, if the name of the output does not tell
    #[arg(long, value_name = "FORMAT", value_parser = written_formats())]
    pub(crate) to: Option<&'static Format>,
    /// Overwrite the output if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Product {
    /// A machine, with claims if the family makes some
    Rsm,
    /// A formula, as a file of claims
    Formula,
    /// A pushdown system, as rules in the syntax of Moped and PuMoC
    Pds,
}

fn setting(text: &str) -> Result<(String, usize), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is no number"))?;
    Ok((name.trim().to_owned(), value))
}

/// The families, for the help.
fn families() -> String {
    let mut text = String::from("Families:\n");
    for Family { name, about, size, parameters, make, .. } in FAMILIES {
        let what = match make {
            Make::Machine(_) => "rsm",
            Make::Formula(_) => "formula",
            Make::Pushdown(_) => "pds",
        };
        text += &format!("  {what} {name}: {about}\n      --size: {size}\n");
        for p in *parameters {
            text += &format!("      --set {}={}: {}\n", p.name, p.default, p.about);
        }
    }
    text + "
Examples:
  tern generate rsm --family chain --size 1000 -o chain.tern
  tern generate rsm --family java --size 500 --set exits=4 --seed 7 -o java.rsm
  tern generate formula --family literature --size 20 -o random.ctl"
}
