//! Statements and jumps on heaps: all that comes of them, and what is not followed.

use super::super::graph::{FREED, Origin};
use super::super::step::has_one_run;
use super::*;
use tern_ir::{Comparison, Handler, Operator, Test, UnaryOperator};

/// What a value is, in short.
fn worth(held: Held) -> String {
    match held {
        Held::Object(0) => "null".to_owned(),
        Held::Object(object) => format!("o{object}"),
        Held::Integer(number) => number.to_string(),
        Held::Any => "any".to_owned(),
    }
}

/// What comes of a step, in short: where, what variables hold, and fields.
fn shown(next: &Next) -> String {
    let (place, heap) = match next {
        Next::Goes(Place::At(block, at, case), heap) => (format!("{block}.{at}.{case}"), heap),
        Next::Goes(place, heap) => (format!("{place:?}"), heap),
        Next::Returns(heap) => ("return".to_owned(), heap),
        Next::Calls(calling) => (format!("call {}", calling.callee.index()), &calling.heap),
    };
    let held = heap.heap.slots.iter().map(|(slot, held)| match slot {
        Slot::Variable(number) => format!(" {number}={}", worth(*held)),
        _ => format!(" {}", worth(*held)),
    });
    let fields =
        heap.heap.graph.fields.iter().map(|(from, name, to)| format!(" {from}.{name}={to}"));
    place + &held.collect::<String>() + &fields.collect::<String>()
}

/// All that comes of a place of the first procedure with a heap, or why it is not followed.
fn steps_at(world: &World, place: Place, heap: &AbstractHeap) -> String {
    world.prove(&[], |prover, _, _| match prover.next(Some(ProcId::new(0)), place, heap) {
        Ok(next) => next.iter().map(shown).collect::<Vec<_>>().join("; "),
        Err(why) => why.to_string(),
    })
}

/// One node, known to the first variable, the others as they are said to be.
fn one(others: &[(usize, Held)]) -> AbstractHeap {
    let mut slots = vec![(0, Held::Object(1))];
    slots.extend(others);
    heap(graph(&["Node"], &[(1, "next", 0)], &[], &[]), &slots)
}

/// All that comes of a statement.
fn of_statement(make: impl FnOnce(&mut World) -> Statement, heap: &AbstractHeap) -> String {
    let mut world = World::new(&["List"]);
    let statement = make(&mut world);
    world.plain("main", 1, vec![(vec![statement], Jump::Return(None))]);
    steps_at(&world, Place::At(0, 0, 0), heap)
}

/// All that comes of a jump; blocks 1 and 2 return.
fn of_jump(make: impl FnOnce(&mut World) -> Jump, heap: &AbstractHeap) -> String {
    let mut world = World::new(&["List"]);
    let jump = make(&mut world);
    let back = || (Vec::new(), Jump::Return(None));
    world.plain("main", 1, vec![(Vec::new(), jump), back(), back(), back()]);
    steps_at(&world, Place::At(0, 0, 0), heap)
}

#[test]
fn values_are_copied() {
    let heap = one(&[(1, Held::Integer(3))]);
    let copied = |from: fn(&mut World) -> Operand| of_statement(|it| copy(2, from(it)), &heap);
    assert_eq!(copied(|_| read(0)), "0.1.0 0=o1 1=3 2=o1 1.next=0");
    assert_eq!(copied(|_| read(1)), "0.1.0 0=o1 1=3 2=3 1.next=0");
    // Nothing is known of a variable that is left out, nor of other constants.
    assert_eq!(copied(|_| read(3)), "0.1.0 0=o1 1=3 2=any 1.next=0");
    assert_eq!(copied(World::null), "0.1.0 0=o1 1=3 2=null 1.next=0");
    assert_eq!(copied(|it| it.number(7)), "0.1.0 0=o1 1=3 2=7 1.next=0");
    assert_eq!(copied(|it| it.number(1 << 70)), "0.1.0 0=o1 1=3 2=any 1.next=0");
    assert_eq!(copied(|it| it.constant(Constant::Any)), "0.1.0 0=o1 1=3 2=any 1.next=0");
}

