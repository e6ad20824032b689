//! Which inputs matter.

use clinch_ir::cfa::{EdgeId, InputId, Op, ProcedureId};

use super::{InputRequest, InputSource, Machine};

impl Machine<'_> {
    /// Whether the value of an input can be read before it is overwritten. If not, one value stands for all.
    pub fn input_matters(&self, request: &InputRequest) -> bool {
        let (InputSource::Site(_), Some(edge)) = (&request.source, request.at.edge) else { return true };
        self.edge_matters(request.at.procedure, edge)
    }

    /// The same for a place in the program that takes an input.
    pub fn site_matters(&self, site: InputId) -> bool {
        self.program.procedures.iter().enumerate().any(|(index, procedure)| {
            let edges = procedure.edges.iter().enumerate();
            let mut asking = edges.filter(|(_, edge)| matches!(edge.op, Op::Input(_, asked) if asked == site));
            asking.any(|(edge, _)| self.edge_matters(ProcedureId::from_index(index), EdgeId::from_index(edge)))
        })
    }

    fn edge_matters(&self, id: ProcedureId, edge: EdgeId) -> bool {
        let procedure = self.program.procedure(id);
        let edge = &procedure.edges[edge.index()];
        let Op::Input(symbol, _) = edge.op else { return true };
        let own = procedure.params.iter().chain(&procedure.locals).position(|&s| s == symbol);
        own.is_none_or(|variable| self.liveness()[id.index()].is_live(edge.to, variable))
    }
}
