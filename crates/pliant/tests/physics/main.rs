//! The engine against physics: closed forms, conservation laws, and that nothing ever intersects.

#[path = "../support/mod.rs"]
mod support;

mod clay;
mod collisions;
mod control;
mod elastic;
mod fold;
mod fracture;
mod friction;
mod hybrid;
mod joints;
mod lattice;
mod laws;
mod mixed;
mod piles;
mod random;
mod rigid;
mod rod;
mod stiff;
mod untangle;
