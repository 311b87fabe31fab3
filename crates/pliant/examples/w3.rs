//! scratch
use pliant::*;
use std::collections::BTreeMap; use std::time::Instant;
#[derive(Default)] struct Ph { now: Option<(&'static str, Instant)>, t: BTreeMap<&'static str, f64> }
impl PhaseObserver for Ph { fn phase(&mut self, n: &'static str) { let i=Instant::now(); if let Some((l,s))=self.now.replace((n,i)) { *self.t.entry(l).or_default() += (i-s).as_secs_f64(); } } }
fn main(){ let a:Vec<String>=std::env::args().collect(); let kind=&a[1]; let layers:usize=a[2].parse().unwrap(); let secs:f64=a[3].parse().unwrap(); let th:usize=a[4].parse().unwrap();
 rayon::ThreadPoolBuilder::new().num_threads(th).build_global().unwrap();
 let (k,own)=match kind.as_str(){"rigid"=>("rigid",""),"affine"=>("global","order=1"),_=>("global","order=2")};
 let mut s=String::from("[scene]\nfps=60\nsubsteps=1\nsleep=false\n");
 for i in 0..10{for j in 0..10{for l in 0..layers{ let o=0.008*((i*7+j*3+l*5)%5) as f64-0.016; s+=&format!("[[body]]\nname='{i}-{j}-{l}'\nkind='{k}'\n{own}\nshape={{box=[0.2,0.2,0.2]}}\nposition=[{},{},{}]\nmaterial={{young=5e4,damping=0.1}}\n",0.3+0.25*i as f64+o,0.5+0.25*l as f64,1.125-0.25*j as f64+o);}}}
 for i in 0..20{ let x=i as f64; s+=&format!("[[obstacle]]\nname='step{i}'\nshape={{box=[0.5,1.0,10.0]}}\nposition=[{},{},0.0]\n",0.5*x+0.25,-0.25*x-0.5);}
 s+="[[obstacle]]\nname='floor'\nshape={box=[60.0,1.0,60.0]}\nposition=[10.0,-5.5,0.0]\n[[obstacle]]\nname='wall'\nshape={box=[1.0,20.0,10.0]}\nposition=[-0.5,0.0,0.0]\n";
 let spec:SceneSpec=toml::from_str(&s).unwrap(); let mut w=World::new(&spec,&Default::default()).unwrap(); let mut p=Ph::default(); let t=Instant::now(); let n=(secs*60.0) as usize;
 let (mut g,mut wk,mut held,mut c,mut r,mut worst,mut sw,mut res)=(f64::INFINITY,f64::NEG_INFINITY,0,0u64,0,0.0f64,0u64,0.0f64);
 for _ in 0..n{ let q=Instant::now(); let x=w.step_observed(&mut p).unwrap(); worst=worst.max(q.elapsed().as_secs_f64()); g=g.min(x.min_distance); wk=wk.max(x.contact_work/x.kinetic.max(1e-300)); held+=x.held_back; c+=x.contacts as u64; r+=x.position_rounds; sw+=x.sweeps as u64; res=res.max(x.residual);}
 let per=1e6/(n as f64*100.0*layers as f64); println!("{kind} wall {:.2} us/body-step worst step {:.1} ms gap {g:.1e} work {wk:.1e} held {held} contacts/body {:.1} rounds {r} sweeps {:.1} res {res:.1e}", t.elapsed().as_secs_f64()*per, worst*1e3, c as f64/(n as f64*100.0*layers as f64), sw as f64/n as f64);
 for (k,v) in &p.t { print!("{k} {:.2}  ", v*per); } println!(); }
