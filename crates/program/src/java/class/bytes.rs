//! Bytes that are read from front to back, with a place for every complaint.

use std::fmt;

/// What is wrong with a class file, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The offset in the file.
    pub offset: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl std::error::Error for Malformed {}

/// A stretch of a file that is read from front to back.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Bytes<'a> {
    /// All bytes of a file.
    pub fn new(all: &'a [u8]) -> Self {
        Bytes { all, at: 0, end: all.len() }
    }

    /// Where the next byte stands in the file.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// The whole file.
    pub fn file(&self) -> &'a [u8] {
        self.all
    }

    /// A complaint about this place.
    pub fn wrong(&self, what: &'static str) -> Malformed {
        Malformed { offset: self.at, what }
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// If there are not so many left.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        if len > self.end - self.at {
            return Err(self.wrong("the file ends too early"));
        }
        let start = self.at;
        self.at += len;
        Ok(&self.all[start..self.at])
    }

    /// The next `len` bytes, to be read apart.
    ///
    /// # Errors
    /// If there are not so many left.
    #[inline]
    pub fn part(&mut self, len: usize) -> Result<Bytes<'a>, Malformed> {
        let start = self.at;
        self.take(len)?;
        Ok(Bytes { all: self.all, at: start, end: self.at })
    }

    /// The next byte.
    ///
    /// # Errors
    /// If there is none.
    #[inline]
    pub fn u1(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    /// The next two bytes as a number.
    ///
    /// # Errors
    /// If there are not so many left.
    #[inline]
    pub fn u2(&mut self) -> Result<u16, Malformed> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// The next four bytes as a number.
    ///
    /// # Errors
    /// If there are not so many left.
    #[inline]
    pub fn u4(&mut self) -> Result<u32, Malformed> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}
