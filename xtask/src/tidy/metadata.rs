//! What cargo knows about the workspace: packages, their dependencies and licenses.
//!
//! In: `cargo metadata`. Out: the crates of the project with their edges, and all packages that
//! end up in what we build. Invariant: crates are named by their folder, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The part of `cargo metadata` that the checks read.
#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

/// A package, ours or from outside.
#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    id: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

/// A dependency as a manifest states it.
#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

/// What a package resolved to depend on.
#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// A crate of the project and what its manifest lists, tests aside.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Crate {
    /// The name of its folder.
    pub(super) name: String,
    /// Its manifest from the top folder.
    pub(super) manifest: String,
    /// The crates of the project it uses.
    pub(super) inside: Vec<String>,
    /// The packages from outside it uses.
    pub(super) outside: Vec<String>,
}

impl Metadata {
    /// Asks cargo.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version", "1"]).current_dir(root);
        let output =
            command.stdin(Stdio::null()).output().context("cannot start cargo metadata")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo metadata failed: {said}");
        Self::parse(&String::from_utf8(output.stdout)?)
    }

    /// Reads what cargo printed.
    fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).context("cargo metadata printed something unexpected")
    }

    /// The crates of the project.
    pub(super) fn crates(&self, root: &Path) -> Vec<Crate> {
        let members = self.packages.iter().filter(|one| self.workspace_members.contains(&one.id));
        let mut crates: Vec<_> = members.map(|package| package.to_crate(root)).collect();
        crates.sort_by(|one, other| one.name.cmp(&other.name));
        crates
    }

    /// The packages from outside that the project's crates are built from, directly or not.
    pub(super) fn shipped_packages(&self) -> Vec<&Package> {
        let nodes: BTreeMap<_, _> =
            self.resolve.nodes.iter().map(|node| (&node.id, node)).collect();
        let mut reached: BTreeSet<&String> = self.workspace_members.iter().collect();
        let mut waiting: Vec<&String> = self.workspace_members.iter().collect();
        while let Some(node) = waiting.pop().and_then(|id| nodes.get(id)) {
            let shipped =
                node.deps.iter().filter(|one| one.dep_kinds.iter().any(DependencyKind::ships));
            for dependency in shipped {
                if reached.insert(&dependency.pkg) {
                    waiting.push(&dependency.pkg);
                }
            }
        }
        let is_outside = |one: &&Package| !self.workspace_members.contains(&one.id);
        self.packages.iter().filter(is_outside).filter(|one| reached.contains(&one.id)).collect()
    }
}

impl DependencyKind {
    /// Is it more than a test's dependency?
    fn ships(&self) -> bool {
        self.kind.as_deref() != Some("dev")
    }
}

impl Package {
    /// The crate in this package's folder.
    fn to_crate(&self, root: &Path) -> Crate {
        let folder = self.manifest_path.parent().unwrap_or(root);
        let shipped = self.dependencies.iter().filter(|one| one.kind.as_deref() != Some("dev"));
        let (inside, outside): (Vec<_>, Vec<_>) = shipped.partition(|one| one.path.is_some());
        let manifest = self.manifest_path.strip_prefix(root).unwrap_or(&self.manifest_path);
        Crate {
            name: folder_name(folder),
            manifest: manifest.to_string_lossy().replace('\\', "/"),
            inside: inside.iter().filter_map(|one| one.path.as_deref()).map(folder_name).collect(),
            outside: outside.iter().map(|one| one.name.clone()).collect(),
        }
    }
}

/// The last part of a path.
fn folder_name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::{expect_findings, licenses};

    /// A crate `rules` on `logic`, `logos` (which needs `beef`) and, for tests, `proptest`.
    const WORKSPACE: &str = r#"{
        "workspace_members": ["rules#1"],
        "packages": [
            {"name": "rulesmith-rules", "version": "0.1.0", "license": "MIT", "id": "rules#1",
             "manifest_path": "/top/crates/rules/Cargo.toml", "dependencies": [
                {"name": "rulesmith-logic", "kind": null, "path": "/top/crates/logic"},
                {"name": "logos", "kind": null},
                {"name": "proptest", "kind": "dev"}]},
            {"name": "logos", "version": "0.16.0", "license": "MIT", "id": "logos#1",
             "manifest_path": "/registry/logos/Cargo.toml", "dependencies": []},
            {"name": "beef", "version": "0.5.0", "license": null, "id": "beef#1",
             "manifest_path": "/registry/beef/Cargo.toml", "dependencies": []},
            {"name": "proptest", "version": "1.0.0", "license": "MIT", "id": "proptest#1",
             "manifest_path": "/registry/proptest/Cargo.toml", "dependencies": []}],
        "resolve": {"nodes": [
            {"id": "rules#1", "deps": [
                {"pkg": "logos#1", "dep_kinds": [{"kind": null}]},
                {"pkg": "proptest#1", "dep_kinds": [{"kind": "dev"}]}]},
            {"id": "logos#1", "deps": [{"pkg": "beef#1", "dep_kinds": [{"kind": "build"}]}]},
            {"id": "beef#1", "deps": []},
            {"id": "proptest#1", "deps": []}]}
    }"#;

    #[test]
    fn edges_are_named_by_folder_and_leave_tests_out() {
        let crates = Metadata::parse(WORKSPACE).unwrap().crates(Path::new("/top"));
        let expected = Crate {
            name: "rules".to_owned(),
            manifest: "crates/rules/Cargo.toml".to_owned(),
            inside: vec!["logic".to_owned()],
            outside: vec!["logos".to_owned()],
        };
        assert_eq!(crates, [expected]);
    }

    #[test]
    fn a_package_without_a_license_is_a_problem() {
        let metadata = Metadata::parse(WORKSPACE).unwrap();
        expect_findings(
            &licenses::check(&metadata.shipped_packages()),
            &expect_test::expect![[r"
                Cargo.lock: `beef 0.5.0` has no license, which is not on the permissive list
            "]],
        );
    }

    #[test]
    fn packages_are_followed_through_build_dependencies_but_not_through_tests() {
        let metadata = Metadata::parse(WORKSPACE).unwrap();
        let names: Vec<_> = metadata.shipped_packages().iter().map(|one| &one.name).collect();
        assert_eq!(names, ["logos", "beef"]);
    }
}
