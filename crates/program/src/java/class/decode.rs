//! Opcodes with their operands, as instructions.

use super::bytes::{Bytes, Malformed};
use super::instruction::{Instruction, Invoke, Kind, Op, Primitive, Shuffle, Switch};
use tern_ir::{Comparison, Operator};

/// Decodes all instructions of a method. `start` is where they begin in the file.
///
/// # Errors
/// If an opcode is unknown or an instruction is cut off.
pub fn decode(code: &[u8], start: usize) -> Result<Vec<Instruction>, Malformed> {
    let in_file = |wrong: Malformed| Malformed { offset: start + wrong.offset, ..wrong };
    let mut instructions = Vec::with_capacity(code.len() / 2 + 1);
    let mut bytes = Bytes::new(code);
    while !bytes.is_done() {
        let at = bytes.at() as u32;
        let op = op(&mut bytes, at).map_err(in_file)?;
        instructions.push(Instruction { at, next: bytes.at() as u32, op });
    }
    Ok(instructions)
}

const KINDS: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference];

const ELEMENTS: [Option<Primitive>; 8] = [
    Some(Primitive::Int),
    Some(Primitive::Long),
    Some(Primitive::Float),
    Some(Primitive::Double),
    None,
    Some(Primitive::Byte),
    Some(Primitive::Char),
    Some(Primitive::Short),
];

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::GreaterEqual,
    Comparison::Greater,
    Comparison::LessEqual,
];

const ARITHMETIC: [Operator; 5] =
    [Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Divide, Operator::Remainder];

const BITWISE: [Operator; 6] = [
    Operator::ShiftLeft,
    Operator::ShiftRight,
    Operator::ShiftRightZero,
    Operator::And,
    Operator::Or,
    Operator::Xor,
];

const SHUFFLES: [Shuffle; 9] = [
    Shuffle::Pop,
    Shuffle::Pop2,
    Shuffle::Dup,
    Shuffle::DupX1,
    Shuffle::DupX2,
    Shuffle::Dup2,
    Shuffle::Dup2X1,
    Shuffle::Dup2X2,
    Shuffle::Swap,
];

const CONVERSIONS: [(Kind, Primitive); 15] = [
    (Kind::Int, Primitive::Long),
    (Kind::Int, Primitive::Float),
    (Kind::Int, Primitive::Double),
    (Kind::Long, Primitive::Int),
    (Kind::Long, Primitive::Float),
    (Kind::Long, Primitive::Double),
    (Kind::Float, Primitive::Int),
    (Kind::Float, Primitive::Long),
    (Kind::Float, Primitive::Double),
    (Kind::Double, Primitive::Int),
    (Kind::Double, Primitive::Long),
    (Kind::Double, Primitive::Float),
    (Kind::Int, Primitive::Byte),
    (Kind::Int, Primitive::Char),
    (Kind::Int, Primitive::Short),
];

const ARRAYS: [Primitive; 8] = [
    Primitive::Boolean,
    Primitive::Char,
    Primitive::Float,
    Primitive::Double,
    Primitive::Byte,
    Primitive::Short,
    Primitive::Int,
    Primitive::Long,
];

