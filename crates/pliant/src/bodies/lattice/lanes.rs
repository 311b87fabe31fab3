//! Numbers that the cell formulas are written for: plain ones, or such with a derivative beside them.

pub(crate) use crate::math::{Work, widely};
use std::ops::{Add, Mul, Neg, Sub};

/// A number the formulas of cells work on.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A constant.
    fn of(value: f64) -> Self;
    /// A function of it, and that function's derivative; `f` gives both for one number.
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2];
}

impl Number for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2] {
        f(self)
    }
}

/// A number and its change along a direction: what a formula written for numbers does to it is its derivative.
#[derive(Clone, Copy, Debug)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// Its change.
    pub change: f64,
}

impl Number for Dual {
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self { value, change: 0.0 }
    }
    /// The derivative comes without a change of its own: nobody asks for second ones.
    #[inline(always)]
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2] {
        let [value, slope] = f(self.value);
        [Self { value, change: slope * self.change }, Self { value: slope, change: 0.0 }]
    }
}
impl Add for Dual {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, change: self.change + o.change }
    }
}
impl Sub for Dual {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { value: self.value - o.value, change: self.change - o.change }
    }
}
impl Mul for Dual {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { value: self.value * o.value, change: self.change * o.value + self.value * o.change }
    }
}
impl Neg for Dual {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, change: -self.change }
    }
}

/// A vector of such numbers.
#[derive(Clone, Copy, Debug)]
pub struct V3<T>(pub [T; 3]);

impl<T: Number> V3<T> {
    /// Nothing.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::of(0.0); 3])
    }
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }
    /// Times a number.
    #[inline(always)]
    pub fn times(self, s: T) -> Self {
        Self(self.0.map(|x| x * s))
    }
    /// Times a constant.
    #[inline(always)]
    pub fn scaled(self, s: f64) -> Self {
        self.times(T::of(s))
    }
}
impl<T: Number> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}
impl<T: Number> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}
