//! Names from files may hold anything, also what would steer a terminal. Here it is made visible.

use std::borrow::Cow;

/// How a character is shown, if not as it is: control characters as their pictures, and those
/// that change the direction of text or cannot be seen as escapes.
pub fn visible_char(c: char) -> Option<String> {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).map(String::from),
        '\x7f' => Some("\u{2421}".to_owned()),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some(c.escape_unicode().to_string()),
        _ => None,
    }
}

/// The text with every character visible, on one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| visible_char(c).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match visible_char(c) {
            Some(escape) => shown.push_str(&escape),
            None => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// How many characters of a name are shown to people, and when it is cut to that.
const SHOWN: usize = 100;
const LONG: usize = 120;

/// The text with every character visible, and with the ends of very long names left out, for
/// people. A name is what has no blanks in it, or stands in double quotes.
pub fn brief(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.len() <= LONG || !has_long_name(&shown) {
        return shown;
    }
    let mut cut = String::new();
    for name in names(&shown) {
        match name.char_indices().nth(LONG) {
            None => cut.push_str(name),
            Some(_) => {
                let end = name.char_indices().nth(SHOWN).map_or(name.len(), |(end, _)| end);
                cut.push_str(&name[..end]);
                cut.push('…');
                cut.push_str(&name[end + closed(&name[end..])..]);
            }
        }
    }
    Cow::Owned(cut)
}

/// Where the punctuation behind a name begins: brackets, quotes and commas that belong to the
/// sentence. A name of nothing but that is cut like any other.
fn closed(name: &str) -> usize {
    let behind =
        name.trim_end_matches(['`', '"', '\'', ',', ';', ':', '.', '!', '?', ')', ']', '}']);
    if name.len() - behind.len() > LONG - SHOWN { name.len() } else { behind.len() }
}

fn has_long_name(text: &str) -> bool {
    names(text).any(|name| name.chars().count() > LONG)
}

/// The names of a text, and the single blanks between them.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut in_quotes = false;
        let end = match first {
            ' ' => 1,
            _ => rest
                .find(|c| {
                    in_quotes ^= c == '"';
                    c == ' ' && !in_quotes
                })
                .unwrap_or(rest.len()),
        };
        let (name, behind) = rest.split_at(end);
        rest = behind;
        Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_long_names_are_cut_for_people() {
        let (fits, long) = ("n".repeat(120), "ü".repeat(121));
        assert_eq!(brief(&format!("AG {fits} x")), format!("AG {fits} x"));
        let cut = format!("AG {}… x", "ü".repeat(100));
        assert_eq!(brief(&format!("AG {long} x")), cut);
        let quoted = format!("\"{}\" | p", "a b ".repeat(50));
        assert_eq!(brief(&quoted), format!("{}…\" | p", &quoted[..100]));
        for behind in ["`,", ")", ").", "`?", "):"] {
            let (said, cut) =
                (format!("`{long}{behind} x"), format!("`{}…{behind} x", "ü".repeat(99)));
            assert_eq!(brief(&said), cut);
        }
        assert_eq!(brief(&")".repeat(500)), format!("{}…", ")".repeat(100)));
        let many = "many short words ".repeat(50);
        assert_eq!(brief(&many), many);
        assert_eq!(brief("a\u{202e}"), "a\\u{202e}");
    }

    #[test]
    fn terminals_are_not_steered() {
        assert_eq!(visible("a b"), "a b");
        assert_eq!(visible("\x1b[31mred\n"), "␛[31mred␊");
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
        // All that changes the direction of text.
        for c in "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".chars() {
            assert_eq!(visible(&c.to_string()), c.escape_unicode().to_string());
        }
    }
}