/// The opcodes below 0x84, which have at most a number behind them, and the rest.
fn op(bytes: &mut Bytes, at: u32) -> Result<Op, Malformed> {
    let opcode = bytes.u1()?;
    let row = |first: u8| usize::from(opcode - first);
    Ok(match opcode {
        0x00 => Op::Nop,
        0x01 => Op::Null,
        0x02..=0x08 => Op::Int(i32::from(opcode) - 3),
        0x09 | 0x0a => Op::Long(i64::from(opcode) - 9),
        0x0b..=0x0d => Op::Float(f32::from(opcode - 0x0b)),
        0x0e | 0x0f => Op::Double(f64::from(opcode - 0x0e)),
        0x10 => Op::Int(i32::from(bytes.u1()? as i8)),
        0x11 => Op::Int(i32::from(bytes.u2()? as i16)),
        0x12 => Op::Constant(u16::from(bytes.u1()?)),
        0x13 | 0x14 => Op::Constant(bytes.u2()?),
        0x15..=0x19 => Op::Load(KINDS[row(0x15)], u16::from(bytes.u1()?)),
        0x1a..=0x2d => Op::Load(KINDS[row(0x1a) / 4], (row(0x1a) % 4) as u16),
        0x2e..=0x35 => Op::LoadElement(ELEMENTS[row(0x2e)]),
        0x36..=0x3a => Op::Store(KINDS[row(0x36)], u16::from(bytes.u1()?)),
        0x3b..=0x4e => Op::Store(KINDS[row(0x3b) / 4], (row(0x3b) % 4) as u16),
        0x4f..=0x56 => Op::StoreElement(ELEMENTS[row(0x4f)]),
        0x57..=0x5f => Op::Shuffle(SHUFFLES[row(0x57)]),
        0x60..=0x73 => Op::Binary(ARITHMETIC[row(0x60) / 4], KINDS[row(0x60) % 4]),
        0x74..=0x77 => Op::Negate(KINDS[row(0x74)]),
        0x78..=0x83 => Op::Binary(BITWISE[row(0x78) / 2], KINDS[row(0x78) % 2]),
        0x84 => Op::Increment(u16::from(bytes.u1()?), i16::from(bytes.u1()? as i8)),
        0x85..=0x93 => {
            let (from, to) = CONVERSIONS[row(0x85)];
            Op::Convert(from, to)
        }
        0x94 => Op::Compare(Kind::Long),
        0x95 | 0x96 => Op::Compare(Kind::Float),
        0x97 | 0x98 => Op::Compare(Kind::Double),
        0x99..=0x9e => Op::IfZero(COMPARISONS[row(0x99)], near(bytes, at)?),
        0x9f..=0xa4 => Op::If(COMPARISONS[row(0x9f)], Kind::Int, near(bytes, at)?),
        0xa5 | 0xa6 => Op::If(COMPARISONS[row(0xa5)], Kind::Reference, near(bytes, at)?),
        0xa7 => Op::Goto(near(bytes, at)?),
        0xa8 => Op::Jsr(near(bytes, at)?),
        0xa9 => Op::Ret(u16::from(bytes.u1()?)),
        0xaa => table_switch(bytes, at)?,
        0xab => lookup_switch(bytes, at)?,
        0xac..=0xb0 => Op::Return(Some(KINDS[row(0xac)])),
        0xb1 => Op::Return(None),
        _ => return object_op(opcode, bytes, at),
    })
}

/// The opcodes for objects, calls and arrays, and the wide forms.
fn object_op(opcode: u8, bytes: &mut Bytes, at: u32) -> Result<Op, Malformed> {
    Ok(match opcode {
        0xb2 => Op::GetStatic(bytes.u2()?),
        0xb3 => Op::PutStatic(bytes.u2()?),
        0xb4 => Op::GetField(bytes.u2()?),
        0xb5 => Op::PutField(bytes.u2()?),
        0xb6 => Op::Invoke(Invoke::Virtual, bytes.u2()?),
        0xb7 => Op::Invoke(Invoke::Special, bytes.u2()?),
        0xb8 => Op::Invoke(Invoke::Static, bytes.u2()?),
        0xb9 => {
            let method = bytes.u2()?;
            bytes.u2()?;
            Op::Invoke(Invoke::Interface, method)
        }
        0xba => {
            let call = bytes.u2()?;
            bytes.u2()?;
            Op::InvokeDynamic(call)
        }
        0xbb => Op::New(bytes.u2()?),
        0xbc => {
            let wrong = bytes.wrong("an array of an unknown type");
            let code = usize::from(bytes.u1()?);
            let found = code.checked_sub(4).and_then(|row| ARRAYS.get(row));
            Op::NewArray(*found.ok_or(wrong)?)
        }
        0xbd => Op::NewReferences(bytes.u2()?),
        0xbe => Op::Length,
        0xbf => Op::Throw,
        0xc0 => Op::Cast(bytes.u2()?),
        0xc1 => Op::InstanceOf(bytes.u2()?),
        0xc2 => Op::Monitor(true),
        0xc3 => Op::Monitor(false),
        0xc4 => wide(bytes)?,
        0xc5 => Op::NewArrays(bytes.u2()?, bytes.u1()?),
        0xc6 => Op::IfNull(Comparison::Equal, near(bytes, at)?),
        0xc7 => Op::IfNull(Comparison::NotEqual, near(bytes, at)?),
        0xc8 => Op::Goto(far(bytes, at)?),
        0xc9 => Op::Jsr(far(bytes, at)?),
        _ => return Err(Malformed { offset: at as usize, what: "an unknown instruction" }),
    })
}

