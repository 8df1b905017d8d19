# Everyday commands. Nothing needs `just`: each line can be typed.

# Write the generated crates of the samples anew.
generate:
    for site in configs/*/site.kdl; do cargo kiln emit "$site"; done

# All tests.
test:
    cargo test --workspace

# What CI refuses besides failing tests.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# What CI runs.
ci:
    .ci/run
