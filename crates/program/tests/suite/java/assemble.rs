//! Writes small class files, for what compilers of today no longer make.

/// A method to be written.
pub(crate) struct Method<'a> {
    pub(crate) name: &'a str,
    pub(crate) descriptor: &'a str,
    pub(crate) max_locals: u16,
    pub(crate) code: &'a [u8],
    /// Start, end, handler; each takes everything.
    pub(crate) handlers: &'a [[u16; 3]],
}

/// A public class with static methods.
pub(crate) fn class(name: &str, methods: &[Method]) -> Vec<u8> {
    let mut pool: Vec<Vec<u8>> = Vec::new();
    let text = |pool: &mut Vec<Vec<u8>>, text: &str| -> u16 {
        let mut entry = vec![1];
        entry.extend((text.len() as u16).to_be_bytes());
        entry.extend(text.as_bytes());
        pool.push(entry);
        pool.len() as u16
    };
    let class = |pool: &mut Vec<Vec<u8>>, name: u16| -> u16 {
        let mut entry = vec![7];
        entry.extend(name.to_be_bytes());
        pool.push(entry);
        pool.len() as u16
    };
    let this = text(&mut pool, name);
    let this = class(&mut pool, this);
    let above = text(&mut pool, "java/lang/Object");
    let above = class(&mut pool, above);
    let attribute = text(&mut pool, "Code");
    let mut bodies = Vec::new();
    for method in methods {
        let (name, descriptor) = (text(&mut pool, method.name), text(&mut pool, method.descriptor));
        let mut body = Vec::new();
        // Public and static; one attribute.
        for number in [9, name, descriptor, 1, attribute] {
            body.extend(number.to_be_bytes());
        }
        let len = 12 + method.code.len() + 8 * method.handlers.len();
        body.extend((len as u32).to_be_bytes());
        body.extend(8u16.to_be_bytes());
        body.extend(method.max_locals.to_be_bytes());
        body.extend((method.code.len() as u32).to_be_bytes());
        body.extend(method.code);
        body.extend((method.handlers.len() as u16).to_be_bytes());
        for handler in method.handlers {
            handler.iter().for_each(|number| body.extend(number.to_be_bytes()));
            body.extend([0, 0]);
        }
        body.extend([0, 0]);
        bodies.push(body);
    }
    // Version 48 is the last that has subroutines and no table of types.
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 48];
    bytes.extend((pool.len() as u16 + 1).to_be_bytes());
    pool.iter().for_each(|entry| bytes.extend(entry));
    for number in [0x21, this, above, 0, 0, methods.len() as u16] {
        bytes.extend(number.to_be_bytes());
    }
    bodies.iter().for_each(|body| bytes.extend(body));
    bytes.extend([0, 0]);
    bytes
}
