//! Shared access to parts of an array that are known to be disjoint.
//!
//! The one place with `unsafe`: the solver colours its rows so that rows of one colour touch different bodies, and
//! lets threads work on one colour at once. The borrow checker cannot see the colouring.
#![allow(unsafe_code, reason = "colouring makes the parts disjoint; see `Disjoint::part`")]

use std::marker::PhantomData;

/// An array whose disjoint parts may be changed from several threads at once.
pub struct Disjoint<'a, T> {
    start: *mut T,
    len: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: `Disjoint` hands out parts only through the unsafe `part`, whose caller promises disjointness.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}
// SAFETY: it stands for a `&mut [T]`, which may be sent when `T` may.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// Takes over an array for the time of the borrow.
    pub fn new(array: &'a mut [T]) -> Self {
        Self { start: array.as_mut_ptr(), len: array.len(), owner: PhantomData }
    }

    /// A part of the array.
    ///
    /// # Safety
    /// No other part handed out at the same time, on any thread, may overlap it.
    #[allow(clippy::mut_from_ref, reason = "that is the point: disjoint parts of one array")]
    pub unsafe fn part(&self, from: usize, to: usize) -> &mut [T] {
        assert!(from <= to && to <= self.len, "part lies outside the array");
        // SAFETY: the range is inside the array, and the caller promises that it is not handed out twice.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(from), to - from) }
    }
}
