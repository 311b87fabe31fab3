//! What pictures show.

mod picture;
mod remeshed;