#[test]
fn fields_are_read_and_written() {
    let known = one(&[(1, Held::Object(0)), (2, Held::Any)]);
    let list = heap(graph(&["Node"], &[], &[("List", &[1, 0])], &[]), &[(0, Held::Object(1))]);
    let freed = heap(graph(&[FREED], &[], &[], &[]), &[(0, Held::Object(1))]);
    let load = |object: usize, name: &str, heap: &AbstractHeap| {
        of_statement(|it| it.load(3, object, name), heap)
    };
    assert_eq!(load(0, "next", &known), "0.1.0 0=o1 1=null 2=any 3=null 1.next=0");
    assert_eq!(load(0, "next", &list), "0.1.0 0=o1 3=null 1.next=0; 0.1.0 0=o1 3=o2 1.next=2");
    assert_eq!(load(0, "count", &known), "0.1.0 0=o1 1=null 2=any 3=any 1.next=0");
    assert_eq!(load(0, "several", &known), "a field of several types of objects");
    assert_eq!(load(0, "prev", &known), "an object has no such field");
    assert_eq!(load(1, "next", &known), "NullDereference 0=o1 1=null 2=any 1.next=0");
    assert_eq!(load(2, "next", &known), "nothing is known of an object that is used");
    assert_eq!(load(0, "next", &freed), "UseAfterFree 0=o1");
    let store = |object: usize, value: usize, heap: &AbstractHeap| {
        of_statement(|it| it.store(object, "next", read(value)), heap)
    };
    assert_eq!(store(0, 0, &known), "0.1.0 0=o1 1=null 2=any 1.next=1");
    assert_eq!(store(0, 0, &list), "0.1.0 0=o1 1.next=1; 0.1.0 0=o1 1.next=1");
    assert_eq!(store(0, 2, &known), "something is stored of which nothing is known");
    assert_eq!(store(1, 0, &known), "NullDereference 0=o1 1=null 2=any 1.next=0");
    assert_eq!(store(0, 0, &freed), "UseAfterFree 0=o1");
    let count = of_statement(|it| it.store(0, "count", read(2)), &known);
    assert_eq!(count, "0.1.0 0=o1 1=null 2=any 1.next=0");
    // Fields of classes are not kept.
    let field = |it: &mut World| it.field("next");
    let load = |it: &mut World| Statement::Load { to: var(1), object: None, field: field(it) };
    assert_eq!(of_statement(load, &known), "0.1.0 0=o1 1=any 2=any 1.next=0");
    let store =
        |it: &mut World| Statement::Store { object: None, field: field(it), value: read(0) };
    assert_eq!(of_statement(store, &known), "0.1.0 0=o1 1=null 2=any 1.next=0");
}

#[test]
fn objects_are_made_and_freed() {
    let known = one(&[]);
    let made = |class: &str| of_statement(|it| it.made(1, class), &known);
    assert_eq!(made("Node"), "0.1.0 0=o1 1=o2 1.next=0 2.next=0");
    assert_eq!(made("Pair"), "0.1.0 0=o1 1=o2 1.next=0 2.next=0 2.prev=0");
    assert_eq!(made("Text"), "0.1.0 0=o1 1=any 1.next=0");
    let mut world = World::new(&["List"]);
    let statement = world.made(1, "Node");
    world.plain("main", 1, vec![(vec![statement], Jump::Return(None))]);
    world.prove(&[], |prover, _, _| {
        let next = prover.next(Some(ProcId::new(0)), Place::At(0, 0, 0), &known);
        let Ok([Next::Goes(_, heap)]) = next.as_deref() else { panic!("one step") };
        assert_eq!(heap.objects, [Origin::part(0), Origin::part(1), Origin::NEW]);
    });
    let free = |heap: &AbstractHeap| of_statement(|it| it.call(None, "free", 1), heap);
    assert_eq!(free(&known), "0.1.0 0=o1");
    let null = heap(Graph::default(), &[(0, Held::Object(0))]);
    assert_eq!(free(&null), "0.1.0 0=null");
    let any = heap(Graph::default(), &[(0, Held::Any)]);
    assert_eq!(free(&any), "something else than an object is freed");
    let freed = heap(graph(&[FREED], &[], &[], &[]), &[(0, Held::Object(1))]);
    assert_eq!(free(&freed), "DoubleFree 0=o1");
    // All that the rules give it is gone, in all cases.
    let list = heap(graph(&["Node"], &[], &[("List", &[1, 0])], &[]), &[(0, Held::Object(1))]);
    assert_eq!(free(&list), "0.1.0 0=o1; 0.1.0 0=o1");
    let mut world = World::new(&["List"]);
    let statement = world.call(None, "free", 1);
    world.plain("main", 1, vec![(vec![statement], Jump::Return(None))]);
    world.prove(&[], |prover, _, _| {
        let next = prover.next(Some(ProcId::new(0)), Place::At(0, 0, 0), &list).expect("followed");
        for next in next {
            let Next::Goes(_, heap) = next else { panic!("it goes on") };
            assert_eq!(heap.heap.kind(1), Some(FREED));
        }
    });
}

