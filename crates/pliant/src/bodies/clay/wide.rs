//! Four numbers that are computed at once, in lanes that never meet unless it says so: the same operations in the same
//! order whether the machine has an instruction for all four or not, so the same bits on every one.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

/// How many.
pub const FOUR: usize = 4;

/// The same of four. Their place in memory is such that one instruction reads them at the least cost.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct Lanes(pub [f64; FOUR]);

/// What four numbers are computed with.
pub trait Machine: Copy {
    /// Four numbers.
    type Four: Copy;
    /// The same number in all.
    fn all(self, value: f64) -> Self::Four;
    /// From memory.
    fn load(self, from: &Lanes) -> Self::Four;
    /// To memory.
    fn store(self, a: Self::Four, to: &mut Lanes);
    /// `a + b`.
    fn add(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// `a - b`.
    fn sub(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// `a b`.
    fn mul(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// `a / b`.
    fn div(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// Square root.
    fn sqrt(self, a: Self::Four) -> Self::Four;
    /// Size.
    fn abs(self, a: Self::Four) -> Self::Four;
    /// `value` where `a < b`, 0 elsewhere.
    fn where_less(self, a: Self::Four, b: Self::Four, value: Self::Four) -> Self::Four;
    /// `yes` where `a < b`, `no` elsewhere.
    fn if_less(self, a: Self::Four, b: Self::Four, yes: Self::Four, no: Self::Four) -> Self::Four;
    /// One bit for each, set where `a < b`; the first is the lowest.
    fn less(self, a: Self::Four, b: Self::Four) -> usize;
    /// The first three columns of four rows.
    fn columns(self, rows: [&Lanes; FOUR]) -> [Self::Four; 3];
    /// The rows of four columns.
    fn rows(self, columns: [Self::Four; FOUR]) -> [Self::Four; FOUR];
}

/// Something to do with whatever the machine has.
pub trait Work {
    /// What comes of it.
    type Output;
    /// Does it. Implementations are `#[inline(always)]`, so that they are compiled for the machine they are given.
    fn run<M: Machine>(self, machine: M) -> Self::Output;
}

/// Does some work with the widest instructions that there are; none of them rounds differently.
#[inline(always)]
pub fn widely<W: Work>(work: W) -> W::Output {
    match pulp::Arch::new() {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V3(machine) => pulp::Simd::vectorize(machine, avx::With { machine, work }),
        _ => work.run(Plain),
    }
}

/// Any machine: one number after the other, or as the compiler sees fit.
#[derive(Clone, Copy)]
pub struct Plain;

impl Machine for Plain {
    type Four = [f64; FOUR];
    #[inline(always)]
    fn all(self, value: f64) -> [f64; FOUR] {
        [value; FOUR]
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> [f64; FOUR] {
        from.0
    }
    #[inline(always)]
    fn store(self, a: [f64; FOUR], to: &mut Lanes) {
        to.0 = a;
    }
    #[inline(always)]
    fn add(self, a: [f64; FOUR], b: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| a[l] + b[l])
    }
    #[inline(always)]
    fn sub(self, a: [f64; FOUR], b: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| a[l] - b[l])
    }
    #[inline(always)]
    fn mul(self, a: [f64; FOUR], b: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| a[l] * b[l])
    }
    #[inline(always)]
    fn div(self, a: [f64; FOUR], b: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| a[l] / b[l])
    }
    #[inline(always)]
    fn sqrt(self, a: [f64; FOUR]) -> [f64; FOUR] {
        a.map(f64::sqrt)
    }
    #[inline(always)]
    fn abs(self, a: [f64; FOUR]) -> [f64; FOUR] {
        a.map(f64::abs)
    }
    #[inline(always)]
    fn where_less(self, a: [f64; FOUR], b: [f64; FOUR], value: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| if a[l] < b[l] { value[l] } else { 0.0 })
    }
    #[inline(always)]
    fn if_less(self, a: [f64; FOUR], b: [f64; FOUR], yes: [f64; FOUR], no: [f64; FOUR]) -> [f64; FOUR] {
        from_fn(|l| if a[l] < b[l] { yes[l] } else { no[l] })
    }
    #[inline(always)]
    fn less(self, a: [f64; FOUR], b: [f64; FOUR]) -> usize {
        (0..FOUR).map(|l| usize::from(a[l] < b[l]) << l).sum()
    }
    #[inline(always)]
    fn columns(self, rows: [&Lanes; FOUR]) -> [[f64; FOUR]; 3] {
        from_fn(|k| from_fn(|l| rows[l].0[k]))
    }
    #[inline(always)]
    fn rows(self, columns: [[f64; FOUR]; FOUR]) -> [[f64; FOUR]; FOUR] {
        from_fn(|l| from_fn(|k| columns[k][l]))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::{FOUR, Lanes, Machine, Work};
    use pulp::x86::V3;
    use std::arch::x86_64::{__m128d, __m256d, _CMP_LT_OQ};

    /// Some work, and what it is to be done with.
    pub struct With<W> {
        pub machine: V3,
        pub work: W,
    }

    impl<W: Work> pulp::WithSimd for With<W> {
        type Output = W::Output;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> W::Output {
            self.work.run(self.machine)
        }
    }

    impl Machine for V3 {
        type Four = __m256d;
        #[inline(always)]
        fn all(self, value: f64) -> __m256d {
            self.avx._mm256_set1_pd(value)
        }
        #[inline(always)]
        fn load(self, from: &Lanes) -> __m256d {
            pulp::cast(from.0)
        }
        #[inline(always)]
        fn store(self, a: __m256d, to: &mut Lanes) {
            to.0 = pulp::cast(a);
        }
        #[inline(always)]
        fn add(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_add_pd(a, b)
        }
        #[inline(always)]
        fn sub(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_sub_pd(a, b)
        }
        #[inline(always)]
        fn mul(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_mul_pd(a, b)
        }
        #[inline(always)]
        fn div(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_div_pd(a, b)
        }
        #[inline(always)]
        fn sqrt(self, a: __m256d) -> __m256d {
            self.avx._mm256_sqrt_pd(a)
        }
        #[inline(always)]
        fn abs(self, a: __m256d) -> __m256d {
            self.avx._mm256_andnot_pd(self.all(-0.0), a)
        }
        #[inline(always)]
        fn where_less(self, a: __m256d, b: __m256d, value: __m256d) -> __m256d {
            self.avx._mm256_and_pd(self.avx._mm256_cmp_pd::<_CMP_LT_OQ>(a, b), value)
        }
        #[inline(always)]
        fn if_less(self, a: __m256d, b: __m256d, yes: __m256d, no: __m256d) -> __m256d {
            self.avx._mm256_blendv_pd(no, yes, self.avx._mm256_cmp_pd::<_CMP_LT_OQ>(a, b))
        }
        #[inline(always)]
        fn less(self, a: __m256d, b: __m256d) -> usize {
            self.avx._mm256_movemask_pd(self.avx._mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) as usize
        }
        #[inline(always)]
        fn columns(self, rows: [&Lanes; FOUR]) -> [__m256d; 3] {
            let avx = self.avx;
            let [a, b, c, d] = rows.map(
                #[inline(always)]
                |row| pulp::cast::<[f64; FOUR], [__m128d; 2]>(row.0),
            );
            let both = |low, high| avx._mm256_insertf128_pd::<1>(avx._mm256_castpd128_pd256(low), high);
            let (even, odd) = (both(a[0], c[0]), both(b[0], d[0]));
            let third = avx._mm256_unpacklo_pd(both(a[1], c[1]), both(b[1], d[1]));
            [avx._mm256_unpacklo_pd(even, odd), avx._mm256_unpackhi_pd(even, odd), third]
        }
        #[inline(always)]
        fn rows(self, [a, b, c, d]: [__m256d; FOUR]) -> [__m256d; FOUR] {
            let avx = self.avx;
            let (ab, cd) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpacklo_pd(c, d));
            let (ba, dc) = (avx._mm256_unpackhi_pd(a, b), avx._mm256_unpackhi_pd(c, d));
            [
                avx._mm256_permute2f128_pd::<0x20>(ab, cd),
                avx._mm256_permute2f128_pd::<0x20>(ba, dc),
                avx._mm256_permute2f128_pd::<0x31>(ab, cd),
                avx._mm256_permute2f128_pd::<0x31>(ba, dc),
            ]
        }
    }
}

