//! Constrained minima by each method.

use crate::constraint::{Augmented, Function, Lagrange, Penalty, Problem, Slack};

/// `[PB88]` Eq. 11: the square of the distance from the origin.
fn square(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * x);
    x.iter().map(|x| x * x).sum()
}

fn on_the_line(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient[..2].fill(1.0);
    x[0] + x[1] - 1.0
}

/// `(x + 1)^2`, to be minimised with `x >= 0`: the minimum is at the limit, pressed onto it with 2.
fn left_of_the_limit(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient[0] = 2.0 * (x[0] + 1.0);
    (x[0] + 1.0).powi(2)
}

fn first(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient[0] = 1.0;
    x[0]
}

#[test]
fn penalty_misses_the_line_by_one_over_its_strength() {
    let problem = Problem::new(&square).equal(&on_the_line);
    for strength in [1.0, 10.0, 100.0, 1000.0] {
        let band = Penalty { strength };
        let mut x = [3.0, -1.0];
        for _ in 0..100 * (1 + strength as usize) {
            band.step(&problem, &mut x, 0.2 / (1.0 + strength));
        }
        // 2 x + 2 c (2 x - 1) = 0, so x + y - 1 = -1/(1 + 2 c).
        let miss = -1.0 / (1.0 + 2.0 * strength);
        assert!((problem.values(&x)[0] - miss).abs() < 1e-12, "{strength}: {x:?}");
        let slope = band.force(&problem, &x);
        assert!(slope.iter().all(|f| f.abs() < 1e-9), "{slope:?}");
        assert!(band.energy(&problem, &x) < band.energy(&problem, &[0.5, 0.5]));
    }
}

#[test]
fn multipliers_find_the_nearest_point_of_the_line_and_its_force() {
    let problem = Problem::new(&square).equal(&on_the_line);
    let mut basic = Lagrange::new(&problem);
    let mut augmented = Augmented::new(&problem, 1.0);
    let (mut x, mut y) = ([3.0, -1.0], [3.0, -1.0]);
    for _ in 0..8000 {
        basic.step(&problem, &mut x, 0.01);
        augmented.step(&problem, &mut y, 0.01);
    }
    for (x, lambda) in [(x, basic.multipliers()[0]), (y, augmented.multipliers()[0])] {
        assert!((x[0] - 0.5).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12, "{x:?}");
        assert!((lambda + 1.0).abs() < 1e-12, "{lambda}");
    }
}

/// `[PB88]` Eq. 15 and 16 against Eq. 17 and 18.
#[test]
fn descent_in_the_multiplier_runs_away_and_ascent_converges() {
    let problem = Problem::new(&square).equal(&on_the_line);
    let distance = |rate: f64| {
        let mut method = Lagrange::new(&problem);
        method.rate = rate;
        // As near to the solution as may be, and still the wrong sign leaves it.
        let mut x = [0.5 + 1e-6, 0.5];
        for _ in 0..3000 {
            method.step(&problem, &mut x, 0.01);
        }
        (x[0] - 0.5).hypot(x[1] - 0.5)
    };
    assert!(distance(-1.0) > 1e3, "{}", distance(-1.0));
    assert!(distance(1.0) < 1e-9, "{}", distance(1.0));
}

/// The augmented form converges where the basic one swings for ever: no energy damps along the condition.
#[test]
fn rubber_bands_damp_where_the_energy_does_not() {
    let flat = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 3.0;
        3.0 * x[0]
    };
    let problem = Problem::new(&flat).equal(&first);
    let (mut basic, mut augmented) = (Lagrange::new(&problem), Augmented::new(&problem, 2.0));
    let (mut x, mut y) = ([1.0], [1.0]);
    let mut farthest = 0.0f64;
    for i in 0..20_000 {
        basic.step(&problem, &mut x, 0.01);
        augmented.step(&problem, &mut y, 0.01);
        farthest = if i < 10_000 { 0.0 } else { farthest.max(x[0].abs()) };
    }
    assert!(farthest > 1.0, "{farthest}");
    assert!(y[0].abs() < 1e-12 && (augmented.multipliers()[0] + 3.0).abs() < 1e-12);
}

#[test]
fn several_conditions_are_met_at_once() {
    let plane = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[1.0, 1.0, 1.0]);
        x.iter().sum::<f64>() - 3.0
    };
    let sphere = |x: &[f64], gradient: &mut [f64]| {
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * x);
        x.iter().map(|x| x * x).sum::<f64>() - 9.0
    };
    let height = |x: &[f64], gradient: &mut [f64]| {
        gradient[2] = 1.0;
        x[2]
    };
    let problem = Problem::new(&height).equal(&plane).equal(&sphere);
    let mut method = Augmented::new(&problem, 1.0);
    let mut x = [2.0, 1.0, 0.0];
    for _ in 0..40_000 {
        method.step(&problem, &mut x, 0.005);
    }
    // The lowest point of the circle with centre (1, 1, 1) and radius sqrt 6 in the plane x + y + z = 3.
    let low = [2.0, 2.0, -1.0];
    assert!(x.iter().zip(low).all(|(x, l)| (x - l).abs() < 1e-9), "{x:?}");
}

