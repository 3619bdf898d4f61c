//! `invokedynamic`: calls that a bootstrap method links when they are first reached.
//!
//! Lambdas and method references become objects of a class that is made for them ([`lambda`]). All
//! other calls become static calls of a method with the class and name of the bootstrap method and
//! the types of the call, which no class defines: leaves. Those of the standard library that are
//! known to run no code of the program beyond `toString`, `equals`, `hashCode` of their arguments
//! are ordinary; others are counted as not modelled.

use super::lambda;
use super::method::Lowering;
use super::stack::Slot;
use crate::java::class::{Bootstrap, Kind, Malformed};
use tern_ir::{Call, Dispatch, Operand, Selector, Statement, Type};

/// Bootstrap methods whose calls compute a value from their arguments.
const LEAVES: &[&[u8]] = &[
    b"java/lang/invoke/StringConcatFactory",
    b"java/lang/runtime/ObjectMethods",
    b"java/lang/runtime/SwitchBootstraps",
];

impl Lowering<'_, '_, '_, '_> {
    pub(crate) fn invoke_dynamic(&mut self, index: u16) -> Result<(), Malformed> {
        let (bootstrap, name, descriptor) = self.link.pool.invoke_dynamic(index)?;
        let Some(bootstrap) = self.link.bootstraps.get(usize::from(bootstrap)) else {
            return Err(Malformed { offset: 0, what: "a bootstrap method that does not exist" });
        };
        if !self.link.lambdas.contains_key(&index) {
            let site = lambda::Site { name, descriptor, place: self.place };
            let made = lambda::make(self.link, bootstrap, site)?;
            self.link.lambdas.insert(index, made);
        }
        let selector = self.link.selector(name, descriptor)?;
        match self.link.lambdas[&index].clone() {
            Some(lambda) => {
                let captured = self.arguments(selector, false)?;
                let captured = self.operands.split_off(captured.start as usize);
                let to = self.temporary(lambda.ty);
                self.emit(Statement::New { to, class: lambda.class });
                for (&field, value) in lambda.fields.iter().zip(captured) {
                    let object = Some(Operand::Variable(to));
                    self.emit(Statement::Store { object, field, value });
                }
                let operand = Operand::Variable(to);
                self.stack.push(Slot { operand, kind: Kind::Reference, ty: lambda.ty });
                Ok(())
            }
            None => self.leaf(bootstrap, selector),
        }
    }

    fn leaf(
        &mut self,
        bootstrap: &Bootstrap,
        selector: tern_ir::SelectorId,
    ) -> Result<(), Malformed> {
        let member = self.link.pool.method(self.link.pool.handle(bootstrap.handle)?.member)?;
        let class = self.link.class(member.class)?;
        let name = self.link.name(member.name)?;
        let owner = self.link.pool.utf8(self.link.pool.class(member.class)?)?;
        if !LEAVES.contains(&owner) {
            let program = &self.link.program;
            let method = format!("{}.{}", program.text(class), program.text(name));
            self.link.tally.omit(format!("a call that is linked by {method}"));
        }
        let Selector { parameters, result, .. } = self.link.program.selectors()[selector].clone();
        let named = self.link.program.selector(Selector { name, parameters, result });
        let arguments = self.arguments(named, false)?;
        let dispatch = Dispatch::Static;
        self.call(Call { dispatch, class, selector: named, arguments });
        Ok(())
    }
}

impl lambda::Lambda {
    /// The name of the interface that a call site promises, if its type is one.
    pub(crate) fn interface(ty: Type) -> Option<tern_ir::NameId> {
        match ty {
            Type::Reference(name) => Some(name),
            _ => None,
        }
    }
}
