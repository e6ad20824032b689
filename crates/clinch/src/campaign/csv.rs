//! Lines of comma-separated values, with quotes where a value has commas, quotes or ends of lines in it (RFC 4180).

/// The values of a line, or `None` if a quote is not closed.
pub(super) fn values(line: &str) -> Option<Vec<String>> {
    let (mut values, mut value, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => value.extend(rest.next()),
            '"' if quoted || value.is_empty() => quoted = !quoted,
            ',' if !quoted => values.push(std::mem::take(&mut value)),
            _ => value.push(c),
        }
    }
    values.push(value);
    (!quoted).then_some(values)
}

/// The line of some values. Ends of lines become spaces: a line is a record.
pub(super) fn line<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |value: &str| {
        let value = value.replace(['\n', '\r'], " ");
        if value.contains([',', '"']) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value }
    };
    values.into_iter().map(quoted).collect::<Vec<_>>().join(",")
}
