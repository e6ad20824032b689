//! For tests of engines that look for an answer together: a program that keeps them busy, and what two runs have in common.

use serde_json::Value;

/// A C program whose proof needs bits, so that every engine goes through several rounds, and hears what the others tell in between.
/// It is safe if `rest` is 0, and unsafe otherwise.
pub fn bits(rest: u32) -> String {
    format!(
        "extern unsigned __VERIFIER_nondet_uint(void);
        extern void reach_error(void);
        int main(void) {{
            unsigned x = __VERIFIER_nondet_uint() & ~3u, y = 8, n = __VERIFIER_nondet_uint();
            while (n != 0) {{ x = x + 4; y = (y ^ x) & ~3u; n--; }}
            if ((x & 3) != {rest} || (y & 1) == 1) reach_error();
            return 0;
        }}"
    )
}

/// A report without what was measured in seconds.
pub fn without_times(value: Value) -> Value {
    let is_time = |name: &str| name.ends_with("seconds") || name.ends_with("_s") || name.ends_with("time");
    match value {
        Value::Object(fields) => {
            let lasting = fields.into_iter().filter(|(name, _)| !is_time(name));
            Value::Object(lasting.map(|(name, value)| (name, without_times(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_times).collect()),
        other => other,
    }
}
