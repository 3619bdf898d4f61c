//! What stands inside components.

use super::*;

impl Parser<'_, '_> {
    pub(super) fn component(&mut self) -> Result<Result<(), Broken>, Limit> {
        self.advance();
        let first = self.current;
        let (token, name) = match self.name("the name of a component") {
            Ok(token) => (token, self.lexer.name_of(token)),
            Err(Broken) if self.current.kind == Kind::OpenBrace => {
                self.draft.broken = true;
                (first, Cow::Borrowed(""))
            }
            Err(broken) => return Ok(Err(broken)),
        };
        self.component = self.draft.builder.component(&name);
        self.draft.components.push(DraftComponent { at: At::of(token), broken: false });
        if self.current.kind == Kind::Bad {
            self.skip_to_brace();
        }
        if let Err(broken) = self.expect(Kind::OpenBrace, "`{`") {
            self.break_component();
            if !KEYWORDS.contains(&self.word()) {
                return Ok(Err(broken));
            }
        }
        loop {
            self.meter.tick()?;
            match self.current.kind {
                Kind::CloseBrace => {
                    self.advance();
                    return Ok(Ok(()));
                }
                Kind::Semicolon => self.advance(),
                Kind::End => {
                    if !self.cut_off {
                        self.unclosed(token.span, "the text ends", "add `}`");
                    }
                    return Ok(Ok(()));
                }
                Kind::Word if matches!(self.word(), "component" | "claim") => {
                    let hint = "add `}` before it, or move it behind the component";
                    self.unclosed(token.span, "this stands outside components", hint);
                    self.forgiven += 1;
                    return Ok(Ok(()));
                }
                _ => {
                    if self.statement()?.is_err() {
                        self.break_component();
                        self.skip(KEYWORDS);
                    }
                }
            }
        }
    }

    fn break_component(&mut self) {
        self.draft.components[self.component].broken = true;
    }

    fn unclosed(&mut self, begun: Span, why: &str, hint: &str) {
        self.break_component();
        let name = self.draft.builder.component_names().of(self.component);
        let at = self.current.span;
        self.problems.add(|_| {
            Problem::error("T007", format!("component `{name}` is not closed"))
                .at(at, why)
                .related(begun, "it begins here")
                .hint(hint)
        });
    }

    fn statement(&mut self) -> Result<Result<(), Broken>, Limit> {
        let misspelt = self.misspelt(&STATEMENTS, Where::Inside);
        let read = match misspelt.unwrap_or(self.word()) {
            "box" => self.call_box(),
            "port" => self.ports(),
            "initial" | "entry" | "exit" | "node" => {
                if misspelt.is_some() {
                    self.advance();
                }
                return self.node();
            }
            "return" => return Ok(Err(self.return_alone())),
            _ => return self.more_edges(),
        };
        Ok(read.and_then(|()| self.end_of_statement("`;`")))
    }

    /// Reports `return x;` as a statement.
    fn return_alone(&mut self) -> Broken {
        let at = self.current.span;
        self.advance();
        let exit = match self.word() {
            "" => "ok",
            word => word,
        };
        self.problems.add(|_| {
            Problem::error("T009", "`return` is no statement, but an edge")
                .at(at, "a node, a box, a port or an edge is expected")
                .hint(format!("write `node n -> return {exit};` and `port {exit};`, or `exit {exit};` for a node that returns"))
        });
        Broken
    }

    /// A statement ends in a semicolon; before the closing brace it may be left out. Where it is
    /// missing before a word that begins a statement, nothing need be skipped.
    fn end_of_statement(&mut self, what: &str) -> Result<(), Broken> {
        if self.accept(Kind::Semicolon) || self.current.kind == Kind::CloseBrace {
            return Ok(());
        }
        let broken = self.unexpected(what);
        if KEYWORDS.contains(&self.word()) { Ok(()) } else { Err(broken) }
    }

    fn call_box(&mut self) -> Result<(), Broken> {
        self.advance();
        let at = At::of(self.name("the name of a box")?);
        self.expect(Kind::Colon, "`:` and the component that is called")?;
        let callee = At::of(self.name("the component that is called")?);
        self.draft.boxes.push(DraftBox { component: self.component, at, callee });
        Ok(())
    }

    fn ports(&mut self) -> Result<(), Broken> {
        self.advance();
        loop {
            let token = self.name("the name of an exit")?;
            self.draft.builder.exit(self.component, &self.lexer.name_of(token));
            self.draft.exits.push(DraftExit { at: At::of(token), is_node: false });
            if !self.accept(Kind::Comma) {
                return Ok(());
            }
        }
    }

