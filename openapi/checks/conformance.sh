#!/usr/bin/env bash
# Holds the running server at $CROUPIER against its document: conformance.sh SCHEMATHESIS [ITS ARGUMENTS...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
schemathesis=$1
shift

guest() {
    curl --silent --show-error --fail-with-body "$CROUPIER/v1/players" \
        --header 'Content-Type: application/json' --data "{\"name\": \"$1\"}" | jq --raw-output .token
}
CROUPIER_TOKEN=$(guest Ana)
# Whoever ends its tokens has none any more.
CROUPIER_TOKEN_TO_END=$(guest Ben)
export CROUPIER_TOKEN CROUPIER_TOKEN_TO_END

exec "$schemathesis" --config-file schemathesis.toml run ../openapi.json --url "$CROUPIER" "$@"
