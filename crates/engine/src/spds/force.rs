//! FORCE: an order in which what belongs together is close together (Aloul, Markov, Sakallah, 2003).

/// Rounds at most.
const ROUNDS: usize = 200;
/// Rounds without progress after which there will be none.
const PATIENCE: usize = 10;

/// Orders the numbers below `count` such that the sets in `edges` have short spans. What is in no set comes last, as it was.
pub(super) fn order(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = by_first_edge(count, edges);
    let (mut best, mut least) = (order.clone(), span(&order, edges));
    let mut since = 0;
    for _ in 0..ROUNDS {
        order = pulled(&order, edges);
        let now = span(&order, edges);
        if now < least {
            (best, least, since) = (order.clone(), now, 0);
        } else {
            since += 1;
            if since > PATIENCE {
                break;
            }
        }
    }
    best
}

/// The members of the first set, then those of the second that are new, and so on.
fn by_first_edge(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; count];
    let all = edges.iter().flatten().copied().chain(0..count);
    all.filter(|&v| !std::mem::replace(&mut seen[v], true)).collect()
}

fn positions(order: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &v)| positions[v] = at);
    positions
}

/// The sum of the distances between the first and the last member of each set.
fn span(order: &[usize], edges: &[Vec<usize>]) -> usize {
    let at = positions(order);
    let span = |edge: &Vec<usize>| {
        let places = edge.iter().map(|&v| at[v]);
        places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
    };
    edges.iter().map(span).sum()
}

/// Each member goes to the middle of the centres of its sets.
fn pulled(order: &[usize], edges: &[Vec<usize>]) -> Vec<usize> {
    let at = positions(order);
    let mut pull = vec![(0.0, 0_u32); order.len()];
    for edge in edges.iter().filter(|e| !e.is_empty()) {
        let centre = edge.iter().map(|&v| at[v] as f64).sum::<f64>() / edge.len() as f64;
        for &v in edge {
            pull[v].0 += centre;
            pull[v].1 += 1;
        }
    }
    let goal = |v: usize| match pull[v] {
        (_, 0) => f64::INFINITY,
        (sum, sets) => sum / f64::from(sets),
    };
    let mut order = order.to_vec();
    order.sort_by(|&a, &b| goal(a).total_cmp(&goal(b)));
    order
}

#[cfg(test)]
mod tests {
    use super::{order, span};

    /// The links of a chain, in a bad order.
    #[test]
    fn a_chain_is_a_chain() {
        let links: Vec<Vec<usize>> = (0..20).map(|i| vec![(8 * i) % 21, (8 * i + 8) % 21, 21 + i]).collect();
        let before: Vec<usize> = (0..41).collect();
        let after = order(41, &links);
        assert!(span(&after, &links) * 4 < span(&before, &links), "{after:?}");
        let mut sorted = after.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, before);
    }

    #[test]
    fn nothing_keeps_its_order() {
        assert_eq!(order(3, &[]), [0, 1, 2]);
        assert_eq!(order(0, &[]), [] as [usize; 0]);
    }
}