#[test]
fn numbers_are_computed() {
    let mut world = World::new(&["List"]);
    let ty = world.program.ty(Type::Integer { bits: 32, signed: true });
    let negate = Statement::Unary { to: var(2), operator: UnaryOperator::Negate, operand: read(0) };
    let (operator, left, right) = (Operator::Subtract, read(0), read(1));
    let subtract = Statement::Binary { to: var(2), operator, left, right };
    let divide = Statement::Binary { to: var(2), operator: Operator::Divide, left, right };
    let blocks = vec![(vec![negate, subtract, divide], Jump::Return(None))];
    world.procedure("main", (2, &[ty; 4]), blocks, Vec::new());
    let heap = |left: Held, right: Held| heap(Graph::default(), &[(0, left), (1, right)]);
    let step = |at: usize, heap: &AbstractHeap| steps_at(&world, Place::At(0, at, 0), heap);
    let known = heap(Held::Integer(7), Held::Integer(2));
    assert_eq!(step(0, &known), "0.1.0 0=7 1=2 2=-7");
    assert_eq!(step(1, &known), "0.2.0 0=7 1=2 2=5");
    assert_eq!(step(2, &known), "0.3.0 0=7 1=2 2=3");
    let open = heap(Held::Any, Held::Integer(2));
    assert_eq!(step(0, &open), "0.1.0 0=any 1=2 2=any");
    assert_eq!(step(1, &open), "0.2.0 0=any 1=2 2=any");
    assert_eq!(step(2, &open), "0.3.0 0=any 1=2 2=any");
    assert!(step(2, &heap(Held::Any, Held::Integer(0))).contains("division"));
    assert!(step(2, &heap(Held::Integer(7), Held::Any)).contains("division"));
    assert!(step(2, &heap(Held::Integer(7), Held::Integer(0))).contains("division"));
}

#[test]
fn types_are_asked_for() {
    let heap = one(&[(1, Held::Object(0)), (2, Held::Any)]);
    let cast = |from: usize, class: &str| {
        of_statement(
            |it| Statement::Cast { to: var(3), from: read(from), ty: it.reference(class) },
            &heap,
        )
    };
    assert_eq!(cast(0, "Node"), "0.1.0 0=o1 1=null 2=any 3=o1 1.next=0");
    assert_eq!(cast(0, "Object"), "0.1.0 0=o1 1=null 2=any 3=o1 1.next=0");
    assert_eq!(cast(1, "Leaf"), "0.1.0 0=o1 1=null 2=any 3=null 1.next=0");
    assert_eq!(cast(0, "Leaf"), "a cast that may not succeed");
    assert_eq!(cast(2, "Node"), "a cast that may not succeed");
    let asked = |from: usize, class: &str| {
        let asked = |it: &mut World| Statement::InstanceOf {
            to: var(3),
            from: read(from),
            ty: it.reference(class),
        };
        of_statement(asked, &heap)
    };
    assert_eq!(asked(0, "Node"), "0.1.0 0=o1 1=null 2=any 3=1 1.next=0");
    assert_eq!(asked(0, "Leaf"), "0.1.0 0=o1 1=null 2=any 3=0 1.next=0");
    assert_eq!(asked(1, "Node"), "0.1.0 0=o1 1=null 2=any 3=0 1.next=0");
    assert_eq!(asked(2, "Node"), "0.1.0 0=o1 1=null 2=any 3=any 1.next=0");
    // No object is an array.
    let array = |it: &mut World| {
        let node = it.reference("Node");
        Statement::InstanceOf { to: var(3), from: read(0), ty: it.program.ty(Type::Array(node)) }
    };
    assert_eq!(of_statement(array, &heap), "0.1.0 0=o1 1=null 2=any 3=0 1.next=0");
    let lock = |object: usize| {
        of_statement(|_| Statement::Monitor { object: read(object), enter: true }, &heap)
    };
    assert_eq!(lock(0), "0.1.0 0=o1 1=null 2=any 1.next=0");
    assert_eq!(lock(1), "NullDereference 0=o1 1=null 2=any 1.next=0");
    assert_eq!(lock(2), "nothing is known of an object that is used");
}

