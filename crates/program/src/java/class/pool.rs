//! The constant pool: where each entry is, and what it says.

use super::bytes::{Bytes, Malformed};

/// The constants of a class, by index.
#[derive(Clone, Debug)]
pub struct Pool<'a> {
    file: &'a [u8],
    /// Where the tag of each entry is; 0, which no entry has, for indices without one.
    entries: Vec<u32>,
}

/// A field, or a method of a class or interface, that code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberRef {
    /// The index of its class.
    pub class: u16,
    /// The index of its name.
    pub name: u16,
    /// The index of its descriptor.
    pub descriptor: u16,
    /// Whether it is a method of an interface.
    pub of_interface: bool,
}

/// A method handle: what it does, with which member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// 1 to 9, as section 5.4.3.5 of the specification numbers them.
    pub kind: u8,
    /// The index of the member.
    pub member: u16,
}

/// What can be put on the stack as a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A text, encoded.
    Text(&'a [u8]),
    /// A class, by the index of its name.
    Class(u16),
    /// A method handle.
    Handle(Handle),
    /// A method type, by the index of its descriptor.
    MethodType(u16),
    /// A constant that a bootstrap method computes, by the index of its descriptor.
    Dynamic(u16),
}

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const STRING: u8 = 8;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;
const METHOD_HANDLE: u8 = 15;
const METHOD_TYPE: u8 = 16;
const DYNAMIC: u8 = 17;
const INVOKE_DYNAMIC: u8 = 18;
const MODULE: u8 = 19;
const PACKAGE: u8 = 20;

impl<'a> Pool<'a> {
    /// Reads over the pool, and notes where its entries are.
    ///
    /// # Errors
    /// If the file ends too early, or an entry is of no known kind.
    pub fn read(bytes: &mut Bytes<'a>) -> Result<Self, Malformed> {
        let count = usize::from(bytes.u2()?);
        let mut entries = Vec::with_capacity(count);
        entries.push(0);
        while entries.len() < count {
            let place = bytes.at();
            let tag = bytes.u1()?;
            let len = match tag {
                UTF8 => usize::from(bytes.u2()?),
                CLASS | STRING | METHOD_TYPE | MODULE | PACKAGE => 2,
                METHOD_HANDLE => 3,
                INTEGER | FLOAT | FIELD | METHOD | INTERFACE_METHOD | NAME_AND_TYPE | DYNAMIC
                | INVOKE_DYNAMIC => 4,
                LONG | DOUBLE => 8,
                _ => return Err(Malformed { offset: place, what: "a constant of unknown kind" }),
            };
            bytes.take(len)?;
            entries.push(place as u32);
            if matches!(tag, LONG | DOUBLE) {
                entries.push(0);
            }
        }
        Ok(Pool { file: bytes.file(), entries })
    }

    /// How many indices there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, index: u16) -> usize {
        self.entries.get(usize::from(index)).map_or(0, |&place| place as usize)
    }

    fn wrong(&self, index: u16, what: &'static str) -> Malformed {
        Malformed { offset: self.place(index), what }
    }

    fn tag(&self, index: u16) -> Result<u8, Malformed> {
        match self.place(index) {
            0 => Err(self.wrong(index, "a constant that does not exist is named")),
            place => Ok(self.file[place]),
        }
    }

    fn expect(&self, index: u16, tag: u8, what: &'static str) -> Result<usize, Malformed> {
        match self.tag(index)? == tag {
            true => Ok(self.place(index) + 1),
            false => Err(self.wrong(index, what)),
        }
    }

    /// Two bytes of an entry; it was read over before, so that they are there.
    fn u2(&self, place: usize) -> u16 {
        u16::from_be_bytes([self.file[place], self.file[place + 1]])
    }

    fn u4(&self, place: usize) -> u32 {
        u32::from(self.u2(place)) << 16 | u32::from(self.u2(place + 2))
    }

    fn u8(&self, place: usize) -> u64 {
        u64::from(self.u4(place)) << 32 | u64::from(self.u4(place + 4))
    }

    /// A text, encoded.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn utf8(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let place = self.expect(index, UTF8, "this constant must be a text")?;
        let len = usize::from(self.u2(place));
        Ok(&self.file[place + 2..place + 2 + len])
    }

    /// The index of the name of a class.
    ///
    /// # Errors
    /// If the constant is no class.
    pub fn class(&self, index: u16) -> Result<u16, Malformed> {
        Ok(self.u2(self.expect(index, CLASS, "this constant must be a class")?))
    }

    /// A field that code names.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn field(&self, index: u16) -> Result<MemberRef, Malformed> {
        let place = self.expect(index, FIELD, "this constant must be a field")?;
        self.member(place, false)
    }

    /// A method that code names.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn method(&self, index: u16) -> Result<MemberRef, Malformed> {
        match self.tag(index)? {
            tag @ (METHOD | INTERFACE_METHOD) => {
                self.member(self.place(index) + 1, tag == INTERFACE_METHOD)
            }
            _ => Err(self.wrong(index, "this constant must be a method")),
        }
    }

    fn member(&self, place: usize, of_interface: bool) -> Result<MemberRef, Malformed> {
        let (name, descriptor) = self.name_and_type(self.u2(place + 2))?;
        Ok(MemberRef { class: self.u2(place), name, descriptor, of_interface })
    }

    /// The indices of a name and of a descriptor.
    fn name_and_type(&self, index: u16) -> Result<(u16, u16), Malformed> {
        let place = self.expect(index, NAME_AND_TYPE, "this constant must be a name and type")?;
        Ok((self.u2(place), self.u2(place + 2)))
    }

    /// A call that is linked by a bootstrap method: which, and the indices of name and descriptor.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn invoke_dynamic(&self, index: u16) -> Result<(u16, u16, u16), Malformed> {
        let place = self.expect(index, INVOKE_DYNAMIC, "this constant must be a dynamic call")?;
        let (name, descriptor) = self.name_and_type(self.u2(place + 2))?;
        Ok((self.u2(place), name, descriptor))
    }

    /// A method handle.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn handle(&self, index: u16) -> Result<Handle, Malformed> {
        let place = self.expect(index, METHOD_HANDLE, "this constant must be a method handle")?;
        Ok(Handle { kind: self.file[place], member: self.u2(place + 1) })
    }

    /// The index of the descriptor of a method type.
    ///
    /// # Errors
    /// If the constant is none.
    pub fn method_type(&self, index: u16) -> Result<u16, Malformed> {
        Ok(self.u2(self.expect(index, METHOD_TYPE, "this constant must be a method type")?))
    }

    /// A constant that can be put on the stack.
    ///
    /// # Errors
    /// If it cannot.
    pub fn value(&self, index: u16) -> Result<Value<'a>, Malformed> {
        let tag = self.tag(index)?;
        let place = self.place(index) + 1;
        Ok(match tag {
            INTEGER => Value::Int(self.u4(place) as i32),
            FLOAT => Value::Float(f32::from_bits(self.u4(place))),
            LONG => Value::Long(self.u8(place) as i64),
            DOUBLE => Value::Double(f64::from_bits(self.u8(place))),
            STRING => Value::Text(self.utf8(self.u2(place))?),
            CLASS => Value::Class(self.u2(place)),
            METHOD_HANDLE => Value::Handle(self.handle(index)?),
            METHOD_TYPE => Value::MethodType(self.u2(place)),
            DYNAMIC => Value::Dynamic(self.name_and_type(self.u2(place + 2))?.1),
            _ => return Err(self.wrong(index, "this constant cannot be put on the stack")),
        })
    }
}
