//! All problems, one file each.

mod axial_vibration;
mod bar_hits_wall;
mod bending_vibration;
mod block_on_slope;
mod cantilever_against_codes;
mod cantilever_large;
mod cantilever_small;
mod clay_contact;
mod coat_volume;
mod compound_pendulum;
mod conditioning_with_rigidity;
mod critical_damping;
mod damping_ratio;
mod dimer;
mod flow_stress;
mod free_flight_of_all_kinds;
mod hanging_bar;
mod impact_energy_loss;
mod inelastic_impact;
mod jello_drop;
mod lateral_contraction;
mod masonry_arch;
mod moulded_bar;
mod path_under_gravity;
mod penalty_and_reaction_steps;
mod reduced_bar_modes;
mod rigid_limit;
mod rolling_ball;
mod rotating_bar;
mod rotation_order;
mod sliding_stop;
mod spinning_top;
mod squashed_block;
mod tapered_membrane;
mod terminal_velocity;
mod toppling_block;
mod torque_free_body;
mod turek_hron_csm;
mod turntable;
mod weight_on_the_floor;

use crate::problem::Problem;

macro_rules! list {
    ($($name:ident),* $(,)?) => {
        &[$((stringify!($name), $name::PROBLEM)),*]
    };
}

/// Every problem with its name. Those that take longest come first, so that none is left to the end.
pub const ALL: &[(&str, Problem)] = list![
    cantilever_against_codes,
    turek_hron_csm,
    jello_drop,
    masonry_arch,
    tapered_membrane,
    bending_vibration,
    axial_vibration,
    bar_hits_wall,
    block_on_slope,
    cantilever_large,
    cantilever_small,
    clay_contact,
    coat_volume,
    compound_pendulum,
    conditioning_with_rigidity,
    critical_damping,
    damping_ratio,
    dimer,
    flow_stress,
    free_flight_of_all_kinds,
    hanging_bar,
    impact_energy_loss,
    inelastic_impact,
    lateral_contraction,
    moulded_bar,
    path_under_gravity,
    penalty_and_reaction_steps,
    reduced_bar_modes,
    rigid_limit,
    rolling_ball,
    rotating_bar,
    rotation_order,
    sliding_stop,
    spinning_top,
    squashed_block,
    terminal_velocity,
    toppling_block,
    torque_free_body,
    turntable,
    weight_on_the_floor,
];
