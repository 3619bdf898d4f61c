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

#[cfg(test)]
mod tests {
    use super::*;

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
