//! Numbers that one instruction computes at once, as many as the machine has room for. Lanes never meet, so they are the
//! same bits on every machine.

use pulp::Simd;
use std::ops::{Add, Div, Mul, Sub};

/// As many numbers as `S` computes at once.
#[derive(Clone, Copy)]
pub struct Wide<S: Simd>(S, S::f64s);

impl<S: Simd> Wide<S> {
    /// How many.
    pub const COUNT: usize = S::F64_LANES;

    /// The same number in all.
    #[inline(always)]
    pub fn all(simd: S, value: f64) -> Self {
        Self(simd, simd.splat_f64s(value))
    }

    /// Some of a list, whose length is a multiple of `COUNT`.
    #[inline(always)]
    pub fn load(simd: S, from: &[f64], part: usize) -> Self {
        Self(simd, S::as_simd_f64s(from).0[part])
    }

    /// Puts them back.
    #[inline(always)]
    pub fn store(self, to: &mut [f64], part: usize) {
        S::as_mut_simd_f64s(to).0[part] = self.1;
    }

    /// Less a number, each.
    #[inline(always)]
    pub fn minus(self, value: f64) -> Self {
        self - Self::all(self.0, value)
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt_f64s(self.1))
    }

    /// Size.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0, self.0.abs_f64s(self.1))
    }

    /// One or the other, by whether this is less than a bound.
    #[inline(always)]
    pub fn if_less(self, bound: Self, yes: Self, no: Self) -> Self {
        Self(self.0, self.0.select_f64s(self.0.less_than_f64s(self.1, bound.1), yes.1, no.1))
    }

    /// The larger one; the other if this is not a number.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        other.if_less(self, self, other)
    }

    /// Whether any is less than a bound.
    #[inline(always)]
    pub fn any_less(self, bound: Self) -> bool {
        self.0.first_true_m64s(self.0.less_than_f64s(self.1, bound.1)) < Self::COUNT
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, $by:ident) => {
        impl<S: Simd> $name for Wide<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0, self.0.$by(self.1, other.1))
            }
        }
    };
}

operator!(Add, add, add_f64s);
operator!(Sub, sub, sub_f64s);
operator!(Mul, mul, mul_f64s);
operator!(Div, div, div_f64s);
