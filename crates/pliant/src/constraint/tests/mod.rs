//! The paper's claims, held against the methods.

mod optimisation;
mod physical;
mod reaction;
mod steps;
