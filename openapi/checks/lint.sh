#!/usr/bin/env bash
# Lints the document by the strict rules of Redocly and of Spectral, and its older copy by those of Redocly. Whatever they find fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

# Spectral takes a while and one core: Redocly goes beside it.
node_modules/.bin/spectral lint --quiet --ruleset spectral.yaml --fail-severity=hint ../openapi.json &
spectral=$!
result=0
node_modules/.bin/redocly lint --config redocly.yaml --format=stylish ../openapi.json ../openapi-3.0.json || result=1
wait "$spectral" || result=1
exit "$result"
