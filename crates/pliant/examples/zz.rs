use pliant::*;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let spec: SceneSpec = toml::from_str(&text).unwrap();
    let mut ml = MeshLibrary::new(); ml.insert("box.obj".into(), pliant::shape::box_mesh(pliant::math::Vec3::new(0.2, 0.3, 0.25), [2, 2, 2]));
    let mut w = World::new(&spec, &ml).unwrap();
    let mut last = f64::NAN;
    for k in 0..n {
        let r = w.step().unwrap();
        let f = w.frame();
        let m = &f.measures[0];
        let e = m.kinetic + m.elastic + m.mass * 9.81 * m.centre.y;
        println!("{k} E {e:.6} dE {:+.2e} kin {:.4} el {:.4} contacts {} cwork {:+.2e} rounds {} held {} c {:?} L {:?}", e - last, m.kinetic, m.elastic, r.contacts, r.contact_work, r.position_rounds, r.held_back, m.centre.to_array(), m.angular_momentum.to_array());
        last = e;
    }
}
