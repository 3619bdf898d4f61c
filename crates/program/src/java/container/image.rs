//! The image `lib/modules` of a JDK: all its modules in one file, since Java 9.
//!
//! A header of seven numbers in the byte order of the machine, a hash table of names that is not
//! needed here, the table of *locations*, texts, and then the resources. A location is a list of
//! attributes: a byte that holds the kind (five bits) and the length less one (three bits), then
//! the value. Resources may be compressed; images are delivered without, and `jlink --compress`
//! with `zip` is read, the older `compact-cp` is not.
//!
//! # Source
//! `imageFile.hpp` and `imageDecompressor.hpp` of OpenJDK 17 to 25.

use super::{Item, Origin, Unread, Visit, all, unreadable};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use tern_front::{Problem, Refusal};
use tern_model::Budget;

const MAGIC: u32 = 0xCAFE_DADA;
const HEADER: usize = 28;
/// The largest index that is believed; that of a whole JDK has 3 MB.
const LARGEST_INDEX: u64 = 1 << 30;

const COMPRESSED_MAGIC: u32 = 0xCAFE_FAFA;
const COMPRESSED_HEADER: usize = 29;

/// Calls `visit` with all classes of an image, or of one of its modules.
pub(super) fn each(
    path: &Path,
    module: Option<&str>,
    budget: &Budget,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut image = Image::open(path, file, budget)?;
    let mut found = image.classes(module)?;
    if let (Some(module), true) = (module, found.is_empty()) {
        let message = format!("`{}` has no module `{module}`", path.display());
        return Err(Problem::error("J010", message)
            .hint("`java --list-modules` lists them")
            .into());
    }
    // From front to back, so that the file is read in one sweep.
    found.sort_by_key(|resource| resource.offset);
    for resource in found {
        let bytes = image.resource(&resource)?;
        let within = Some(image.name(&resource));
        visit(Item::Class(Origin { path: path.display().to_string(), within }, &bytes))?;
    }
    Ok(())
}

struct Image<'a> {
    path: &'a Path,
    input: BufReader<File>,
    size: u64,
    budget: &'a Budget,
    is_little: bool,
    locations: Vec<u8>,
    /// Where the location of each resource begins.
    offsets: Vec<u32>,
    strings: Vec<u8>,
    /// Where resources begin.
    start: u64,
    position: u64,
}

/// A class file in an image.
struct Resource {
    module: u64,
    parent: u64,
    base: u64,
    offset: u64,
    compressed: u64,
    size: u64,
}

impl<'a> Image<'a> {
    fn open(path: &'a Path, file: File, budget: &'a Budget) -> Result<Self, Refusal> {
        let size = file.metadata().map_err(|error| unreadable(path, &error))?.len();
        let mut input = BufReader::with_capacity(1 << 16, file);
        let damaged = |what: &str| damaged(path, what);
        let mut header = [0; HEADER];
        input.read_exact(&mut header).map_err(|_| damaged("its header is cut off"))?;
        let is_little = match u32::from_le_bytes([header[0], header[1], header[2], header[3]]) {
            MAGIC => true,
            other if other.swap_bytes() == MAGIC => false,
            _ => return Err(damaged("it does not begin like one").into()),
        };
        let number = |row: usize| u64::from(read_u32(&header[4 * row..], is_little));
        if number(1) >> 16 != 1 {
            return Err(damaged("it is of an unknown version").into());
        }
        let (table, locations, strings) = (number(4), number(5), number(6));
        let index = 8 * table + locations + strings;
        if index > LARGEST_INDEX || HEADER as u64 + index > size {
            return Err(damaged("its index is longer than the file").into());
        }
        budget.check_room_for(index)?;
        let mut part = |len: u64| {
            let mut bytes = vec![0; len as usize];
            input.read_exact(&mut bytes).map_err(|error| unreadable(path, &error))?;
            Ok::<_, Refusal>(bytes)
        };
        let _redirect = part(4 * table)?;
        let offsets = part(4 * table)?;
        let offsets = offsets.chunks_exact(4).map(|four| read_u32(four, is_little)).collect();
        let (locations, strings) = (part(locations)?, part(strings)?);
        let start = HEADER as u64 + index;
        Ok(Image {
            path,
            input,
            size,
            budget,
            is_little,
            locations,
            offsets,
            strings,
            start,
            position: start,
        })
    }

    fn damaged(&self, what: &str) -> Refusal {
        damaged(self.path, what).into()
    }

