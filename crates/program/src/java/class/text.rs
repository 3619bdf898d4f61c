//! Modified UTF-8, the encoding of texts in class files: like UTF-8, but the zero character takes
//! two bytes, and characters beyond U+FFFF are written as two surrogates of three bytes each.

use std::borrow::Cow;
use std::fmt::Write;

/// The text of some bytes; nothing if they are no such encoding.
///
/// A surrogate without its other half is no character; it is written as `\ud83d`, so that different
/// texts stay different.
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    // Almost all texts are plain.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text));
    }
    let mut text = String::with_capacity(bytes.len());
    let mut high: Option<u32> = None;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (unit, len) = unit(rest)?;
        rest = &rest[len..];
        match (high.take(), unit) {
            (Some(first), 0xDC00..=0xDFFF) => {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (unit - 0xDC00);
                text.extend(char::from_u32(code));
                continue;
            }
            (Some(first), _) => lone(&mut text, first),
            (None, _) => {}
        }
        match unit {
            0xD800..=0xDBFF => high = Some(unit),
            _ => match char::from_u32(unit) {
                Some(character) => text.push(character),
                None => lone(&mut text, unit),
            },
        }
    }
    if let Some(first) = high {
        lone(&mut text, first);
    }
    Some(Cow::Owned(text))
}

fn lone(text: &mut String, unit: u32) {
    write!(text, "\\u{unit:04x}").expect("strings take everything");
}

/// The first unit of some bytes, and how many bytes it takes.
fn unit(bytes: &[u8]) -> Option<(u32, usize)> {
    let tail = |position: usize| -> Option<u32> {
        let byte = *bytes.get(position)?;
        (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F))
    };
    let first = u32::from(bytes[0]);
    match first {
        0x00..=0x7F => Some((first, 1)),
        0xC0..=0xDF => Some(((first & 0x1F) << 6 | tail(1)?, 2)),
        0xE0..=0xEF => Some(((first & 0x0F) << 12 | tail(1)? << 6 | tail(2)?, 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(decode(b"plain").as_deref(), Some("plain"));
        assert_eq!(decode(b"a\xC0\x80b").as_deref(), Some("a\0b"));
        assert_eq!(decode("gr\u{fc}n".as_bytes()).as_deref(), Some("gr\u{fc}n"));
        // U+1F600 as two surrogates.
        assert_eq!(decode(b"\xED\xA0\xBD\xED\xB8\x80").as_deref(), Some("\u{1f600}"));
        assert_eq!(decode(b"\xED\xA0\xBDx").as_deref(), Some("\\ud83dx"));
        assert_eq!(decode(b"\xED\xB8\x80").as_deref(), Some("\\ude00"));
        assert_eq!(decode(b"\xED\xA0\xBD").as_deref(), Some("\\ud83d"));
        assert_eq!(decode(b"\xFF"), None);
        assert_eq!(decode(b"\xE0\x80"), None);
    }
}
