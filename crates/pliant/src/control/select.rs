//! Which points of a body a control takes.

use crate::math::Vec3;
use crate::scene::Select;
use crate::skin::Skin;

/// Corners of a skin that a selection takes, by where they are at the start.
pub(super) fn select(select: &Select, skin: &Skin) -> Vec<u32> {
    let points = &skin.points;
    let within = |axis: Vec3, d: f64| -> Vec<u32> {
        let most = points.iter().map(|p| axis.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        (0..points.len() as u32).filter(|i| axis.dot(points[*i as usize]) >= most - d).collect()
    };
    match select {
        Select::All => (0..points.len() as u32).collect(),
        Select::Top(d) => within(Vec3::Y, *d),
        Select::Bottom(d) => within(Vec3::NEG_Y, *d),
        Select::Left(d) => within(Vec3::NEG_X, *d),
        Select::Right(d) => within(Vec3::X, *d),
        Select::Nearest(p) => {
            let p = Vec3::from(*p);
            let nearest = (0..points.len() as u32).min_by(|i, j| {
                points[*i as usize].distance_squared(p).total_cmp(&points[*j as usize].distance_squared(p))
            });
            nearest.into_iter().collect()
        }
        Select::Box { low, high } => {
            let (low, high) = (Vec3::from(*low), Vec3::from(*high));
            let inside = |p: Vec3| p.cmpge(low).all() && p.cmple(high).all();
            (0..points.len() as u32).filter(|i| inside(points[*i as usize])).collect()
        }
        Select::Ball { centre, radius } => {
            let c = Vec3::from(*centre);
            (0..points.len() as u32).filter(|i| points[*i as usize].distance(c) <= *radius).collect()
        }
        Select::Painted { channel, least } => {
            let strong = |paint: &[f32; 3]| f64::from(paint[*channel as usize]) >= *least;
            let painted = skin.form.paint.iter().enumerate().filter(|(_, paint)| strong(paint));
            painted.map(|(i, _)| i as u32).collect()
        }
    }
}

/// What is wrong with a selection without points.
pub(super) fn nothing_selected(select: &Select, skin: &Skin) -> String {
    let Select::Painted { channel, .. } = select else {
        return "selects no point of the body; give a larger distance or radius".into();
    };
    let strengths = skin.form.paint.iter().map(|paint| paint[*channel as usize]);
    match strengths.reduce(f32::max) {
        Some(most) => format!(
            "selects no point of the body: the strongest paint of this channel is {most}; give a smaller `least` or another \
             `channel`"
        ),
        None => "nothing is painted on the body; give it a `mesh` with vertex colours, as OBJ, PLY and GLB can have".into(),
    }
}

/// At most `most` of the corners, far from each other: enough to hold what stays flat.
pub(super) fn spread_out(corners: &[u32], skin: &Skin, most: usize) -> Vec<u32> {
    let mut kept = vec![corners[0]];
    while kept.len() < most.min(corners.len()) {
        let room = |i: &u32| {
            let d = kept.iter().map(|k| skin.points[*k as usize].distance_squared(skin.points[*i as usize]));
            d.fold(f64::INFINITY, f64::min)
        };
        match corners.iter().filter(|i| !kept.contains(i)).max_by(|i, j| room(i).total_cmp(&room(j))) {
            Some(i) => kept.push(*i),
            None => break,
        }
    }
    kept
}
