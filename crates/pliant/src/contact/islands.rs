//! Groups of bodies that touch each other, and colours of rows that do not.

use super::rows::Rows;
use crate::bodies::Lever;

/// Rows of one pair: they stand together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// First row.
    pub from: u32,
    /// One past the last.
    pub to: u32,
}

/// Bodies that touch each other, directly or through others.
#[derive(Clone, Debug, Default)]
pub struct Island {
    /// Groups of contact rows.
    pub groups: Vec<Group>,
    /// Control rows.
    pub controls: Vec<u32>,
    /// Number of contact rows.
    pub rows: usize,
    /// Its bodies.
    pub bodies: Vec<u32>,
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
    let contacts = rows.rows.iter().map(|r| (r.a, r.b));
    let controls = rows.controls.iter().map(|r| (r.a, r.b));
    for (a, b) in contacts.chain(controls) {
        if !matches!(a.lever, Lever::Fixed) && !matches!(b.lever, Lever::Fixed) {
            let (x, y) = (find(&mut parent, a.body), find(&mut parent, b.body));
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    (0..bodies as u32).map(|i| find(&mut parent, i)).collect()
}

/// Splits rows into islands, in the order of their first bodies.
pub fn islands(rows: &Rows, roots: &[u32]) -> Vec<Island> {
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
        let body = if matches!(row.a.lever, Lever::Fixed) { row.b.body } else { row.a.body };
        let k = island(body, &mut all);
        all[k].groups.push(Group { from: from as u32, to: to as u32 });
        all[k].rows += to - from;
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
    all
}

/// Sorts groups into colours: two groups of one colour never share a body. What does not fit into 64 colours comes
/// back apart.
pub fn colour(groups: &[Group], rows: &Rows) -> (Vec<Vec<Group>>, Vec<Group>) {
    let mut used = vec![0u64; rows.offsets.len()];
    let (mut colours, mut rest) = (vec![], vec![]);
    for group in groups {
        let row = &rows.rows[group.from as usize];
        let bodies = [row.a, row.b].map(|g| (!matches!(g.lever, Lever::Fixed)).then_some(g.body as usize));
        let taken = bodies.iter().flatten().fold(0, |mask, b| mask | used[*b]);
        let free = (!taken).trailing_zeros();
        if free >= 64 {
            rest.push(*group);
            continue;
        }
        bodies.iter().flatten().for_each(|b| used[*b] |= 1 << free);
        while colours.len() <= free as usize {
            colours.push(vec![]);
        }
        colours[free as usize].push(*group);
    }
    (colours, rest)
}
