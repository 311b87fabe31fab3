//! The command line of Pliant: reads the arguments, calls the command, returns its exit code.

use clap::{Parser, Subcommand};
use pliant_cli::{
    Common, Failure, bench, certify, check, export, list, new, plot, render, resume, run, schema, view,
};
use std::process::ExitCode;

/// Frames and steps use much room for a short time; the system's allocator gives it back and asks for it again each time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Physically based animation of deformable bodies
#[derive(Parser)]
#[command(name = "pliant", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

const EXIT_CODES: &str = "Exit codes: 0 good; 1 it ran and something failed or does not hold; \
                          2 the input is wrong and nothing was written.";

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene
    Run(run::Args),
    /// Go on with a run that was stopped or killed
    Resume(resume::Args),
    /// Turn a recording into files for other programs
    Export(export::Args),
    /// Take pictures and films of a recording
    Render(render::Args),
    /// Play with a scene or look at a recording, in the browser
    View(view::Args),
    /// Plot energies, momenta, volumes and contacts of a recording over time
    Plot(plot::Args),
    /// Check every frame of a recording, independently of the solver
    Certify(certify::Args),
    /// Validate scenes; with --run, test what they promise
    Check(check::Args),
    /// Kinds of bodies, outputs, scenes
    List(list::Args),
    /// JSON Schema of scene files
    Schema(schema::Args),
    /// Write a commented scene to start from
    New(new::Args),
    /// Time per phase and thread count, as CSV
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = cli.common.apply().and_then(|()| execute(&cli.command, &cli.common));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}

fn execute(command: &Command, common: &Common) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::execute(args, common),
        Command::Resume(args) => resume::execute(args, common),
        Command::Export(args) => export::execute(args, common),
        Command::Render(args) => render::execute(args, common),
        Command::View(args) => view::execute(args, common),
        Command::Plot(args) => plot::execute(args, common),
        Command::Certify(args) => certify::execute(args, common),
        Command::Check(args) => check::execute(args, common),
        Command::List(args) => list::execute(args, common),
        Command::Schema(args) => schema::execute(args, common),
        Command::New(args) => new::execute(args, common),
        Command::Bench(args) => bench::execute(args, common),
    }
}