fn wide(bytes: &mut Bytes) -> Result<Op, Malformed> {
    let wrong = bytes.wrong("an instruction that has no wide form");
    let opcode = bytes.u1()?;
    let slot = bytes.u2()?;
    Ok(match opcode {
        0x15..=0x19 => Op::Load(KINDS[usize::from(opcode - 0x15)], slot),
        0x36..=0x3a => Op::Store(KINDS[usize::from(opcode - 0x36)], slot),
        0x84 => Op::Increment(slot, bytes.u2()? as i16),
        0xa9 => Op::Ret(slot),
        _ => return Err(wrong),
    })
}

/// A target that is given as a distance; one before the code or too far becomes one behind it.
fn target(at: u32, distance: i32) -> u32 {
    at.checked_add_signed(distance).unwrap_or(u32::MAX)
}

fn near(bytes: &mut Bytes, at: u32) -> Result<u32, Malformed> {
    Ok(target(at, i32::from(bytes.u2()? as i16)))
}

fn far(bytes: &mut Bytes, at: u32) -> Result<u32, Malformed> {
    Ok(target(at, bytes.u4()? as i32))
}

fn padding(bytes: &mut Bytes) -> Result<(), Malformed> {
    bytes.take((4 - bytes.at() % 4) % 4).map(|_| ())
}

fn table_switch(bytes: &mut Bytes, at: u32) -> Result<Op, Malformed> {
    padding(bytes)?;
    let otherwise = far(bytes, at)?;
    let (low, high) = (bytes.u4()? as i32, bytes.u4()? as i32);
    let count = i64::from(high) - i64::from(low) + 1;
    // More cases than bytes are noticed here, before room is made for them.
    if !(0..=i64::from(u16::MAX)).contains(&count) {
        return Err(bytes.wrong("a switch whose bounds are no range"));
    }
    let targets = bytes.take(4 * count as usize)?;
    let cases = (i64::from(low)..).zip(targets.chunks_exact(4)).map(|(value, four)| {
        (value as i32, target(at, i32::from_be_bytes([four[0], four[1], four[2], four[3]])))
    });
    Ok(Op::Switch(Box::new(Switch { otherwise, cases: cases.collect() })))
}

fn lookup_switch(bytes: &mut Bytes, at: u32) -> Result<Op, Malformed> {
    padding(bytes)?;
    let otherwise = far(bytes, at)?;
    let count = bytes.u4()? as usize;
    if count > usize::from(u16::MAX) {
        return Err(bytes.wrong("a switch with more cases than fit"));
    }
    let mut pairs = bytes.part(8 * count)?;
    let mut cases = Vec::with_capacity(count);
    for _ in 0..count {
        cases.push((pairs.u4()? as i32, far(&mut pairs, at)?));
    }
    if !cases.is_sorted_by(|left, right| left.0 < right.0) {
        return Err(bytes.wrong("a switch whose cases are not in order"));
    }
    Ok(Op::Switch(Box::new(Switch { otherwise, cases })))
}