/// Four numbers with the operators of numbers.
#[derive(Clone, Copy)]
pub struct Wide<M: Machine>(M, pub M::Four);

impl<M: Machine> Wide<M> {
    /// The same number in all.
    #[inline(always)]
    pub fn all(machine: M, value: f64) -> Self {
        Self(machine, machine.all(value))
    }

    /// Each of three coordinates in all lanes of its own.
    #[inline(always)]
    pub fn coordinates(machine: M, of: &Lanes) -> [Self; 3] {
        let [x, y, z, _] = of.0;
        [Self::all(machine, x), Self::all(machine, y), Self::all(machine, z)]
    }

    /// From memory.
    #[inline(always)]
    pub fn load(machine: M, from: &Lanes) -> Self {
        Self(machine, machine.load(from))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self, to: &mut Lanes) {
        self.0.store(self.1, to);
    }

    /// Each by itself.
    #[inline(always)]
    pub fn lanes(self) -> [f64; FOUR] {
        let mut lanes = Lanes::default();
        self.store(&mut lanes);
        lanes.0
    }

    /// The first three columns of four rows.
    #[inline(always)]
    pub fn columns(machine: M, rows: [&Lanes; FOUR]) -> [Self; 3] {
        machine.columns(rows).map(
            #[inline(always)]
            |column| Self(machine, column),
        )
    }

    /// The rows of four columns.
    #[inline(always)]
    pub fn rows(machine: M, columns: [Self; FOUR]) -> [Self; FOUR] {
        machine
            .rows(columns.map(
                #[inline(always)]
                |column| column.1,
            ))
            .map(
                #[inline(always)]
                |row| Self(machine, row),
            )
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt(self.1))
    }

    /// Size.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0, self.0.abs(self.1))
    }

    /// A value where this is less than a bound, 0 elsewhere.
    #[inline(always)]
    pub fn where_less(self, bound: Self, value: Self) -> Self {
        Self(self.0, self.0.where_less(self.1, bound.1, value.1))
    }

    /// One or the other, by whether this is less than a bound.
    #[inline(always)]
    pub fn if_less(self, bound: Self, yes: Self, no: Self) -> Self {
        Self(self.0, self.0.if_less(self.1, bound.1, yes.1, no.1))
    }

    /// The larger one; the other if this is not a number.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        other.if_less(self, self, other)
    }

    /// Which are less than a bound: one bit for each, that of the first is the lowest.
    #[inline(always)]
    pub fn less(self, bound: Self) -> usize {
        self.0.less(self.1, bound.1)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl<M: Machine> $name for Wide<M> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0, self.0.$method(self.1, other.1))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);
