//! `cargo run --release -p pliant_validation`: problems with known numbers, each as a table of what is known and what we
//! get. Exits with 1 if any of our numbers is outside its tolerance.

mod constraint_steps;
mod hybrid_conditioning;
mod lattice_beams;

use std::process::ExitCode;

/// One number against what it should be.
pub struct Line {
    /// What it is.
    pub name: String,
    /// What is known.
    pub known: f64,
    /// What we get.
    pub ours: f64,
    /// Relative tolerance.
    pub tolerance: f64,
}

impl Line {
    fn holds(&self) -> bool {
        (self.ours / self.known - 1.0).abs() <= self.tolerance
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let problems = [
        ("The per-step matrix as rigidity grows ([TW88] Eq. 38)", hybrid_conditioning::lines()),
        ("Largest steps of penalty and reaction constraints ([PB88] section 4)", constraint_steps::lines()),
        ("Bars of lattice cells", lattice_beams::lines()?),
    ];
    let mut missed = 0;
    for (title, lines) in &problems {
        println!("## {title}\n\n| | known | ours | tolerance | |\n|---|---|---|---|---|");
        for line in lines {
            let verdict = if line.holds() { "holds" } else { "MISSED" };
            missed += u32::from(!line.holds());
            println!(
                "| {} | {:.3e} | {:.3e} | {} % | {verdict} |",
                line.name,
                line.known,
                line.ours,
                100.0 * line.tolerance
            );
        }
        println!();
    }
    println!("{missed} numbers missed");
    Ok(ExitCode::from(u8::from(missed > 0)))
}
