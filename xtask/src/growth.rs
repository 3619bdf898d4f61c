//! How fast something grows, by least squares: the exponent e in cost = c · size^e, on logarithms;
//! and the slope b in cost = a + b · size.

/// The exponent that fits points (size, cost) best; `None` for fewer than two sizes.
pub(crate) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|&&(size, cost)| size > 0.0 && cost > 0.0)
        .map(|&(size, cost)| (size.ln(), cost.ln()))
        .collect();
    slope(&logs)
}

/// The slope of the line that fits points best; `None` for fewer than two places.
pub(crate) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let joint: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (points.len() >= 2 && spread > 0.0).then(|| joint / spread)
}

/// The geometric mean; `None` of nothing.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_recognised() {
        let square: Vec<_> = [1.0, 2.0, 4.0, 8.0].map(|x| (x, 3.0 * x * x)).to_vec();
        assert!((exponent(&square).expect("points") - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&square[..1]), None);
        let line: Vec<_> = [1.0, 2.0, 4.0].map(|x| (x, 100.0 + 7.0 * x)).to_vec();
        assert!((slope(&line).expect("points") - 7.0).abs() < 1e-9);
        assert_eq!(slope(&line[..1]), None);
        assert_eq!(exponent(&[(2.0, 1.0), (2.0, 3.0)]), None);
        assert!((geometric_mean(&[2.0, 8.0]).expect("values") - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean(&[]), None);
    }
}
