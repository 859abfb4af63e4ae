#!/usr/bin/env bash
# Runs a command beside a server of its own, whose address it finds in CROUPIER:
#   croupier postgres run -- tests/beside-server.sh PROGRAM COMMAND...
# where PROGRAM is the croupier that is to serve.
set -euo pipefail
program=$1
shift

# Whatever asks here asks as fast as it can.
limits=()
for limit in limit-moves limit-reads limit-lobby limit-sign-up limit-sign-in limit-audits max-open-games max-seats; do
    limits+=("--$limit" off)
done

folder=$(mktemp -d)
DATABASE_URL=$TEST_DATABASE_URL DATABASE_OWNER_URL=$TEST_DATABASE_OWNER_URL \
    "$program" serve --listen 127.0.0.1:0 --data "$folder" --log info,actix_http=off "${limits[@]}" >"$folder/out" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

for _ in $(seq 300); do
    CROUPIER=$(sed -n 's|^Croupier deals at ||p' "$folder/out")
    [ -n "$CROUPIER" ] && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if [ -z "$CROUPIER" ]; then
    cat "$folder/out" >&2
    exit 1
fi
export CROUPIER

result=0
"$@" || result=$?
# Nothing that a client sends may make the server fail. (actix_http calls it an error if what comes is no HTTP.)
if grep -E ' (ERROR|WARN) |panicked' "$folder/out" >&2; then
    echo "The server logged these errors." >&2
    result=1
fi
exit "$result"
