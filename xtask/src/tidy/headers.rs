//! Headers: every file of a crate opens with what it turns into what.
//!
//! In: a file. Out: a problem when its first line is not a `//!` comment.

use super::Finding;
use super::rust_source::RustSource;

/// Reports a file without header.
pub(super) fn check(source: &RustSource) -> Vec<Finding> {
    if source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![Finding::problem(&source.path, "the first line is not a `//!` header")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_findings(text: &str) -> usize {
        check(&RustSource::parse("crates/a/src/lib.rs", text).unwrap()).len()
    }

    #[test]
    fn a_header_on_the_first_line_is_fine() {
        assert_eq!(n_findings("//! Terms.\n\nfn a() {}\n"), 0);
    }

    #[test]
    fn a_file_that_starts_otherwise_is_a_problem() {
        assert_eq!(n_findings("fn a() {}\n"), 1);
        assert_eq!(n_findings("// Terms.\n"), 1);
        assert_eq!(n_findings("\n//! Terms.\n"), 1);
    }
}
