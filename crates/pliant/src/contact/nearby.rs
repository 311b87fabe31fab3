//! Velocities are solved again only near new contacts: in a large pile the rest is in order already.

use super::line::Line;
use super::rows::{Grip, Rows};

const SWEEPS: u32 = 12;
/// Changes of velocity below this share of the largest do not spread to the neighbours.
const SPREAD: f64 = 0.05;

/// Sweeps the rows of some bodies, and those of neighbours that this sets in motion, from the impulses they have;
/// returns the work of all contacts.
pub fn solve_near(rows: &mut Rows, bodies: &[u32]) -> f64 {
    let mut marked = vec![false; rows.offsets.len()];
    bodies.iter().for_each(|b| marked[*b as usize] = true);
    let mut listed = vec![false; rows.rows.len()];
    let mut lines: Vec<Line> = vec![];
    let mut grown = true;
    let mut largest = 0.0f64;
    for sweep in 0..SWEEPS {
        if std::mem::take(&mut grown) {
            let touches = |g: &Grip| !g.is_fixed() && marked[g.body as usize];
            for (k, row) in rows.rows.iter().enumerate() {
                if !listed[k] && (touches(&row.a) || touches(&row.b)) {
                    listed[k] = true;
                    lines.push(Line::new(row, k as u32));
                }
            }
        }
        let v = rows.velocities();
        let mut most = 0.0f64;
        for i in 0..lines.len() {
            let k = if sweep % 2 == 0 { i } else { lines.len() - 1 - i };
            let change = v.relax(&mut lines[k]);
            most = most.max(change);
            if change > SPREAD * largest {
                for grip in [lines[k].a, lines[k].b] {
                    if !grip.is_fixed() && !std::mem::replace(&mut marked[grip.body as usize], true) {
                        grown = true;
                    }
                }
            }
        }
        largest = largest.max(most);
        if most <= 1e-3 * largest {
            break;
        }
    }
    for line in &lines {
        rows.rows[line.row as usize].lambda = line.lambda;
    }
    let after = |g: &Grip| rows.point_velocity(g, &rows.store);
    rows.rows.iter().map(|r| 0.5 * r.impulse().dot(after(&r.a) - after(&r.b) - r.drive + r.before)).sum()
}
