//! Which inputs matter.

use clinch_ir::cfa::Op;

use super::{InputRequest, InputSource, Machine};

impl Machine<'_> {
    /// Whether the value of an input can be read before it is overwritten. If not, one value stands for all.
    pub fn input_matters(&self, request: &InputRequest) -> bool {
        let (InputSource::Site(_), Some(edge)) = (&request.source, request.at.edge) else { return true };
        let procedure = self.program.procedure(request.at.procedure);
        let edge = &procedure.edges[edge.index()];
        let Op::Input(symbol, _) = edge.op else { return true };
        let own = procedure.params.iter().chain(&procedure.locals).position(|&s| s == symbol);
        own.is_none_or(|variable| self.liveness()[request.at.procedure.index()].is_live(edge.to, variable))
    }
}
