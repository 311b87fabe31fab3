//! Eight numbers at a time: in one register where the machine has such, in a plain array elsewhere. Both give the same bits
//! but for `mul_sub`, which is for tests with boxes only: these are wide enough for either rounding.

#[cfg(target_arch = "x86_64")]
use pulp::{NullaryFnOnce, x86::V3};

/// Work that can be done with any kind of instructions.
pub(crate) trait Task {
    type Output;
    fn on<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Instructions for eight numbers at a time, if the machine has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Machine {
    #[cfg(target_arch = "x86_64")]
    wide: Option<V3>,
}

impl Machine {
    /// The one this runs on. A machine by default has no wide registers.
    pub fn at_hand() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            wide: V3::try_new(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.wide {
            Some(wide) => wide.vectorize(On(wide, task)),
            None => task.on(Plain),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        task.on(Plain)
    }
}

/// A task in the hands of code that is compiled for wide registers.
#[cfg(target_arch = "x86_64")]
struct On<T>(V3, T);

#[cfg(target_arch = "x86_64")]
impl<T: Task> NullaryFnOnce for On<T> {
    type Output = T::Output;

    #[inline(always)]
    fn call(self) -> T::Output {
        self.1.on(self.0)
    }
}

/// Arithmetic on eight numbers. A value of the type is the proof that the machine can do it.
pub(crate) trait Lanes: Copy {
    /// Eight numbers.
    type Eight: Copy;

    fn load(self, x: &[f32; 8]) -> Self::Eight;
    fn store(self, x: Self::Eight) -> [f32; 8];
    fn splat(self, x: f32) -> Self::Eight;
    fn add(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn sub(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn mul(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn div(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn sqrt(self, a: Self::Eight) -> Self::Eight;
    /// `a * b - c`, rounded once or twice.
    fn mul_sub(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight;
    /// The smaller; `b` if either is not a number.
    fn min(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// The larger; `b` if either is not a number.
    fn max(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// `x` where the two of a pair are equal, `y` elsewhere.
    fn if_equal(self, pair: [Self::Eight; 2], x: Self::Eight, y: Self::Eight) -> Self::Eight;
    /// `x` where the first of a pair is less than the second, `y` elsewhere.
    fn if_less(self, pair: [Self::Eight; 2], x: Self::Eight, y: Self::Eight) -> Self::Eight;
    /// Where `a <= b`, one bit each.
    fn le(self, a: Self::Eight, b: Self::Eight) -> u32;
    /// Where `a < b`, one bit each.
    fn lt(self, a: Self::Eight, b: Self::Eight) -> u32;
    /// Where any of the three has its sign bit set, one bit each.
    fn any_negative(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> u32;
}

/// Arrays, which the compiler turns into whatever the machine is known to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

#[inline(always)]
fn each(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn bits(f: impl Fn(usize) -> bool) -> u32 {
    (0..8).fold(0, |all, i| all | u32::from(f(i)) << i)
}

impl Lanes for Plain {
    type Eight = [f32; 8];

    #[inline(always)]
    fn load(self, x: &[f32; 8]) -> [f32; 8] {
        *x
    }
    #[inline(always)]
    fn store(self, x: [f32; 8]) -> [f32; 8] {
        x
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [f32; 8] {
        [x; 8]
    }
    #[inline(always)]
    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self, a: [f32; 8]) -> [f32; 8] {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn mul_sub(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        self.sub(self.mul(a, b), c)
    }
    #[inline(always)]
    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn if_equal(self, [a, b]: [[f32; 8]; 2], x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| if a[i] == b[i] { x[i] } else { y[i] })
    }
    #[inline(always)]
    fn if_less(self, [a, b]: [[f32; 8]; 2], x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| if a[i] < b[i] { x[i] } else { y[i] })
    }
    #[inline(always)]
    fn le(self, a: [f32; 8], b: [f32; 8]) -> u32 {
        bits(|i| a[i] <= b[i])
    }
    #[inline(always)]
    fn lt(self, a: [f32; 8], b: [f32; 8]) -> u32 {
        bits(|i| a[i] < b[i])
    }
    #[inline(always)]
    fn any_negative(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> u32 {
        bits(|i| (a[i].to_bits() | b[i].to_bits() | c[i].to_bits()) >> 31 != 0)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Lanes;
    use pulp::x86::V3;
    use std::arch::x86_64::{__m256, _CMP_EQ_OQ, _CMP_LE_OQ, _CMP_LT_OQ};

    impl Lanes for V3 {
        type Eight = __m256;

        #[inline(always)]
        fn load(self, x: &[f32; 8]) -> __m256 {
            pulp::cast(*x)
        }
        #[inline(always)]
        fn store(self, x: __m256) -> [f32; 8] {
            pulp::cast(x)
        }
        #[inline(always)]
        fn splat(self, x: f32) -> __m256 {
            self.avx._mm256_set1_ps(x)
        }
        #[inline(always)]
        fn add(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_add_ps(a, b)
        }
        #[inline(always)]
        fn sub(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_sub_ps(a, b)
        }
        #[inline(always)]
        fn mul(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_mul_ps(a, b)
        }
        #[inline(always)]
        fn div(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_div_ps(a, b)
        }
        #[inline(always)]
        fn sqrt(self, a: __m256) -> __m256 {
            self.avx._mm256_sqrt_ps(a)
        }
        #[inline(always)]
        fn mul_sub(self, a: __m256, b: __m256, c: __m256) -> __m256 {
            self.fma._mm256_fmsub_ps(a, b, c)
        }
        #[inline(always)]
        fn min(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_min_ps(a, b)
        }
        #[inline(always)]
        fn max(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_max_ps(a, b)
        }
        #[inline(always)]
        fn if_equal(self, [a, b]: [__m256; 2], x: __m256, y: __m256) -> __m256 {
            self.avx._mm256_blendv_ps(y, x, self.avx._mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
        }
        #[inline(always)]
        fn if_less(self, [a, b]: [__m256; 2], x: __m256, y: __m256) -> __m256 {
            self.avx._mm256_blendv_ps(y, x, self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
        }
        #[inline(always)]
        fn le(self, a: __m256, b: __m256) -> u32 {
            self.avx._mm256_movemask_ps(self.avx._mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32
        }
        #[inline(always)]
        fn lt(self, a: __m256, b: __m256) -> u32 {
            self.avx._mm256_movemask_ps(self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32
        }
        #[inline(always)]
        fn any_negative(self, a: __m256, b: __m256, c: __m256) -> u32 {
            let or = |a, b| self.avx._mm256_or_ps(a, b);
            self.avx._mm256_movemask_ps(or(or(a, b), c)) as u32
        }
    }
}
