//! Kernels for `cargo xtask guard`, which counts their instructions under valgrind: a measure of speed that needs no clock
//! and does not care how busy the machine is.
//!
//! usage: `pliant_guard KERNEL TIMES` runs a kernel so many times; without arguments it names the kernels. The difference
//! between two runs with different TIMES is the kernel alone, without what prepares it.

mod kernels;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, times] = args.as_slice() else {
        kernels::ALL.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let kernel = kernels::ALL.iter().find(|(n, _)| n == name);
    let (Some((_, run)), Ok(times)) = (kernel, times.parse::<usize>()) else {
        eprintln!("usage: pliant_guard KERNEL TIMES; there is no kernel {name}, or {times} is not a number");
        return ExitCode::from(2);
    };
    // This thread is the only worker, so that no other one spins beside it and every run counts the same.
    if rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().is_err() {
        eprintln!("another pool of threads exists already");
        return ExitCode::FAILURE;
    }
    // Printed, so that nothing can be left out as unused.
    println!("{:e}", run(times));
    ExitCode::SUCCESS
}