    /// All class files, of one module if that is given.
    fn classes(&self, module: Option<&str>) -> Result<Vec<Resource>, Refusal> {
        let mut found = Vec::new();
        for (row, &location) in self.offsets.iter().enumerate() {
            if row % 4096 == 0 {
                self.budget.check()?;
            }
            let mut attributes = [0u64; 8];
            let mut rest = self.locations.get(location as usize..).unwrap_or_default();
            // The first byte of the table is the location of what is not there.
            while let Some((&byte, behind)) = rest.split_first() {
                let (kind, len) = (usize::from(byte >> 3), usize::from(byte & 7) + 1);
                if kind == 0 {
                    break;
                }
                let Some((value, behind)) = behind.split_at_checked(len) else {
                    return Err(self.damaged("a location is cut off"));
                };
                if let Some(attribute) = attributes.get_mut(kind) {
                    *attribute = value.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                }
                rest = behind;
            }
            let [_, of, parent, base, extension, offset, compressed, size] = attributes;
            let fits = match module {
                Some(module) => self.text(of) == module.as_bytes(),
                // Tables of packages and modules are no classes.
                None => of != 0 && self.text(of) != b"modules" && self.text(of) != b"packages",
            };
            if fits && self.text(extension) == b"class" {
                found.push(Resource { module: of, parent, base, offset, compressed, size });
            }
        }
        Ok(found)
    }

    fn text(&self, at: u64) -> &[u8] {
        let rest = self.strings.get(at as usize..).unwrap_or_default();
        &rest[..memchr::memchr(0, rest).unwrap_or(rest.len())]
    }

    fn name(&self, resource: &Resource) -> String {
        let text = |at: u64| String::from_utf8_lossy(self.text(at)).into_owned();
        let (module, parent, base) =
            (text(resource.module), text(resource.parent), text(resource.base));
        format!("/{module}/{parent}{}{base}.class", if parent.is_empty() { "" } else { "/" })
    }

    fn resource(&mut self, resource: &Resource) -> Result<Vec<u8>, Refusal> {
        self.budget.check()?;
        let len = if resource.compressed == 0 { resource.size } else { resource.compressed };
        let begin = self.start.saturating_add(resource.offset);
        if begin.saturating_add(len) > self.size {
            return Err(self.damaged("a resource lies behind the end"));
        }
        self.budget.check_room_for(len)?;
        let mut bytes = vec![0; len as usize];
        self.seek(begin)
            .and_then(|()| self.input.read_exact(&mut bytes))
            .map_err(|error| unreadable(self.path, &error))?;
        self.position = begin + len;
        match resource.compressed {
            0 => Ok(bytes),
            _ => self.unpack(bytes, resource.size),
        }
    }

    /// Goes to a place without losing what is buffered.
    fn seek(&mut self, to: u64) -> io::Result<()> {
        match i64::try_from(i128::from(to) - i128::from(self.position)) {
            Ok(distance) => self.input.seek_relative(distance),
            Err(_) => self.input.seek(SeekFrom::Start(to)).map(|_| ()),
        }
    }

    /// Takes compressions off, the last one first.
    fn unpack(&self, mut bytes: Vec<u8>, size: u64) -> Result<Vec<u8>, Refusal> {
        while bytes.len() >= COMPRESSED_HEADER
            && read_u32(&bytes, self.is_little) == COMPRESSED_MAGIC
        {
            let name = self.text(u64::from(read_u32(&bytes[20..], self.is_little)));
            if name != b"zip" {
                let name = String::from_utf8_lossy(name).into_owned();
                return Err(
                    self.damaged(&format!("it is compressed by `{name}`, which is not read"))
                );
            }
            let mut unpacked = flate2::read::ZlibDecoder::new(&bytes[COMPRESSED_HEADER..]);
            bytes = match all(&mut unpacked, size, self.budget) {
                Ok(bytes) => bytes,
                Err(Unread::Limit(limit)) => return Err(limit.into()),
                Err(_) => return Err(self.damaged("a resource cannot be decompressed")),
            };
        }
        Ok(bytes)
    }
}

fn damaged(path: &Path, what: &str) -> Problem {
    Problem::error("J006", format!("the image `{}` cannot be read: {what}", path.display()))
}

fn read_u32(bytes: &[u8], is_little: bool) -> u32 {
    let four = [bytes[0], bytes[1], bytes[2], bytes[3]];
    if is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) }
}
