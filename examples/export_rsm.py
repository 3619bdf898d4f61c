#!/usr/bin/env python3
"""A sample exporter: the control flow of a Python file as RSM JSON.

    python3 examples/export_rsm.py program.py > program.rsm
    tern check program.rsm -f 'AG (acquire -> EF release)'

Each function becomes a component, each statement a node, each call of a function of the
same file a box. A statement that calls anything else has the name of that as a label. The
program starts at `main`. Exceptions, classes and nested functions are left out: this shows
the format, and is no analysis of Python.
"""
import ast
import json
import sys


class Function:
    """The component of one function."""

    def __init__(self, tree, known):
        self.known = known
        self.nodes, self.boxes, self.edges = [], [], {}
        entry = self.node("entry", is_entry=True)
        last = self.body(tree.body, [("node", entry)], loop=None)
        self.exit = self.node("exit", is_exit=True)
        self.connect(last, ("node", "exit"))
        self.connect(self.returns, ("node", "exit"))
        self.component = {
            "name": tree.name,
            "nodes": self.nodes,
            "boxes": self.boxes,
            "transitions": [
                {"source": reference(source), "targets": [reference(t) for t in targets]}
                for source, targets in self.edges.items()
            ],
        }

    returns = ()

    def node(self, name, labels=(), is_entry=False, is_exit=False):
        self.nodes.append(
            {"name": name, "is_entry": is_entry, "is_exit": is_exit, "labels": sorted(labels)}
        )
        return name

    def connect(self, sources, target):
        for source in sources:
            targets = self.edges.setdefault(source, [])
            if target not in targets:
                targets.append(target)

    def step(self, statement, before):
        """A node for a statement, then a box for each call in it. Gives what comes last."""
        calls = [c for c in ast.walk(statement) if isinstance(c, ast.Call)]
        names = [name_of(call.func) for call in calls]
        labels = {name for name in names if name not in self.known}
        node = self.node(f"line {statement.lineno} ({len(self.nodes)})", labels)
        self.connect(before, ("node", node))
        last = [("node", node)]
        for callee in (name for name in names if name in self.known):
            box = f"call {len(self.boxes)}"
            self.boxes.append(
                {"name": box, "component": callee, "call_nodes": ["entry"], "return_nodes": ["exit"]}
            )
            self.connect(last, ("box", box, "entry"))
            last = [("box", box, "exit")]
        return last

    def body(self, statements, before, loop):
        for statement in statements:
            if isinstance(statement, ast.If):
                test = self.step(statement.test, before)
                before = self.body(statement.body, test, loop)
                before = before + self.body(statement.orelse, test, loop)
            elif isinstance(statement, (ast.While, ast.For)):
                head = statement.test if isinstance(statement, ast.While) else statement.iter
                test = self.step(head, before)
                breaks = []
                first = next(t for source in before for t in self.edges[source][-1:])
                again = self.body(statement.body, test, (first, breaks))
                self.connect(again, first)
                before = test + breaks
            elif isinstance(statement, ast.Return):
                self.returns = tuple(self.returns) + tuple(self.step(statement, before))
                return []
            elif isinstance(statement, ast.Break):
                loop[1].extend(self.step(statement, before))
                return []
            elif isinstance(statement, ast.Continue):
                self.connect(self.step(statement, before), loop[0])
                return []
            else:
                before = self.step(statement, before)
        return before


def name_of(function):
    """`f` of `f(...)`, and `method` of `object.method(...)`."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "?")


def reference(place):
    if place[0] == "node":
        return {"type": "node", "name": place[1]}
    return {"type": "box_node", "box_name": place[1], "node_name": place[2]}


def main():
    tree = ast.parse(open(sys.argv[1], encoding="utf-8").read())
    functions = [item for item in tree.body if isinstance(item, ast.FunctionDef)]
    known = {function.name for function in functions}
    components = [Function(function, known).component for function in functions]
    model = {"initial_component": "main", "initial_node": "entry", "components": components}
    json.dump(model, sys.stdout, indent=1)


main()