/// Arrays are not followed, but for their being `null`, and the length of one that was given.
#[test]
fn arrays_are_given_by_their_length() {
    let mut world = World::new(&[]);
    let number = world.program.ty(Type::Integer { bits: 32, signed: true });
    let array = world.program.ty(Type::Array(number));
    let length = |of: usize| Statement::Length { to: var(3), array: read(of) };
    let element = Statement::LoadElement { to: var(3), array: read(0), index: read(3) };
    let put = Statement::StoreElement { array: read(0), index: read(3), value: read(3) };
    let statements =
        vec![length(0), length(1), length(2), length(3), element, put, copy(2, read(0)), length(4)];
    let types = [array, number, array, array, array];
    world.procedure("main", (3, &types), vec![(statements, Jump::Return(None))], Vec::new());
    let step = |world: &World, at: usize, held: Held| {
        let heap = heap(Graph::default(), &[(0, held), (1, held), (2, held), (3, held), (4, held)]);
        steps_at(world, Place::At(0, at, 0), &heap)
    };
    let (three, why) = (Held::Integer(3), "arrays are not followed");
    assert_eq!(step(&world, 0, three), "0.1.0 0=3 1=3 2=3 3=3 4=3");
    assert_eq!(step(&world, 0, Held::Any), "0.1.0 0=any 1=any 2=any 3=any 4=any");
    assert_eq!(step(&world, 0, Held::Integer(-1)), why);
    // A number is no array, one that is written may be another, and so may a local.
    assert_eq!(step(&world, 1, three), why);
    assert_eq!(step(&world, 2, three), why);
    assert_eq!(step(&world, 3, three), why);
    assert_eq!(step(&world, 7, three), why);
    for at in [0, 4, 5] {
        assert!(step(&world, at, Held::Object(0)).starts_with("NullDereference"), "{at}");
    }
    assert_eq!(step(&world, 4, three), why);
    assert_eq!(step(&world, 5, three), why);
    // Somebody might call it with another array, and other procedures are given others.
    let call = world.call(None, "main", 0);
    world.procedure(
        "aux",
        (1, &[array; 4]),
        vec![(vec![length(0)], Jump::Return(None))],
        Vec::new(),
    );
    assert_eq!(step(&world, 0, three), "0.1.0 0=3 1=3 2=3 3=3 4=3");
    let other = world.prove(&[], |prover, _, _| {
        let heap = heap(Graph::default(), &[(0, three)]);
        said(prover.next(Some(ProcId::new(1)), Place::At(0, 0, 0), &heap))
    });
    assert_eq!(other, why);
    world.procedure("more", (0, &[array; 4]), vec![(vec![call], Jump::Return(None))], Vec::new());
    assert_eq!(step(&world, 0, three), why);
}

