//! Rest shapes: triangle meshes, primitives, hulls and unions, nets of nodes, mass properties, moments and cubature.

mod build;
mod check;
mod cubature;
mod cut;
mod faces;
mod gauss;
mod hull;
mod mesh;
mod moments;
mod net;
mod nnls;
mod predicates;
mod primitives;
mod refine;
mod repair;
mod round;
mod snug;
mod tree;
mod triangulate;
mod union;

pub use build::{Round, Shape, build, is_convex};
pub(crate) use check::{Sets, solid_angle};
pub use cubature::{CubaturePoint, cubature};
pub use faces::merge_coplanar;
pub use hull::convex_hull;
pub(crate) use mesh::enclosed_volume;
pub use mesh::{MeshError, TriMesh};
pub use moments::{MassProperties, Moments, mass_properties};
pub(crate) use net::numbers as net_numbers;
pub use net::{
    Bricks, Facet, Net, Section, Spot, Turning, Weave, block_net, curve_net, grid_net, mesh_net, revolve_net,
    sheet_net, sphere_net, torus_net, tube_net,
};
pub(crate) use predicates::triangles_meet;
pub use primitives::{
    box_mesh, capsule_mesh, cylinder_mesh, ellipsoid_mesh, sphere_mesh, stairs_mesh, torus_mesh,
};
pub use refine::refine;
pub use round::rounded;
pub(crate) use snug::snug_axes;
pub use union::{UnionError, union_of_convex};
