//! Groups of bodies that touch each other, and colours of lines that do not.

use super::line::Line;
use super::rows::{Grip, Rows};
use std::ops::Range;

/// Islands with at least this many rows are swept by colours.
const LARGE: usize = 256;

/// Bodies that touch each other, directly or through others.
#[derive(Clone, Debug, Default)]
pub struct Island {
    /// Its lines.
    pub lines: Range<usize>,
    /// Those of its lines that found no colour.
    pub alone: Range<usize>,
    /// Its other lines, colour by colour: two pairs of one colour never share a body.
    pub colours: Vec<Colour>,
    /// Control rows.
    pub controls: Vec<u32>,
    /// Its bodies.
    pub bodies: Vec<u32>,
    /// Pairs: runs of rows.
    pairs: Vec<Range<u32>>,
}

/// Lines that may be swept side by side.
#[derive(Clone, Debug)]
pub struct Colour {
    lines: Range<usize>,
    /// Where groups of pairs begin; only large islands have it.
    starts: Vec<u32>,
}

impl Island {
    /// Whether several threads may sweep it.
    pub fn is_large(&self) -> bool {
        self.lines.len() >= LARGE
    }

    /// Where the part of worker `at` begins: always at a group of pairs.
    pub fn cut(&self, colour: &Colour, at: usize, workers: usize) -> usize {
        if at == 0 {
            return colour.lines.start;
        }
        let group = colour.starts.len() * at / workers;
        if at == workers {
            colour.lines.end
        } else {
            colour.starts.get(group).map_or(colour.lines.end, |s| *s as usize)
        }
    }
}

/// The root of each body's island: bodies with the same root belong together.
pub fn roots(rows: &Rows, bodies: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..bodies as u32).collect();
    fn find(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    let contacts = rows.rows.iter().map(|r| (&r.a, &r.b));
    let controls = rows.controls.iter().map(|r| (&r.a, &r.b));
    for (a, b) in contacts.chain(controls) {
        if !a.is_fixed() && !b.is_fixed() {
            let (x, y) = (find(&mut parent, a.body), find(&mut parent, b.body));
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    (0..bodies as u32).map(|i| find(&mut parent, i)).collect()
}

/// Splits rows into islands, in the order of their first bodies, and lays out their lines in the order of sweeping.
pub fn islands(rows: &Rows, roots: &[u32]) -> (Vec<Island>, Vec<Line>) {
    let mut of_root: Vec<u32> = vec![u32::MAX; roots.len()];
    let mut all: Vec<Island> = vec![];
    let mut island = |body: u32, all: &mut Vec<Island>| {
        let root = roots[body as usize] as usize;
        if of_root[root] == u32::MAX {
            of_root[root] = all.len() as u32;
            all.push(Island::default());
        }
        of_root[root] as usize
    };
    let mut from = 0;
    while from < rows.rows.len() {
        let row = &rows.rows[from];
        let to = from + rows.rows[from..].iter().take_while(|r| r.pair == row.pair).count();
        let body = if row.a.is_fixed() { row.b.body } else { row.a.body };
        let k = island(body, &mut all);
        all[k].pairs.push(from as u32..to as u32);
        from = to;
    }
    for (i, row) in rows.controls.iter().enumerate() {
        let k = island(row.a.body, &mut all);
        all[k].controls.push(i as u32);
    }
    for (body, root) in roots.iter().enumerate() {
        let k = of_root[*root as usize];
        if k != u32::MAX {
            all[k as usize].bodies.push(body as u32);
        }
    }
    let mut lines = Vec::with_capacity(rows.rows.len());
    let mut used = vec![0u64; rows.offsets.len()];
    all.iter_mut().for_each(|island| lay_out(island, rows, &mut used, &mut lines));
    (all, lines)
}

fn lay_out(island: &mut Island, rows: &Rows, used: &mut [u64], lines: &mut Vec<Line>) {
    let first = lines.len();
    let add = |pair: &Range<u32>, lines: &mut Vec<Line>| {
        lines.extend(pair.clone().map(|k| Line::new(&rows.rows[k as usize], k)));
    };
    let count: usize = island.pairs.iter().map(|p| p.len()).sum();
    if count < LARGE {
        island.pairs.iter().for_each(|p| add(p, lines));
        island.colours = vec![Colour { lines: first..lines.len(), starts: vec![] }];
        island.alone = first..first;
    } else {
        let (colours, alone) = colour(&island.pairs, rows, used);
        alone.iter().for_each(|p| add(p, lines));
        island.alone = first..lines.len();
        for pairs in colours {
            let (from, mut starts) = (lines.len(), Vec::with_capacity(pairs.len()));
            for some in pairs.chunks(BESIDE) {
                starts.push(lines.len() as u32);
                beside(some, lines, rows);
            }
            island.colours.push(Colour { lines: from..lines.len(), starts });
        }
    }
    island.lines = first..lines.len();
}

/// Pairs whose lines alternate. Lines of one pair wait for each other; those of another can be worked on meanwhile, even
/// by one thread.
const BESIDE: usize = 4;

/// Appends the lines of pairs that share no body: the first of each, the second of each, and so on.
fn beside(pairs: &[Range<u32>], lines: &mut Vec<Line>, rows: &Rows) {
    let most = pairs.iter().map(|p| p.len() as u32).max().unwrap_or(0);
    for k in 0..most {
        for pair in pairs.iter().filter(|p| k < p.len() as u32) {
            let row = pair.start + k;
            lines.push(Line::new(&rows.rows[row as usize], row));
        }
    }
}

/// Sorts pairs into colours. What does not fit into 64 colours comes back apart.
fn colour(pairs: &[Range<u32>], rows: &Rows, used: &mut [u64]) -> (Vec<Vec<Range<u32>>>, Vec<Range<u32>>) {
    let (mut colours, mut rest) = (vec![], vec![]);
    for pair in pairs {
        let row = &rows.rows[pair.start as usize];
        let body = |g: &Grip| (!g.is_fixed()).then_some(g.body as usize);
        let bodies = [body(&row.a), body(&row.b)];
        let taken = bodies.iter().flatten().fold(0, |mask, b| mask | used[*b]);
        let free = (!taken).trailing_zeros();
        if free >= 64 {
            rest.push(pair.clone());
            continue;
        }
        bodies.iter().flatten().for_each(|b| used[*b] |= 1 << free);
        while colours.len() <= free as usize {
            colours.push(vec![]);
        }
        colours[free as usize].push(pair.clone());
    }
    (colours, rest)
}
