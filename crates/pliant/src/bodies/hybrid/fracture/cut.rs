//! Which copies of nodes, rows and skin some bricks have, given the facets that are broken among them.

use super::super::spline::{Row, Spline};
use super::Whole;
use crate::shape::{Bricks, Sets, Spot};
use std::collections::BTreeMap;

/// Some bricks that hang together.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The bricks, in order.
    pub bricks: Vec<u32>,
    /// Broken facets with both sides among them, in order.
    pub opened: Vec<u32>,
    /// For each copy of a node: the node of the whole, and the first brick that has this copy.
    pub nodes: Vec<(u32, u32)>,
    /// For each brick its copies, in the order of `Brick::nodes`.
    copies: Vec<Vec<u32>>,
    /// Points of the skin: which copy carries each, and which of its points it is. In order.
    pub spots: Vec<Spot>,
    /// Triangles between them.
    pub triangles: Vec<[u32; 3]>,
}

/// The bricks that a row of the energy lies in: those that have most of its nodes.
#[derive(Clone, Debug)]
pub struct Support {
    bricks: Vec<u32>,
    measure: f64,
}

impl Support {
    /// Of all rows.
    pub fn of_rows(bricks: &Bricks, spline: &Spline) -> Vec<Self> {
        let mut around: Vec<Vec<u32>> = vec![vec![]; bricks.offsets.len()];
        for (k, brick) in bricks.bricks.iter().enumerate() {
            brick.nodes.iter().for_each(|n| around[*n as usize].push(k as u32));
        }
        let of_row = |row: Row| {
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            for node in row.nodes {
                around[*node as usize].iter().for_each(|b| *counts.entry(*b).or_default() += 1);
            }
            let most = counts.values().copied().max().unwrap_or(0);
            let bricks_of: Vec<u32> = counts.iter().filter(|(_, n)| **n == most).map(|(b, _)| *b).collect();
            let measure = measure_of(bricks, &bricks_of);
            Self { bricks: bricks_of, measure }
        };
        spline.rows().map(of_row).collect()
    }
}

fn measure_of(bricks: &Bricks, some: &[u32]) -> f64 {
    some.iter().map(|b| bricks.bricks[*b as usize].measure).sum()
}

impl Cut {
    /// All bricks, unbroken.
    pub fn whole(bricks: &Bricks) -> Self {
        Self::new(bricks, (0..bricks.bricks.len() as u32).collect(), &[])
    }

    /// Some bricks, of which `broken` facets (in order) no longer hold. They need not hang together.
    pub fn new(bricks: &Bricks, some: Vec<u32>, broken: &[u32]) -> Self {
        let place = |brick: u32| some.binary_search(&brick).ok();
        let inner = |f: u32| {
            let [a, b] = bricks.facets[f as usize].sides;
            Some((place(a)?, place(b)?))
        };
        let opened: Vec<u32> = broken.iter().copied().filter(|f| inner(*f).is_some()).collect();
        // Copies: corners of bricks that facets which hold join around a node.
        let starts: Vec<usize> = some
            .iter()
            .scan(0, |at, b| {
                let start = *at;
                *at += bricks.bricks[*b as usize].nodes.len();
                Some(start)
            })
            .collect();
        let count = some.iter().map(|b| bricks.bricks[*b as usize].nodes.len()).sum();
        let corner = |local: usize, node: u32| {
            let nodes = &bricks.bricks[some[local] as usize].nodes;
            starts[local] + nodes.iter().position(|n| *n == node).expect("a facet has nodes of its bricks")
        };
        let mut sets = Sets::new(count);
        for f in 0..bricks.facets.len() as u32 {
            if let (Some((a, b)), Err(_)) = (inner(f), opened.binary_search(&f)) {
                let nodes = &bricks.facets[f as usize].nodes;
                nodes.iter().for_each(|n| sets.join(corner(a, *n), corner(b, *n)));
            }
        }
        // Numbered by node, then by first brick.
        let names = sets.names();
        let mut first: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let mut copies: Vec<Vec<u32>> = vec![];
        for (local, brick) in some.iter().enumerate() {
            let nodes = &bricks.bricks[*brick as usize].nodes;
            let own = &names[starts[local]..starts[local] + nodes.len()];
            own.iter().zip(nodes).for_each(|(name, node)| {
                first.entry(*name).or_insert((*node, *brick));
            });
            copies.push(own.to_vec());
        }
        let mut nodes: Vec<(u32, u32)> = first.values().copied().collect();
        nodes.sort_unstable();
        for copy in copies.iter_mut().flatten() {
            *copy = nodes.binary_search(&first[copy]).expect("every copy is listed") as u32;
        }
        let mut cut = Self { bricks: some, opened, nodes, copies, spots: vec![], triangles: vec![] };
        cut.skin(bricks);
        cut
    }

    /// The copy of a node that a brick has.
    pub fn copy(&self, bricks: &Bricks, brick: u32, node: u32) -> Option<u32> {
        let local = self.bricks.binary_search(&brick).ok()?;
        let k = bricks.bricks[brick as usize].nodes.iter().position(|n| *n == node)?;
        Some(self.copies[local][k])
    }

    /// Bricks with their copies of nodes.
    pub fn corners(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.bricks.iter().copied().zip(self.copies.iter().map(|c| &c[..]))
    }

    /// The point of the skin at a spot.
    pub fn point(&self, spot: Spot) -> Option<u32> {
        self.spots.binary_search(&spot).ok().map(|k| k as u32)
    }

