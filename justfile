# Everyday commands. Nothing needs `just`: each line can be typed.

# Write the generated crates of the samples anew, and cut the root's lockfile down to what they link.
generate:
    for site in configs/*/site.kdl; do cargo kiln emit "$site"; done
    cp Cargo.lock generated/Cargo.lock
    cd generated && cargo tree --quiet >/dev/null

# Write the reference and the editors' schemas anew.
reference:
    cargo kiln reference docs

# All tests.
test:
    cargo test --workspace

# Measure against other servers (docs/benchmarks.md): `just bench run --out DIR`, then `just bench analyze DIR`.
bench *arguments:
    cargo run --quiet --release --package kiln-bench -- {{arguments}}

# What large sites cost (docs/benchmarks.md, "Scale"): builds each into DIR with a cache of its own; about ten minutes.
scale directory="/tmp/kiln-scale":
    cargo build --quiet --release --package kiln
    cargo run --quiet --release --package kiln-tests --example scale -- measure {{directory}}

# What CI refuses besides failing tests.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# What CI runs.
ci:
    .ci/run
