//! What all workloads share: clocks, memory, and one row of a result.

use std::time::Instant;

/// As in `pliant`; peers that run in the same process have it, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// CPU time of this process so far `[s]`.
pub fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes the struct it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// The most memory that this process has held `[MB]`.
pub fn memory() -> f64 {
    // SAFETY: all-zero bytes are a valid value, and the call writes the struct it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss as f64 / 1024.0
}

/// Measures CPU and wall time over parts of a run.
#[derive(Default)]
pub struct Watch {
    /// CPU time `[s]`.
    pub cpu: f64,
    /// Wall time `[s]`.
    pub wall: f64,
}

impl Watch {
    /// Runs and counts.
    pub fn run<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (began, start) = (Instant::now(), cpu());
        let result = work();
        self.cpu += cpu() - start;
        self.wall += began.elapsed().as_secs_f64();
        result
    }
}

/// Prints one row: who, how large, how many threads, times, and what came out.
pub fn row(engine: &str, size: usize, threads: usize, watch: &Watch, answer: &[(&str, f64)]) {
    let answer: Vec<String> = answer.iter().map(|(name, v)| format!("\"{name}\": {v:.6}")).collect();
    println!(
        "{{\"engine\": \"{engine}\", \"size\": {size}, \"threads\": {threads}, \"cpu\": {:.6}, \"wall\": {:.6}, \"memory\": {:.1}, \
         \"answer\": {{{}}}}}",
        watch.cpu,
        watch.wall,
        memory(),
        answer.join(", ")
    );
}

/// The value after an option, or its default.
pub fn option(name: &str, default: &str) -> String {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|a| a == name);
    at.and_then(|i| args.get(i + 1)).cloned().unwrap_or_else(|| default.into())
}

/// The same as a number.
pub fn number(name: &str, default: f64) -> f64 {
    option(name, &default.to_string()).parse().unwrap_or_else(|_| panic!("{name} takes a number"))
}
