#!/usr/bin/env bash
# Holds the running server at $CROUPIER against its document: conformance.sh SCHEMATHESIS short|long
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
schemathesis=$1
extent=$2

guest() {
    curl --silent --show-error --fail-with-body "$CROUPIER/v1/players" \
        --header 'Content-Type: application/json' --data "{\"name\": \"$1\"}" | jq --raw-output .token
}
CROUPIER_TOKEN=$(guest Ana)
# Whoever ends its tokens has none any more.
CROUPIER_TOKEN_TO_END=$(guest Ben)
export CROUPIER_TOKEN CROUPIER_TOKEN_TO_END

ask() {
    "$schemathesis" --config-file schemathesis.toml run ../openapi.json --url "$CROUPIER" --no-color "$@"
}

if [ "$extent" = long ]; then
    ask --max-examples 200
else
    # One body at each edge of a bundle's schema is ten thousand, more than of all other operations together.
    ask --max-examples 5 --exclude-operation-id auditBundle
    ask --max-examples 5 --include-operation-id auditBundle --phases examples,fuzzing
fi