/// `[PB88]` Eq. 85: `x = 0` and `x = 1` at once.
#[test]
fn contradicting_conditions_settle_at_the_compromise_with_bounded_multipliers() {
    let one = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0;
        x[0] - 1.0
    };
    let nothing = |_: &[f64], _: &mut [f64]| 0.0;
    let problem = Problem::new(&nothing).equal(&first).equal(&one);
    let run = |limit: f64, steps: usize| {
        let mut method = Augmented::new(&problem, 1.0);
        method.limit = limit;
        let mut x = [3.0];
        for _ in 0..steps {
            method.step(&problem, &mut x, 0.01);
        }
        (x[0], method.multipliers().to_vec())
    };
    let (x, multipliers) = run(20.0, 20_000);
    assert!((x - 0.5).abs() < 1e-12, "{x}");
    assert_eq!(multipliers, [20.0, -20.0]);
    let (short, long) = (run(f64::INFINITY, 20_000).1[0], run(f64::INFINITY, 40_000).1[0]);
    // They grow by half a unit per unit of time.
    assert!((long - short - 100.0).abs() < 1e-6, "{short} {long}");
}

#[test]
fn one_sided_multiplier_reaches_the_limit_exactly_and_lets_go_of_what_is_inside() {
    let problem = Problem::new(&left_of_the_limit).at_least(&first);
    let mut method = Augmented::new(&problem, 5.0);
    method.multiplier_time = 1.0;
    let mut x = [0.5];
    for _ in 0..30_000 {
        method.step(&problem, &mut x, 0.002);
    }
    assert!(x[0].abs() < 1e-12 && (method.multipliers()[0] - 2.0).abs() < 1e-12, "{x:?} {method:?}");

    let beyond = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0;
        x[0] + 3.0
    };
    let problem = Problem::new(&left_of_the_limit).at_least(&beyond);
    let mut method = Augmented::new(&problem, 5.0);
    let mut x = [-4.0];
    for _ in 0..30_000 {
        method.step(&problem, &mut x, 0.002);
    }
    assert!((x[0] + 1.0).abs() < 1e-4 && method.multipliers()[0] < 1e-4, "{x:?} {method:?}");
}

#[test]
fn basic_multiplier_of_an_inequality_pushes_only() {
    let problem = Problem::new(&left_of_the_limit).at_least(&first);
    let mut method = Lagrange::new(&problem);
    let mut x = [0.5];
    for _ in 0..10_000 {
        method.step(&problem, &mut x, 0.005);
        assert!(method.multipliers()[0] >= 0.0);
    }
    assert!(x[0].abs() < 1e-9 && (method.multipliers()[0] - 2.0).abs() < 1e-9, "{x:?} {method:?}");
}

/// `[PB88]` Eq. 22, on both sides of the limit.
#[test]
fn slack_variable_reaches_the_limit_and_measures_the_room_inside() {
    let positive = Slack { inequality: first, at: 1 };
    let problem = Problem::new(&left_of_the_limit).equal(&positive);
    let mut method = Augmented::new(&problem, 5.0);
    method.multiplier_time = 1.0;
    let mut state = [0.5, 1.0];
    for _ in 0..30_000 {
        method.step(&problem, &mut state, 0.002);
    }
    assert!(state[0].abs() < 1e-12 && (method.multipliers()[0] + 2.0).abs() < 1e-12, "{state:?}");

    let right = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 2.0 * (x[0] - 4.0);
        (x[0] - 4.0).powi(2)
    };
    let problem = Problem::new(&right).equal(&positive);
    let mut method = Augmented::new(&problem, 5.0);
    method.multiplier_time = 1.0;
    let mut state = [0.5, 1.0];
    for _ in 0..60_000 {
        method.step(&problem, &mut state, 0.001);
    }
    // Nothing presses: the multiplier is 0 and the slack is the root of the room.
    assert!((state[0] - 4.0).abs() < 1e-9 && (state[1] - 2.0).abs() < 1e-9, "{state:?}");
}

/// `[PB88]` Eq. 23 with its side put right: the square of the violation as an equality.
#[test]
fn squared_inequality_does_not_reach_the_limit_and_its_multiplier_grows_for_ever() {
    let squared = |x: &[f64], gradient: &mut [f64]| {
        let h = x[0].min(0.0);
        gradient[0] = 2.0 * h;
        h * h
    };
    let problem = Problem::new(&left_of_the_limit).equal(&squared as &dyn Function);
    let mut method = Augmented::new(&problem, 5.0);
    let mut x = [0.5];
    let mut seen = vec![];
    for time in [60, 180, 720] {
        for _ in 0..time * 500 {
            method.step(&problem, &mut x, 0.002);
        }
        seen.push((x[0], method.multipliers()[0]));
    }
    // Numbers of the checked equations at 60, 240 and 960 s, made with another program.
    for ((x, lambda), (x0, lambda0)) in seen.iter().zip([(-0.18, 4.0), (-0.11, 7.8), (-0.07, 13.0)]) {
        assert!((x - x0).abs() < 0.01, "{x} for {x0}");
        assert!((lambda / lambda0 - 1.0).abs() < 0.15, "{lambda} for {lambda0}");
    }
}
