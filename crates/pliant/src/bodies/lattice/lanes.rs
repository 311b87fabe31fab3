//! Numbers that the cell formulas are written for: four cells at once, or one with a derivative beside it.

#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::{f64x2, f64x2_add, f64x2_extract_lane, f64x2_mul, f64x2_sub, v128};
use std::ops::{Add, Mul, Neg, Sub};

/// Work on four cells at a time, done with the widest registers the machine has. The same operations in the same order
/// either way, so the same bits.
pub trait Work {
    /// What comes of it.
    type Output;
    /// Does it. Implementations are `#[inline(always)]`, so that they are compiled for the registers of the caller.
    fn run(self) -> Self::Output;
}

/// Does some work.
pub fn widely<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(
            unsafe_code,
            reason = "the one way to call a function for registers that were found at run time"
        )]
        // SAFETY: the machine has been asked for AVX2 just now.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}

/// A number the formulas of `cell.rs` work on.
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

/// How many cells are worked on at once.
pub const LANES: usize = 4;

/// One number of each of four cells.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Four(pub [f64; LANES]);

impl Four {
    /// The larger of each two.
    #[inline(always)]
    pub fn max(self, o: Self) -> Self {
        Self(std::array::from_fn(|l| if o.0[l] > self.0[l] { o.0[l] } else { self.0[l] }))
    }
}
impl Number for Four {
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2] {
        let both = self.0.map(f);
        [Self(both.map(|b| b[0])), Self(both.map(|b| b[1]))]
    }
}
/// Two pairs of numbers at once: what compilers find out by themselves for other registers they do not for these.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn in_pairs(a: [f64; LANES], b: [f64; LANES], work: impl Fn(v128, v128) -> v128) -> [f64; LANES] {
    let low = work(f64x2(a[0], a[1]), f64x2(b[0], b[1]));
    let high = work(f64x2(a[2], a[3]), f64x2(b[2], b[3]));
    let both = |v| [f64x2_extract_lane::<0>(v), f64x2_extract_lane::<1>(v)];
    let ([a, b], [c, d]) = (both(low), both(high));
    [a, b, c, d]
}

/// An operation on each of the four.
macro_rules! lanewise {
    ($name:ident, $function:ident, $sign:tt, $in_pairs:ident) => {
        impl $name for Four {
            type Output = Self;
            #[inline(always)]
            fn $function(self, o: Self) -> Self {
                #[cfg(target_arch = "wasm32")]
                return Self(in_pairs(self.0, o.0, |a, b| $in_pairs(a, b)));
                #[cfg(not(target_arch = "wasm32"))]
                {
                    let ([a, b, c, d], [x, y, z, w]) = (self.0, o.0);
                    Self([a $sign x, b $sign y, c $sign z, d $sign w])
                }
            }
        }
    };
}
lanewise!(Add, add, +, f64x2_add);
lanewise!(Sub, sub, -, f64x2_sub);
lanewise!(Mul, mul, *, f64x2_mul);
impl Neg for Four {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

/// A number and its change along a direction: what a formula written for numbers does to it is its derivative.
#[derive(Clone, Copy, Debug)]
pub struct Dual<T> {
    /// The number.
    pub value: T,
    /// Its change.
    pub change: T,
}

impl<T: Number> Number for Dual<T> {
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self { value: T::of(value), change: T::of(0.0) }
    }
    /// The derivative comes without a change of its own: nobody asks for second ones.
    #[inline(always)]
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2] {
        let [value, slope] = self.value.apply(f);
        [Self { value, change: slope * self.change }, Self { value: slope, change: T::of(0.0) }]
    }
}
impl<T: Number> Add for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, change: self.change + o.change }
    }
}
impl<T: Number> Sub for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { value: self.value - o.value, change: self.change - o.change }
    }
}
impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { value: self.value * o.value, change: self.change * o.value + self.value * o.change }
    }
}
impl<T: Number> Neg for Dual<T> {
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