    fn node(&mut self) -> Result<Result<(), Broken>, Limit> {
        let mut said: [Option<Span>; 4] = [None; 4];
        const FLAGS: [&str; 4] = ["initial", "entry", "exit", "node"];
        while let Some(flag) = FLAGS.iter().position(|&flag| flag == self.word()) {
            let at = self.current.span;
            match said[flag] {
                None => said[flag] = Some(at),
                Some(first) => self.problems.add(|_| {
                    Problem::error("T010", format!("`{}` is said twice", FLAGS[flag]))
                        .at(at, "the second")
                        .related(first, "the first")
                }),
            }
            self.advance();
        }
        if matches!(self.current.kind, Kind::Arrow | Kind::OpenBrace | Kind::Semicolon) {
            // A word that says something of a node stands where its name should.
            let token = Token { kind: Kind::Word, span: self.previous };
            let keyword = self.lexer.text_of(token);
            self.problems.add(|_| {
                Problem::error("T009", format!("`{keyword}` is a keyword"))
                    .at(token.span, "the name of a node is expected behind it")
                    .hint(format!("put it in quotes if it is the name: node \"{keyword}\""))
            });
            return Ok(Err(Broken));
        }
        let token = match self.name("the name of a node") {
            Ok(token) => token,
            Err(broken) => return Ok(Err(broken)),
        };
        let node = self.declare(token, said.map(|flag| flag.is_some()));
        if self.current.kind == Kind::OpenBrace
            && let Err(broken) = self.labels(node)
        {
            self.skip_labels();
            return Ok(Err(broken));
        }
        if self.current.kind == Kind::Arrow {
            self.draft.origins.push(At::of(token));
            return self.edges();
        }
        Ok(self.end_of_statement("labels in braces, `->` or `;`"))
    }

    fn declare(&mut self, token: Token, [initial, entry, exit, _]: [bool; 4]) -> NodeId {
        let Draft { builder, nodes, exits, exit_nodes, starts, .. } = &mut self.draft;
        let node = builder.node(self.component, &self.lexer.name_of(token));
        nodes.push(At::of(token));
        if entry {
            builder.entry(node);
        }
        if exit {
            builder.exit_node(node);
            exits.push(DraftExit { at: At::of(token), is_node: true });
            exit_nodes.grow_and_insert(node.index());
        }
        if initial {
            starts.push(Start::Declared(node));
        }
        node
    }

    fn labels(&mut self, node: NodeId) -> Result<(), Broken> {
        loop {
            self.advance_to_label();
            let token = self.current;
            match token.kind {
                Kind::Word | Kind::Quoted => {
                    let name = self.lexer.name_of(token);
                    self.advance();
                    match self.accept(Kind::Question) {
                        true => self.draft.builder.unknown_label(node, &name),
                        false => self.draft.builder.label(node, &name),
                    }
                }
                Kind::CloseBrace => (),
                _ => return Err(self.unexpected("a label")),
            }
            match self.current.kind {
                Kind::Comma => (),
                Kind::CloseBrace => {
                    self.advance();
                    return Ok(());
                }
                Kind::Word | Kind::Quoted => {
                    // A comma is missing; the labels are read on as if it were there.
                    self.unexpected("`,` or `}`");
                    self.lexer.at = self.current.span.start as usize;
                }
                _ => return Err(self.unexpected("`,` or `}`")),
            }
        }
    }

    /// Edges of a return site, or of a node that is declared elsewhere.
    fn more_edges(&mut self) -> Result<Result<(), Broken>, Limit> {
        let at = At::of(self.current);
        let is_site = match self.origin() {
            Ok(is_site) => is_site,
            Err(broken) => return Ok(Err(broken)),
        };
        self.draft.origins.push(at);
        if self.current.kind != Kind::Arrow {
            let what = if is_site { "`->`" } else { "`->` or `.`" };
            return Ok(Err(self.unexpected(what)));
        }
        self.edges()
    }

    /// Passes over what edges leave; says whether it is a return site.
    fn origin(&mut self) -> Result<bool, Broken> {
        self.name("a node, a box, a port or an edge")?;
        if !self.accept(Kind::Dot) {
            return Ok(false);
        }
        self.name("an exit of what the box calls")?;
        Ok(true)
    }

    /// The edges behind an arrow, of the last origin.
    fn edges(&mut self) -> Result<Result<(), Broken>, Limit> {
        self.advance();
        loop {
            self.meter.tick()?;
            let at = At::of(self.current);
            match self.target() {
                Ok(()) => self.draft.targets.push(at),
                Err(broken) => return Ok(Err(broken)),
            }
            self.accept(Kind::Question);
            if !self.accept(Kind::Comma) {
                return Ok(self.end_of_statement("`,` or `;`"));
            }
        }
    }

    /// Passes over what an edge leads to.
    fn target(&mut self) -> Result<(), Broken> {
        if self.word() == "return" {
            self.advance();
            self.name("an exit of this component")?;
            return Ok(());
        }
        self.name("a node, a call `box.entry` or `return exit`")?;
        if self.accept(Kind::Dot) {
            self.name("an entry of what the box calls")?;
        }
        Ok(())
    }
}
