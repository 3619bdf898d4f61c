//! Small plots: lines over two logarithmic axes, with a legend, as SVG.

use std::fmt::Write;

/// A line of a plot.
pub(crate) struct Line {
    pub(crate) name: String,
    /// Points (x, y), both positive.
    pub(crate) points: Vec<(f64, f64)>,
    /// What is written at the end of the line, such as that nothing larger was decided.
    pub(crate) remark: Option<String>,
}

/// What a plot shows.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    pub(crate) lines: &'a [Line],
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 60.0;
/// Told apart also by those who see red and green alike (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333"];
/// Lines that lie on each other are told apart by their marks.
const DASHES: [&str; 3] = ["none", "7 3", "2 3"];

impl Plot<'_> {
    /// The plot as the text of an SVG file.
    pub(crate) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Axis::over(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = Axis::over(points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
        );
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        text(&mut svg, LEFT, 24.0, "start", "font-size=\"15\" font-weight=\"bold\"", self.title);
        for tick in x.ticks() {
            let at = x.at(tick);
            rule(&mut svg, (at, TOP), (at, bottom));
            text(&mut svg, at, bottom + 18.0, "middle", "", &short(tick));
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            rule(&mut svg, (LEFT, at), (right, at));
            text(&mut svg, LEFT - 8.0, at + 4.0, "end", "", &short(tick));
        }
        text(&mut svg, (LEFT + right) / 2.0, HEIGHT - 16.0, "middle", "", self.x_label);
        let turned = format!("transform=\"rotate(-90 20 {0})\"", (TOP + bottom) / 2.0);
        text(&mut svg, 20.0, (TOP + bottom) / 2.0, "middle", &turned, self.y_label);
        for (i, line) in self.lines.iter().enumerate() {
            let (colour, dash) = (COLOURS[i % COLOURS.len()], DASHES[i % DASHES.len()]);
            let placed: Vec<String> = line
                .points
                .iter()
                .map(|&(px, py)| format!("{:.1},{:.1}", x.at(px), y.at(py)))
                .collect();
            let points = placed.join(" ");
            put(
                &mut svg,
                &format!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" \
                     stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
                ),
            );
            for &(px, py) in &line.points {
                let (cx, cy) = (x.at(px), y.at(py));
                let circle =
                    format!("<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"{colour}\"/>");
                put(&mut svg, &circle);
            }
            let row = TOP + 10.0 + 34.0 * i as f64;
            let (from, to) = (right + 14.0, right + 40.0);
            let sample = format!(
                "<line x1=\"{from}\" y1=\"{row}\" x2=\"{to}\" y2=\"{row}\" stroke=\"{colour}\" \
                 stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
            );
            put(&mut svg, &sample);
            text(&mut svg, to + 6.0, row + 4.0, "start", "", &line.name);
            if let Some(remark) = &line.remark {
                text(&mut svg, to + 6.0, row + 17.0, "start", "font-size=\"10\"", remark);
            }
        }
        svg + "</svg>\n"
    }
}

/// A logarithmic axis, from a value to a value and from a place to a place.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        // Some room at both ends, and for a single value.
        Axis { low: (low * 0.8).log10(), high: (high * 1.25).log10(), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// Powers of ten, and between them 2 and 5 where the axis is short.
    fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.high - self.low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let inside = |tick: &f64| (self.low..=self.high).contains(&tick.log10());
        decades
            .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
            .filter(inside)
            .collect()
    }
}

fn put(svg: &mut String, element: &str) {
    svg.push_str(element);
    svg.push('\n');
}

fn rule(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>"
    )
    .expect("a string takes all text");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, more: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222222\" {more}>{content}</text>"
    )
    .expect("a string takes all text");
}

fn short(value: f64) -> String {
    match value {
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        1.0.. => format!("{value:.0}"),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_points_and_its_name() {
        let line = |name: &str, points: &[(f64, f64)]| Line {
            name: name.to_owned(),
            points: points.to_vec(),
            remark: None,
        };
        let lines = [line("a<b", &[(1.0, 0.001), (10.0, 1.0)]), line("none", &[])];
        let plot = Plot { title: "t", x_label: "size", y_label: "seconds", lines: &lines };
        let svg = plot.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a&lt;b") && svg.contains("none") && svg.contains("0.001"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
