//! Names of encodings that are known wherever the program runs: nobody throws because of them.

use super::Explored;
use super::step::Here;
use crate::values::{Key, Value};
use tern_ir::{NameId, Statement};

/// Names of encodings that every machine knows.
const ENCODINGS: [&str; 8] =
    ["UTF-8", "UTF8", "US-ASCII", "ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE"];

impl Explored<'_, '_> {
    /// Whether a value names an encoding that the machine knows: one that every machine knows, or
    /// one that is there, `StandardCharsets.UTF_8.name()`.
    pub(super) fn is_known_encoding(&self, here: &Here, value: Value) -> bool {
        let program = self.world.program;
        match value {
            Value::Text(name) => ENCODINGS.contains(&program.text(name)),
            Value::Object(object, _) => {
                let Key::At(row) = self.objects[object] else { return false };
                let Some(Statement::Call { call, .. }) = here.body.statements.get(row as usize)
                else {
                    return false;
                };
                let method = program.text(program.selectors()[call.selector].name);
                program.text(call.class) == "java.nio.charset.Charset"
                    && matches!(method, "name" | "toString")
            }
            _ => false,
        }
    }

    /// Whether what is thrown says that an encoding is not known.
    pub(super) fn is_about_encodings(&self, class: NameId) -> bool {
        let name = self.world.program.text(class);
        name == "java.io.UnsupportedEncodingException"
    }
}
