//! Transitions of a DVE model: one per edge that acts alone, one per pair of edges that synchronise.

use std::sync::Arc;

use clinch_ir::{Assign, Move, Program, Rhs, Source, Transition};
use clinch_terms::{ProcId, Term, Terms, VarId};

use super::ast::{Assigned, Edge, Effect, ProcessDecl, Side, Sync};
use super::expr::Lowering;
use super::scope::Names;
use super::{Declared, Parsed};
use crate::Options;
use crate::diagnostic::{Bag, Problem};
use crate::dialect::Dialect;
use crate::expr::Exprs;
use crate::options::properties;

type Result<T> = std::result::Result<T, Problem>;

/// Adds transitions and properties to the declared program.
pub(super) fn lower<'s>(parsed: &Parsed<'_, 's>, declared: Declared<'s>, options: &Options, bag: &mut Bag) -> Program {
    let &Parsed { source, exprs, model } = parsed;
    let Declared { program, names } = declared;
    let mut lowerer = Lowerer { program, names: &names, exprs, source, bag };
    let processes = model.processes.iter().enumerate();
    let parts: Vec<Vec<Part<'_>>> = processes.map(|(i, p)| lowerer.process(ProcId::from_index(i), p)).collect();
    for (sender, own) in parts.iter().enumerate() {
        for part in own {
            lowerer.transitions(part, sender, &parts);
        }
    }
    let Lowerer { mut program, .. } = lowerer;
    properties(&mut program, Dialect::Dve, options, bag, |program, exprs, id| {
        Lowering::new(program, &names, exprs, None).truth(id)
    });
    program
}

/// An edge, translated.
struct Part<'m> {
    edge: &'m Edge<'m>,
    step: Move,
    /// `P: a -> b`.
    name: String,
    guard: Term,
    effects: Vec<Assign>,
    message: Option<Message<'m>>,
}

/// Its synchronisation, translated.
enum Message<'m> {
    Send(&'m Sync<'m>, Option<Term>),
    Receive(&'m Sync<'m>, Option<(VarId, Option<Term>)>),
}

struct Lowerer<'a, 's> {
    program: Program,
    names: &'a Names<'s>,
    exprs: &'a Exprs<'s>,
    source: &'a Arc<Source>,
    bag: &'a mut Bag,
}

