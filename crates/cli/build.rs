//! Rebuilds the binary when the library of games changes: new files are not seen otherwise.

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let mut output = std::io::stdout();
    let line = format!("cargo::rerun-if-changed={manifest}/../../games\n");
    std::io::Write::write_all(&mut output, line.as_bytes()).expect("cargo reads it");
}
