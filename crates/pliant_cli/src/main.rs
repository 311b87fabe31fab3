//! The command line of Pliant.
fn main() {}