impl<'s> Lowerer<'_, 's> {
    /// The translated edges of a process, without those that have problems.
    fn process<'m>(&mut self, id: ProcId, decl: &'m ProcessDecl<'s>) -> Vec<Part<'m>> {
        let mut parts = Vec::with_capacity(decl.edges.len());
        for edge in &decl.edges {
            let part = self.part(id, decl, edge);
            parts.extend(self.bag.check(self.source, part));
        }
        parts
    }

    fn lowering(&mut self, process: ProcId) -> Lowering<'_, 's> {
        let (_, names) = self.names.processes.get_index(process.index()).expect("processes have names");
        Lowering::new(&mut self.program, self.names, self.exprs, Some(&names.scope))
    }

    fn part<'m>(&mut self, process: ProcId, decl: &ProcessDecl<'s>, edge: &'m Edge<'s>) -> Result<Part<'m>> {
        let (_, names) = self.names.processes.get_index(process.index()).expect("processes have names");
        let step = Move { process, from: names.state(edge.from)?, to: names.state(edge.to)? };
        let guard = match edge.guard {
            Some(guard) => self.lowering(process).truth(guard)?,
            None => self.program.terms.tt(),
        };
        let message = edge.sync.as_ref().map(|sync| self.message(process, sync)).transpose()?;
        let effects = edge.effects.iter().map(|e| self.effect(process, e)).collect::<Result<_>>()?;
        let name = format!("{}: {} -> {}", decl.name.text, edge.from.text, edge.to.text);
        Ok(Part { edge, step, name, guard, effects, message })
    }

    fn message<'m>(&mut self, process: ProcId, sync: &'m Sync<'s>) -> Result<Message<'m>> {
        let channel = sync.channel;
        if !self.names.channels.contains(channel.text) {
            return Err(Problem::new(channel.span, format!("channel `{}` is not declared", channel.text)));
        }
        let mut lowering = self.lowering(process);
        Ok(match &sync.side {
            Side::Send(value) => Message::Send(sync, value.map(|v| lowering.number(v)).transpose()?),
            Side::Receive(target) => {
                Message::Receive(sync, target.map(|t: Assigned<'_>| lowering.target(t)).transpose()?)
            }
        })
    }

    fn effect(&mut self, process: ProcId, effect: &Effect<'s>) -> Result<Assign> {
        let mut lowering = self.lowering(process);
        let (var, index) = lowering.target(effect.target)?;
        let value = lowering.number(effect.value)?;
        let value = self.wrapped(process, var, value);
        Ok(Assign { var, index, value })
    }

    fn wrapped(&mut self, process: ProcId, var: VarId, value: Term) -> Rhs {
        let domain = self.program.var(var).domain.clone();
        Rhs::Term(self.lowering(process).wrapped(&domain, value))
    }

    /// The transitions an edge takes part in, except as a receiver.
    fn transitions(&mut self, part: &Part<'_>, process: usize, parts: &[Vec<Part<'_>>]) {
        let Some(message) = &part.message else {
            let blocks = blocks(&self.program.terms, part.effects.iter().copied());
            let (name, moves) = (part.name.clone(), vec![part.step]);
            let span = part.edge.span;
            self.program.transitions.push(Transition { name, moves, guard: part.guard, blocks, span });
            return;
        };
        let Message::Send(sent, value) = message else { return };
        let others = parts.iter().enumerate().filter(|(other, _)| *other != process);
        for receiver in others.flat_map(|(_, parts)| parts) {
            if let Some(Message::Receive(received, target)) = &receiver.message
                && received.channel.text == sent.channel.text
            {
                match (value, target) {
                    (Some(value), Some((var, index))) => {
                        let value = self.wrapped(receiver.step.process, *var, *value);
                        let first = Assign { var: *var, index: *index, value };
                        self.joint(part, receiver, sent, Some(first));
                    }
                    (None, None) => self.joint(part, receiver, sent, None),
                    _ => self.bag.report(self.source, mismatch(received)),
                }
            }
        }
    }

    /// A joint step: the message, then the sender's effects, then the receiver's.
    fn joint(&mut self, sender: &Part<'_>, receiver: &Part<'_>, sync: &Sync<'_>, message: Option<Assign>) {
        let effects = sender.effects.iter().chain(&receiver.effects).copied();
        let blocks = blocks(&self.program.terms, message.into_iter().chain(effects));
        let text = &self.source.text[sync.span.start as usize..sync.span.end as usize];
        let text: Vec<&str> = text.split_whitespace().collect();
        self.program.transitions.push(Transition {
            name: format!("{} {} / {}", sender.name, text.join(" "), receiver.name),
            moves: vec![sender.step, receiver.step],
            guard: self.program.terms.and(sender.guard, receiver.guard),
            blocks,
            span: sender.edge.span,
        });
    }
}

fn mismatch(received: &Sync<'_>) -> Problem {
    let message = format!("channel `{}` carries a value on one side only", received.channel.text);
    Problem::new(received.span, message).label("this side of the synchronisation differs from the sender's")
}

/// Sequential assignments in as few blocks as possible: one joins the block before it if it neither reads nor writes
/// what that block writes.
fn blocks(terms: &Terms, assigns: impl Iterator<Item = Assign>) -> Vec<Vec<Assign>> {
    let mut blocks: Vec<Vec<Assign>> = Vec::new();
    for assign in assigns {
        let value = match assign.value {
            Rhs::Term(term) => Some(term),
            Rhs::Input => None,
        };
        let mut touched: Vec<VarId> = value.into_iter().chain(assign.index).flat_map(|t| terms.vars(t)).collect();
        touched.push(assign.var);
        match blocks.last_mut().filter(|block| !block.iter().any(|earlier| touched.contains(&earlier.var))) {
            Some(block) => block.push(assign),
            None => blocks.push(vec![assign]),
        }
    }
    blocks
}
