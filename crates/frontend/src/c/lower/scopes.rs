//! The life of local objects.
//!
//! An object lives from its declaration to the end of its block. Where a jump may pass by the declaration the object lives
//! during the whole call.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, ObjectId, Op, Target};
use clinch_terms::Symbol;

use super::super::hir::{LabelId, Stmt, VariableId};
use super::Lowering;
use super::body::{End, Scope};

fn block_key(body: &[Stmt]) -> usize {
    body.as_ptr().addr()
}

impl Lowering<'_> {
    pub(super) fn open_scope(&mut self, body: &[Stmt]) {
        self.body.scopes.push(Scope { block: block_key(body), ends: Vec::new() });
    }

    /// Ends the life of the objects of the innermost block.
    pub(super) fn close_scope(&mut self, span: Span) {
        let depth = self.body.scopes.len().saturating_sub(1);
        self.leave_scopes(depth, span);
        self.body.scopes.pop();
    }

    /// Lets the objects of the innermost block live as long as the block around it.
    pub(super) fn merge_scope(&mut self) {
        if let Some(inner) = self.body.scopes.pop()
            && let Some(outer) = self.body.scopes.last_mut()
        {
            outer.ends.extend(inner.ends);
        }
    }

    pub(super) fn scope_is_empty(&self) -> bool {
        self.body.scopes.last().is_none_or(|s| s.ends.is_empty())
    }

    /// Does what is to be done at the end of all blocks but the outer `depth`, which stay open.
    pub(super) fn leave_scopes(&mut self, depth: usize, span: Span) {
        let ends: Vec<End> =
            self.body.scopes[depth..].iter().rev().flat_map(|s| s.ends.iter().rev().copied()).collect();
        self.end(&ends, span);
    }

    fn end(&mut self, ends: &[End], span: Span) {
        let hir = self.hir;
        for &end in ends {
            match end {
                End::Object(object) => self.body.emit(Op::Leave(object), span),
                End::Cleanup(call) => self.effect(&hir.cleanups[call]),
                End::Block(symbol) => self.mark_end(symbol, span),
            }
        }
    }

    /// The life of an object that was made at run time ends with the innermost block, for those who look.
    pub(super) fn ends_with_block(&mut self, address: Symbol) {
        if self.ranges.is_some()
            && let Some(scope) = self.body.scopes.last_mut()
            && !scope.ends.contains(&End::Block(address))
        {
            scope.ends.push(End::Block(address));
        }
    }

    fn mark_end(&mut self, address: Symbol, span: Span) {
        if let Some(ranges) = self.ranges {
            let (address, value) = (self.terms.symbol(address), self.address(0));
            self.body.emit(Op::Assign(vec![Assign { target: Target::Cell(ranges.ended, address), value }]), span);
        }
    }

    /// A call that is made when the innermost block ends.
    pub(super) fn cleanup(&mut self, call: usize) {
        if let Some(scope) = self.body.scopes.last_mut() {
            scope.ends.push(End::Cleanup(call));
        }
    }

    pub(super) fn scope_has_cleanup(&self) -> bool {
        self.body.scopes.last().is_some_and(|s| s.ends.iter().any(|e| matches!(e, End::Cleanup(_))))
    }

    /// The life of an object begins.
    pub(super) fn enter(&mut self, object: ObjectId, span: Span) {
        self.body.emit(Op::Enter(object), span);
        if let Some(scope) = self.body.scopes.last_mut()
            && !scope.ends.contains(&End::Object(object))
        {
            scope.ends.push(End::Object(object));
        }
    }

    /// Leaves the blocks that a label is not in.
    pub(super) fn leave_for(&mut self, label: LabelId, span: Span) {
        // A label in a statement expression: it is only reached from inside.
        let Some(around) = self.body.label_blocks.get(&label).cloned() else { return };
        // The scope of the parameters is around everything.
        let open = self.body.scopes.iter().skip(1).zip(&around).take_while(|(s, b)| s.block == **b).count() + 1;
        self.leave_scopes(open.min(self.body.scopes.len()), span);
        if open == around.len() + 1
            && let (Some(scope), Some(&before)) = (self.body.scopes.get(around.len()), self.body.label_ends.get(&label))
        {
            // Back before declarations of the label's own block: objects live on, but what cleans up is called.
            let later = scope.ends.iter().skip(before).rev();
            let cleanups: Vec<End> = later.filter(|end| matches!(end, End::Cleanup(_))).copied().collect();
            self.end(&cleanups, span);
        }
    }

    /// Finds the blocks around each label, and the declarations that a jump may pass by.
    pub(super) fn scan(&mut self, body: &[Stmt]) {
        let mut scan = Scan::default();
        scan.block(body);
        self.body.whole_call = scan.passed_by().into_iter().collect();
        self.body.label_blocks = scan.labels.into_iter().map(|(label, blocks, _)| (label, blocks)).collect();
    }
}

/// Looks at all statements of a function.
#[derive(Default)]
struct Scan {
    blocks: Vec<usize>,
    /// Declared so far in the open blocks.
    declared: Vec<VariableId>,
    /// How many of them stand outside of the innermost `switch`.
    outside: usize,
    /// With the blocks around them and what is declared there.
    labels: Vec<(LabelId, Vec<usize>, Vec<VariableId>)>,
    jumps: Vec<(LabelId, Vec<VariableId>)>,
    passed: Vec<VariableId>,
}

impl Scan {
    fn block(&mut self, body: &[Stmt]) {
        self.blocks.push(block_key(body));
        let declared = self.declared.len();
        for statement in body {
            self.statement(statement);
        }
        self.declared.truncate(declared);
        self.blocks.pop();
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Declare(variable, ..) => self.declared.push(*variable),
            Stmt::Switch(_, body) => {
                let outside = std::mem::replace(&mut self.outside, self.declared.len());
                self.block(body);
                self.outside = outside;
            }
            Stmt::Block(body) | Stmt::While(_, body) | Stmt::DoWhile(body, _) | Stmt::For { body, .. } => {
                self.block(body);
            }
            Stmt::If(_, then, otherwise) => {
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Label(label, _) => self.labels.push((*label, self.blocks.clone(), self.declared.clone())),
            Stmt::Goto(label, _) => self.jumps.push((*label, self.declared.clone())),
            Stmt::Case(..) | Stmt::Default(_) => self.passed.extend(&self.declared[self.outside..]),
            _ => {}
        }
    }

    /// What is declared at a label, but not where a jump to it comes from.
    fn passed_by(&self) -> Vec<VariableId> {
        let mut passed = self.passed.clone();
        for (label, _, declared) in &self.labels {
            for (_, known) in self.jumps.iter().filter(|(to, _)| to == label) {
                passed.extend(declared.iter().filter(|v| !known.contains(v)));
            }
        }
        passed
    }
}
