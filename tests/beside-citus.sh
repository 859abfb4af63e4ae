#!/usr/bin/env bash
# Runs a command beside a Citus cluster of three nodes on this machine, a coordinator and two workers, whose addresses it
# finds in TEST_DATABASE_URL, TEST_DATABASE_OWNER_URL and TEST_DATABASE_SUPERUSER_URL, and in TEST_CITUS_WORKERS those of
# the workers. The extension must be installed for the newest PostgreSQL here. As root the servers run as postgres.
set -euo pipefail

bin=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1)
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u postgres --); fi
folder=$(mktemp -d)
chmod 0711 "$folder"
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
first=${CITUS_PORT:-15500}
ports=("$first" $((first + 1)) $((first + 2)))

finish() {
    for port in "${ports[@]}"; do
        "${as[@]}" "$bin/pg_ctl" -D "$folder/$port" -m immediate stop >/dev/null 2>&1 || true
    done
    rm -rf "$folder"
}
trap finish EXIT
cd "$folder"

for port in "${ports[@]}"; do
    "${as[@]}" "$bin/initdb" -D "$folder/$port" -U postgres -A trust --no-sync >"$folder/initdb.log"
    "${as[@]}" "$bin/pg_ctl" -D "$folder/$port" -l "$folder/$port/log" -w -o "-p $port -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= -c shared_preload_libraries=citus -c max_connections=400 \
        -c max_prepared_transactions=400 -c max_worker_processes=64 -c fsync=off -c citus.enable_create_role_propagation=off \
        -c citus.enable_create_database_propagation=off" start >/dev/null
    "${as[@]}" "$bin/psql" -qX "postgres://postgres@127.0.0.1:$port/postgres" \
        -c 'CREATE ROLE croupier_owner LOGIN CREATEDB' -c 'CREATE ROLE croupier LOGIN' \
        -c 'GRANT pg_signal_backend TO croupier_owner'
done
cd - >/dev/null

address=127.0.0.1:$first
export TEST_DATABASE_URL=postgres://croupier@$address/postgres
export TEST_DATABASE_OWNER_URL=postgres://croupier_owner@$address/postgres
export TEST_DATABASE_SUPERUSER_URL=postgres://postgres@$address/postgres
export TEST_CITUS_WORKERS="127.0.0.1:${ports[1]} 127.0.0.1:${ports[2]}"
"$@"