#[test]
fn jumps_go_where_values_say() {
    let heap = one(&[(1, Held::Object(0)), (2, Held::Any), (3, Held::Integer(3))]);
    let branch = |left: usize, comparison: Comparison, right: usize| {
        let test = Test { left: read(left), comparison, right: read(right) };
        of_jump(|_| Jump::Branch { test, yes: BlockId::new(1), no: BlockId::new(2) }, &heap)
    };
    let after = "0=o1 1=null 2=any 3=3 1.next=0";
    assert_eq!(branch(0, Comparison::Equal, 0), format!("1.0.0 {after}"));
    assert_eq!(branch(0, Comparison::Equal, 1), format!("2.0.0 {after}"));
    assert_eq!(branch(0, Comparison::NotEqual, 1), format!("1.0.0 {after}"));
    assert_eq!(branch(0, Comparison::NotEqual, 0), format!("2.0.0 {after}"));
    // Nothing is known of the second: it is the other, or it is not.
    let (is, is_not) = ("0=o1 1=null 2=3 3=3 1.next=0", after);
    assert_eq!(branch(2, Comparison::Equal, 3), format!("1.0.0 {is}; 2.0.0 {is_not}"));
    assert_eq!(branch(3, Comparison::Equal, 2), format!("1.0.0 {is}; 2.0.0 {is_not}"));
    assert_eq!(branch(2, Comparison::NotEqual, 3), format!("1.0.0 {is_not}; 2.0.0 {is}"));
    assert_eq!(branch(0, Comparison::Equal, 3), "a number is compared with an object");
    assert_eq!(branch(3, Comparison::Equal, 0), "a number is compared with an object");
    assert_eq!(branch(3, Comparison::LessEqual, 3), format!("1.0.0 {after}"));
    assert_eq!(branch(3, Comparison::Less, 3), format!("2.0.0 {after}"));
    assert_eq!(branch(2, Comparison::Less, 3), format!("1.0.0 {after}; 2.0.0 {after}"));
    assert_eq!(branch(0, Comparison::Less, 3), "objects are compared by size");
    assert_eq!(branch(3, Comparison::Less, 0), "objects are compared by size");
    let back = |from: usize| of_jump(|_| Jump::Return(Some(read(from))), &heap);
    assert_eq!(back(0), "return o1 1.next=0");
    assert_eq!(back(2), "return any 1.next=0");
    assert_eq!(of_jump(|_| Jump::Return(None), &heap), "return 1.next=0");
    assert_eq!(of_jump(|_| Jump::Throw(read(0)), &heap), format!("Thrown {after}"));
    let switch = |cases: &[(i64, BlockId)], case: usize, on: Held| {
        let mut world = World::new(&["List"]);
        let jump = Jump::Switch { on: read(0), cases: cases.into(), otherwise: BlockId::new(3) };
        let back = || (Vec::new(), Jump::Return(None));
        world.plain("main", 1, vec![(Vec::new(), jump), back(), back(), back()]);
        let heap = super::heap(Graph::default(), &[(0, on)]);
        steps_at(&world, Place::At(0, 0, case), &heap)
    };
    let cases = [(5, BlockId::new(1)), (6, BlockId::new(2))];
    assert_eq!(switch(&cases, 0, Held::Integer(5)), "1.0.0 0=5");
    assert_eq!(switch(&cases, 0, Held::Integer(6)), "0.0.1 0=6");
    assert_eq!(switch(&cases, 1, Held::Integer(6)), "2.0.0 0=6");
    assert_eq!(switch(&cases, 1, Held::Integer(7)), "3.0.0 0=7");
    assert_eq!(switch(&cases, 0, Held::Any), "1.0.0 0=5; 0.0.1 0=any");
    assert_eq!(switch(&cases, 1, Held::Any), "2.0.0 0=6; 3.0.0 0=any");
    assert_eq!(switch(&[], 0, Held::Any), "3.0.0 0=any");
}

