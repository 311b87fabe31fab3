//! The widest registers that the machine has, found at run time.

/// Work on many numbers, done with the widest registers the machine has. The same operations in the same order either
/// way, so the same bits.
pub trait Work {
    /// What it writes to.
    type Output: ?Sized;
    /// Does it. Implementations are `#[inline(always)]`, so that they are compiled for the registers of the caller, and
    /// nothing but a loop over the block without branches, or compilers will not see that it can be done side by side.
    fn run(self, out: &mut Self::Output);
}

/// Does some work. That `out` is an argument tells the compiler that nothing else points to it.
#[inline(always)]
pub fn widely<W: Work>(work: W, out: &mut W::Output) {
    #[cfg(target_arch = "x86_64")]
    {
        #![allow(
            unsafe_code,
            reason = "the one way to call a function for registers that were found at run time"
        )]
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512dq") {
            // SAFETY: the machine has been asked for both just now.
            return unsafe { with_avx512(work, out) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has been asked for AVX2 just now.
            return unsafe { with_avx2(work, out) };
        }
    }
    plainly(work, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
#[inline(never)]
fn with_avx512<W: Work>(work: W, out: &mut W::Output) {
    work.run(out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn with_avx2<W: Work>(work: W, out: &mut W::Output) {
    work.run(out);
}

#[inline(never)]
fn plainly<W: Work>(work: W, out: &mut W::Output) {
    work.run(out);
}
