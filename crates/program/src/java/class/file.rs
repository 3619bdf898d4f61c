//! A class as a whole: names, flags, members, and the attributes that matter.

use super::access;
use super::bytes::{Bytes, Malformed};
use super::pool::Pool;

/// The newest version that is known: Java 25.
const NEWEST: u16 = 69;

/// A class file.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    /// The constants.
    pub pool: Pool<'a>,
    /// The flags of [`access`].
    pub access: u16,
    /// The index of the class itself.
    pub this: u16,
    /// The index of the class it extends; 0 for `java.lang.Object` and modules.
    pub superclass: u16,
    /// The indices of its interfaces.
    pub interfaces: Vec<u16>,
    /// Its fields.
    pub fields: Vec<FieldInfo>,
    /// Its methods.
    pub methods: Vec<MethodInfo<'a>>,
    /// The index of the name of its source file, or 0.
    pub source: u16,
    /// The bootstrap methods of its dynamic calls.
    pub bootstraps: Vec<Bootstrap>,
    /// What a module says that it provides.
    pub provisions: Vec<Provision>,
    /// Whether it is of a version newer than those known.
    pub is_newer: bool,
}

/// A field of a class.
#[derive(Clone, Copy, Debug)]
pub struct FieldInfo {
    /// Its flags.
    pub access: u16,
    /// The index of its name.
    pub name: u16,
    /// The index of its descriptor.
    pub descriptor: u16,
}

/// A method of a class.
#[derive(Clone, Debug)]
pub struct MethodInfo<'a> {
    /// Its flags.
    pub access: u16,
    /// The index of its name.
    pub name: u16,
    /// The index of its descriptor.
    pub descriptor: u16,
    /// Its code, not yet read.
    pub code: Option<Bytes<'a>>,
    /// The indices of names of its parameters, 0 for those without; may be empty.
    pub parameters: Vec<u16>,
    /// Its annotations that stay at run time, not yet read.
    pub annotations: Option<Bytes<'a>>,
    /// The indices of the classes that it says it throws.
    pub throws: Vec<u16>,
}

/// A bootstrap method and its arguments.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The index of the method handle.
    pub handle: u16,
    /// The indices of the arguments.
    pub arguments: Vec<u16>,
}

/// A service with classes that provide it.
#[derive(Clone, Debug)]
pub struct Provision {
    /// The index of the class of the service.
    pub service: u16,
    /// The indices of the classes that provide it.
    pub providers: Vec<u16>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file; code stays unread.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(file: &'a [u8]) -> Result<Self, Malformed> {
        let mut bytes = Bytes::new(file);
        if u32::try_from(file.len()).is_err() {
            return Err(bytes.wrong("a class file of more than 4 GiB"));
        }
        if bytes.u4()? != 0xCAFE_BABE {
            return Err(Malformed { offset: 0, what: "this is no class file" });
        }
        let _minor = bytes.u2()?;
        let is_newer = bytes.u2()? > NEWEST;
        let pool = Pool::read(&mut bytes)?;
        let access = bytes.u2()?;
        let (this, superclass) = (bytes.u2()?, bytes.u2()?);
        let mut class = ClassFile {
            pool,
            access,
            this,
            superclass,
            interfaces: indices(&mut bytes)?,
            fields: Vec::new(),
            methods: Vec::new(),
            source: 0,
            bootstraps: Vec::new(),
            provisions: Vec::new(),
            is_newer,
        };
        for _ in 0..bytes.u2()? {
            let (access, name, descriptor) = (bytes.u2()?, bytes.u2()?, bytes.u2()?);
            attributes(&mut bytes, &class.pool, |_, _| Ok(()))?;
            class.fields.push(FieldInfo { access, name, descriptor });
        }
        for _ in 0..bytes.u2()? {
            let method = class.method(&mut bytes)?;
            class.methods.push(method);
        }
        class.attributes(&mut bytes)?;
        match bytes.is_done() {
            true => Ok(class),
            false => Err(bytes.wrong("there is more after the end of the class")),
        }
    }

    /// Whether this describes a module and no class.
    pub fn is_module(&self) -> bool {
        self.access & access::MODULE != 0
    }

    fn method(&self, bytes: &mut Bytes<'a>) -> Result<MethodInfo<'a>, Malformed> {
        let (access, name, descriptor) = (bytes.u2()?, bytes.u2()?, bytes.u2()?);
        let mut method = MethodInfo {
            access,
            name,
            descriptor,
            code: None,
            parameters: Vec::new(),
            annotations: None,
            throws: Vec::new(),
        };
        attributes(bytes, &self.pool, |name, mut content| {
            match name {
                b"Code" => method.code = Some(content),
                b"RuntimeVisibleAnnotations" => method.annotations = Some(content),
                b"Exceptions" => method.throws = indices(&mut content)?,
                b"MethodParameters" => {
                    for _ in 0..content.u1()? {
                        method.parameters.push(content.u2()?);
                        content.u2()?;
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(method)
    }

    fn attributes(&mut self, bytes: &mut Bytes<'a>) -> Result<(), Malformed> {
        let (mut source, mut bootstraps, mut provisions) = (0, Vec::new(), Vec::new());
        attributes(bytes, &self.pool, |name, mut content| {
            match name {
                b"SourceFile" => source = content.u2()?,
                b"BootstrapMethods" => {
                    for _ in 0..content.u2()? {
                        let handle = content.u2()?;
                        bootstraps.push(Bootstrap { handle, arguments: indices(&mut content)? });
                    }
                }
                b"Module" => provisions = provided(&mut content)?,
                _ => {}
            }
            Ok(())
        })?;
        (self.source, self.bootstraps, self.provisions) = (source, bootstraps, provisions);
        Ok(())
    }
}

/// Calls `visit` with the name and the content of each attribute.
pub(super) fn attributes<'a>(
    bytes: &mut Bytes<'a>,
    pool: &Pool<'a>,
    mut visit: impl FnMut(&'a [u8], Bytes<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for _ in 0..bytes.u2()? {
        let name = pool.utf8(bytes.u2()?)?;
        let len = bytes.u4()? as usize;
        visit(name, bytes.part(len)?)?;
    }
    Ok(())
}

fn indices(bytes: &mut Bytes) -> Result<Vec<u16>, Malformed> {
    let count = usize::from(bytes.u2()?);
    Ok(bytes
        .take(2 * count)?
        .chunks_exact(2)
        .map(|two| u16::from_be_bytes([two[0], two[1]]))
        .collect())
}

/// What a module provides: behind its name, what it requires, exports, opens and uses.
fn provided(bytes: &mut Bytes) -> Result<Vec<Provision>, Malformed> {
    bytes.take(6)?;
    let required = usize::from(bytes.u2()?);
    bytes.take(6 * required)?;
    // What is exported, then what is opened: package, flags, to whom.
    for _ in 0..2 {
        for _ in 0..bytes.u2()? {
            bytes.take(4)?;
            indices(bytes)?;
        }
    }
    indices(bytes)?;
    let mut provisions = Vec::new();
    for _ in 0..bytes.u2()? {
        let service = bytes.u2()?;
        provisions.push(Provision { service, providers: indices(bytes)? });
    }
    Ok(provisions)
}