#[test]
fn callees_are_who_they_are() {
    let heap = one(&[(1, Held::Any)]);
    let call = |name: &str| of_statement(|it| it.call(Some(2), name, 1), &heap);
    assert_eq!(call("main"), "call 0 0=o1 1=any 1.next=0");
    assert_eq!(call("pure"), "0.1.0 0=o1 1=any 2=any 1.next=0");
    assert_eq!(call("elsewhere"), "code is called that is not there");
    let quiet = of_statement(|it| it.call(None, "pure", 1), &heap);
    assert_eq!(quiet, "0.1.0 0=o1 1=any 1.next=0");
    // A receiver is an object.
    let received = |held: Held| {
        let call = |it: &mut World| {
            let Statement::Call { to, mut call } = it.call(None, "main", 1) else {
                panic!("a call")
            };
            call.dispatch = Dispatch::Virtual;
            Statement::Call { to, call }
        };
        of_statement(call, &super::heap(Graph::default(), &[(0, held)]))
    };
    assert_eq!(received(Held::Object(0)), "NullDereference 0=null");
    assert_eq!(received(Held::Any), "nothing is known of an object that is used");
    // Who does nothing takes no step.
    let mut world = World::new(&["List"]);
    let nothing = world.call(None, "nothing", 0);
    let blocks = vec![
        (vec![nothing.clone()], Jump::Goto(BlockId::new(1))),
        (vec![nothing], Jump::Return(None)),
    ];
    world.plain("main", 1, blocks);
    let first = world.with_task(|task| first_place(task, ProcId::new(0)));
    assert_eq!(first, Ok(Place::At(1, 1, 0)));
    let mut empty = World::new(&["List"]);
    empty.plain("main", 1, Vec::new());
    let first = empty.with_task(|task| first_place(task, ProcId::new(0)));
    assert_eq!(said(first), "a procedure has no code");
}

/// What is thrown may be caught, so that it is not known how the run goes on; but for `null` in the
/// procedure that takes it.
#[test]
fn what_is_thrown_may_be_taken() {
    let world = |class: Option<&str>| {
        let mut world = World::new(&["List"]);
        let load = world.load(1, 0, "next");
        let blocks = vec![(vec![load], Jump::Throw(read(0))), (Vec::new(), Jump::Return(None))];
        world.plain("main", 1, blocks);
        if let Some(class) = class {
            let class = Some(world.program.name(class));
            let body = world.program.body_mut(ProcId::new(0)).as_mut().expect("it has code");
            body.handlers.push(Handler { class, variable: var(2), block: BlockId::new(1) });
            body.blocks[BlockId::new(0)].handlers = 0..1;
        }
        world
    };
    let step = |world: &World, at: usize, held: Held| {
        let graph = graph(&[FREED], &[], &[], &[]);
        steps_at(world, Place::At(0, at, 0), &heap(graph, &[(0, held)]))
    };
    let (null, freed, caught) = (Held::Object(0), Held::Object(1), "what is thrown may be caught");
    assert_eq!(step(&world(None), 0, null), "NullDereference 0=null");
    assert_eq!(step(&world(None), 1, null), "Thrown 0=null");
    let taken = world(Some("java.lang.RuntimeException"));
    assert_eq!(step(&taken, 0, null), "1.0.0 0=null 2=any");
    assert_eq!(step(&taken, 1, null), caught);
    assert_eq!(step(&taken, 0, freed), caught);
    assert_eq!(step(&world(Some("java.io.IOException")), 0, null), caught);
}

#[test]
fn nodes_are_where_they_can_be() {
    let mut world = World::new(&["List"]);
    world.plain("main", 1, vec![(Vec::new(), Jump::Return(None))]);
    let heap = one(&[]);
    let said = |procedure: Option<usize>, place: Place| {
        world.prove(&[], |prover, _, _| said(prover.next(procedure.map(ProcId::new), place, &heap)))
    };
    assert_eq!(said(None, Place::Begin), "");
    assert_eq!(said(Some(0), Place::At(0, 0, 0)), "");
    assert_eq!(said(Some(0), Place::At(1, 0, 0)), "there is no such block");
    assert_eq!(said(Some(0), Place::Begin), "a node is where it cannot be");
    assert_eq!(said(None, Place::At(0, 0, 0)), "a node is where it cannot be");
    // What has ended stays where it is.
    assert_eq!(steps_at(&world, Place::Thrown, &heap), "Thrown 0=o1 1.next=0");
}

