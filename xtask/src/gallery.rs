//! `cargo xtask gallery`: pictures of every scene that shows a published figure, with our numbers beside the paper's.

use crate::docs::head_comment;
use crate::scenes::{self, pliant};
use crate::shell::{root, run, shown};
use anyhow::{Context, Result, ensure};
use pliant_io::recording::Recording;
use pliant_io::{claims, scene_file};
use std::fmt::Write;
use std::fs;

const PAGE: &str = "docs/GALLERY.md";
const PICTURES: &str = "docs/gallery";

/// Renders the scenes whose path contains a word (all, if none) and writes the page.
pub fn write(words: &[String]) -> Result<()> {
    scenes::build()?;
    let work = root().join("out/gallery");
    fs::create_dir_all(&work).context("out/gallery")?;
    fs::create_dir_all(root().join(PICTURES)).context(PICTURES)?;
    let mut page = String::from(
        "# Gallery\n\nThe figures of the papers, as Pliant computes them. Written by `cargo xtask gallery`, which runs every \
         scene with a `[figure]` table and takes its picture.\n",
    );
    let mut count = 0;
    for scene in scenes::all()? {
        let text = fs::read_to_string(&scene).with_context(|| shown(&scene))?;
        let Some(figure) = scene_file::parse(&text, &shown(&scene))?.figure else { continue };
        let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let recording = work.join(format!("{name}.pliant"));
        let set = figure.set.iter().flat_map(|change| ["--set", change]);
        run(pliant("run").arg(&scene).args(set).arg("-o").arg(&recording).arg("--quiet"))?;
        let picture = root().join(PICTURES).join(format!("{name}.png"));
        if words.is_empty() || words.iter().any(|w| name.contains(w.as_str())) {
            println!("{name}");
            run(pliant("render").arg(&recording).arg("-o").arg(&picture).args(["--figure", "--quiet"]))?;
        }
        count += 1;
        writeln!(page, "\n## {}\n", figure.of)?;
        let comment = head_comment(&scene)?;
        let first =
            comment.split_once(". ").map_or(comment.as_str(), |(first, _)| first).trim_end_matches('.');
        let link = shown(&scene);
        writeln!(page, "![{first}](gallery/{name}.png)\n\n{first} ([scene](../{link})). {}\n", figure.see)?;
        if !figure.set.is_empty() {
            writeln!(page, "Taken with `{}`; the scene itself is coarser.\n", figure.set.join("`, `"))?;
        }
        writeln!(page, "| the paper | here |\n|---|---|")?;
        let opened = Recording::open(&recording)?;
        for claim in &figure.claims {
            let value = claims::measure(&opened, claim.measure)?;
            writeln!(page, "| {} | {} |", claim.paper, claims::shown(claim.measure, value))?;
        }
    }
    ensure!(count > 0, "no scene has a [figure]");
    fs::write(root().join(PAGE), page).context(PAGE)?;
    println!("wrote {PAGE}: {count} figures");
    Ok(())
}
