#!/usr/bin/env bash
# Makes each example's client from the document and has it play against the service at $CROUPIER, in each language that
# is here. PYTHON names a Python that has examples/python/requirements.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

typescript() (
    cd typescript
    npm run --silent client
    npm run --silent build
    npm run --silent play
)

python() (
    cd python
    "${PYTHON%/*}/openapi-python-client" generate --path ../../openapi/openapi.json --config generator.yaml --meta none \
        --output-path croupier_client --overwrite >croupier_client.log 2>&1 || { cat croupier_client.log >&2; exit 1; }
    "$PYTHON" play.py
)

rust() (
    cd rust
    cargo run --locked --quiet
)

# All at once, each told when it is done.
told=$(mktemp -d)
trap 'rm -rf "$told"' EXIT
declare -A running
for language in "$@"; do
    "$language" >"$told/$language" 2>&1 &
    running[$language]=$!
done
result=0
for language in "$@"; do
    wait "${running[$language]}" || result=1
    printf '\n== A client in %s, made from the document\n' "$language"
    cat "$told/$language"
done
exit "$result"