/// Where something depends on more than the input, not all runs are one.
#[test]
fn chance_is_seen_wherever_it_is() {
    let one_run = |make: &dyn Fn(&mut World) -> (Statement, Jump)| {
        let mut world = World::new(&["List"]);
        let (statement, jump) = make(&mut world);
        let back = || (Vec::new(), Jump::Return(None));
        // It is called, and not there itself.
        let call = world.call(None, "aux", 1);
        world.plain("main", 1, vec![(vec![call], Jump::Return(None))]);
        world.plain("aux", 1, vec![(vec![statement], jump), back()]);
        world.with_task(has_one_run)
    };
    let statement =
        |make: &dyn Fn(&mut World) -> Statement| one_run(&|it| (make(it), Jump::Return(None)));
    let any = |it: &mut World| it.constant(Constant::Any);
    assert!(statement(&|_| copy(1, read(0))));
    assert!(!statement(&|it| copy(1, any(it))));
    assert!(statement(&|it| it.load(1, 0, "next")));
    assert!(!statement(&|it| it.load(1, 0, "count")));
    assert!(!statement(&|it| it.load(1, 0, "several")));
    assert!(!statement(&|it| Statement::Load {
        to: var(1),
        object: None,
        field: it.field("next")
    }));
    assert!(statement(&|it| it.store(0, "next", read(1))));
    assert!(!statement(&|it| {
        let any = any(it);
        it.store(0, "next", any)
    }));
    let unary = |operand: Operand| Statement::Unary {
        to: var(1),
        operator: UnaryOperator::Negate,
        operand,
    };
    assert!(statement(&|_| unary(read(0))));
    assert!(!statement(&|it| unary(any(it))));
    let binary = |left: Operand, right: Operand| Statement::Binary {
        to: var(1),
        operator: Operator::Add,
        left,
        right,
    };
    assert!(statement(&|_| binary(read(0), read(0))));
    assert!(!statement(&|it| binary(any(it), read(0))));
    assert!(!statement(&|it| binary(read(0), any(it))));
    assert!(statement(&|it| it.made(1, "Node")));
    assert!(!statement(&|it| it.made(1, "Text")));
    assert!(statement(&|it| it.call(None, "aux", 1)));
    assert!(statement(&|it| it.call(None, "nothing", 1)));
    assert!(!statement(&|it| it.call(None, "pure", 1)));
    assert!(!statement(&|it| it.call(None, "elsewhere", 1)));
    assert!(!statement(&|_| Statement::Length { to: var(1), array: read(0) }));
    let jump = |make: &dyn Fn(&mut World) -> Jump| one_run(&|it| (copy(1, read(0)), make(it)));
    let to = BlockId::new(1);
    let branch = |left: Operand, right: Operand| Jump::Branch {
        test: Test { left, comparison: Comparison::Equal, right },
        yes: to,
        no: to,
    };
    let switch = |on: Operand| Jump::Switch { on, cases: [].into(), otherwise: to };
    assert!(jump(&|_| branch(read(0), read(1))));
    assert!(!jump(&|it| branch(any(it), read(1))));
    assert!(!jump(&|it| branch(read(0), any(it))));
    assert!(jump(&|_| switch(read(0))));
    assert!(!jump(&|it| switch(any(it))));
    // Arguments count as well, and code that is not there.
    let mut world = World::new(&["List"]);
    let (node, any) = (world.reference("Node"), any(&mut world));
    let call = world.call(None, "aux", 1);
    let blocks = vec![(vec![call], Jump::Return(None))];
    world.procedure("main", (1, &[node; 4]), blocks, vec![any]);
    world.plain("aux", 1, vec![(Vec::new(), Jump::Return(None))]);
    assert!(!world.with_task(has_one_run));
    let mut world = World::new(&["List"]);
    let call = world.call(None, "aux", 1);
    world.plain("main", 1, vec![(vec![call], Jump::Return(None))]);
    world.plain("aux", 1, vec![(Vec::new(), Jump::Return(None))]);
    assert!(world.with_task(has_one_run));
    *world.program.body_mut(ProcId::new(1)) = None;
    assert!(!world.with_task(has_one_run));
}