    /// Cells of a solid.
    pub fn cells(&self) -> Vec<[u32; 8]> {
        self.copies.iter().filter_map(|c| c[..].try_into().ok()).collect()
    }

    /// Bricks that still hang together where `broken` facets no longer hold, each group in order.
    pub fn parts(&self, bricks: &Bricks, broken: &[u32]) -> Vec<Vec<u32>> {
        let mut sets = Sets::new(self.bricks.len());
        for (f, facet) in bricks.facets.iter().enumerate() {
            let place = |side: usize| self.bricks.binary_search(&facet.sides[side]);
            if let (Ok(a), Ok(b), Err(_)) = (place(0), place(1), broken.binary_search(&(f as u32))) {
                sets.join(a, b);
            }
        }
        let names = sets.names();
        let mut parts = vec![vec![]; names.iter().max().map_or(0, |last| *last as usize + 1)];
        names.iter().zip(&self.bricks).for_each(|(name, brick)| parts[*name as usize].push(*brick));
        parts
    }

    /// What is seen of it: the skin of its bricks, and walls where it is open.
    fn skin(&mut self, bricks: &Bricks) {
        let spot = |brick: u32, (node, k): Spot| Some((self.copy(bricks, brick, node)?, k));
        let placed = |brick: u32, t: &[Spot; 3]| -> Option<[Spot; 3]> {
            Some([spot(brick, t[0])?, spot(brick, t[1])?, spot(brick, t[2])?])
        };
        let of = |(brick, t): &(u32, [Spot; 3])| placed(*brick, t);
        let mut all: Vec<[Spot; 3]> = bricks.outside.iter().filter_map(of).collect();
        let closed = all.len();
        for (f, facet) in bricks.facets.iter().enumerate() {
            let [a, b] = facet.sides;
            for t in &facet.wall {
                let turned = [t[0], t[2], t[1]];
                match (placed(a, t), placed(b, &turned)) {
                    // Where both sides still have the same points there is nothing between them to be seen.
                    (Some(x), Some(y)) => {
                        if self.opened.binary_search(&(f as u32)).is_ok() && x != [y[0], y[2], y[1]] {
                            all.extend([x, y]);
                        }
                    }
                    (x, y) => all.extend(x.or(y)),
                }
            }
        }
        if all.len() > closed {
            all.extend(bricks.inside.iter().filter_map(of));
        }
        self.spots = all.iter().flatten().copied().collect();
        self.spots.sort_unstable();
        self.spots.dedup();
        let number = |s: Spot| self.spots.binary_search(&s).expect("every spot is listed") as u32;
        self.triangles = all.iter().map(|t| t.map(number)).collect();
    }

    /// Each copy has the share of its node's mass that its bricks have of all that meet there.
    pub fn mass(&self, whole: &Whole) -> Vec<f64> {
        let share = |b: u32| {
            let brick = &whole.bricks.bricks[b as usize];
            brick.measure / brick.nodes.len() as f64
        };
        let mut all = vec![0.0; whole.mass.len()];
        for (b, brick) in whole.bricks.bricks.iter().enumerate() {
            brick.nodes.iter().for_each(|n| all[*n as usize] += share(b as u32));
        }
        let mut own = vec![0.0; self.nodes.len()];
        for (brick, copies) in self.corners() {
            copies.iter().for_each(|c| own[*c as usize] += share(brick));
        }
        let mass =
            |(own, (node, _)): (&f64, &(u32, u32))| whole.mass[*node as usize] * (own / all[*node as usize]);
        own.iter().zip(&self.nodes).map(mass).collect()
    }

    /// The rows that are left. A row stays in every group of bricks that hangs together and has all of its nodes, with the
    /// group's share of its weight; other rows lie across a break and are deleted.
    pub fn spline(&self, whole: &Whole) -> Spline {
        let bricks = &whole.bricks;
        let mut spline = Spline::default();
        for (row, support) in whole.spline.rows().zip(&whole.support) {
            let here: Vec<u32> =
                support.bricks.iter().copied().filter(|b| self.bricks.binary_search(b).is_ok()).collect();
            let seen: Vec<Vec<Option<u32>>> =
                here.iter().map(|b| row.nodes.iter().map(|n| self.copy(bricks, *b, *n)).collect()).collect();
            let mut sets = Sets::new(here.len());
            for i in 0..here.len() {
                for j in 0..i {
                    let same = |(a, b): (&Option<u32>, &Option<u32>)| a.is_some() && a == b;
                    if seen[i].iter().zip(&seen[j]).any(same) {
                        sets.join(i, j);
                    }
                }
            }
            let names = sets.names();
            for group in 0..names.iter().max().map_or(0, |last| last + 1) {
                let members = || (0..here.len()).filter(|i| names[*i] == group);
                let nodes = (0..row.nodes.len()).map(|k| {
                    let mut copies = members().filter_map(|i| seen[i][k]);
                    let copy = copies.next()?;
                    copies.all(|c| c == copy).then_some(copy)
                });
                let Some(nodes) = nodes.collect::<Option<Vec<u32>>>() else { continue };
                let own: Vec<u32> = members().map(|i| here[i]).collect();
                let share = measure_of(bricks, &own) / support.measure;
                let terms: Vec<(u32, f64)> = nodes.into_iter().zip(row.factors.iter().copied()).collect();
                spline.push(row.order, row.weight * share, &terms);
            }
        }
        spline
    }
}
