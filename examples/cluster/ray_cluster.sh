#!/bin/bash
# A study on a cluster of Ray that lives as long as the study: the head here, a node on each host.
#
#     examples/cluster/ray_cluster.sh STUDY.toml OUT HOST...
#
# The cluster asks for a token, which is made for this study; hosts get it over ssh, in the file .ray_study_token.
#
# The hosts need the same version of Other Minds with the extra 'ray', and plugins at the same paths. For a cluster that
# is there already, one command is enough: otherminds run STUDY.toml --out OUT --executor ray:HOST:6379
set -euo pipefail
study=${1:?the study file}
out=${2:?the output folder}
shift 2
head=${RAY_HEAD:-$(hostname -i | cut -d' ' -f1)}
port=${RAY_PORT:-6379}
cpus=${RAY_CPUS:+--num-cpus=$RAY_CPUS}

RAY_AUTH_TOKEN_PATH=$(mktemp)
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH
od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$RAY_AUTH_TOKEN_PATH"

started=()
stop() { # a node that has lost its head before it ends waits for it
    kill "${started[@]:1}" 2>/dev/null && wait "${started[@]:1}" || true
    kill "${started[0]}" 2>/dev/null && wait || true
    rm -f "$RAY_AUTH_TOKEN_PATH"
}
trap stop EXIT

ray start --block --head --node-ip-address="$head" --port="$port" --include-dashboard=false $cpus &
started+=($!)
until ray status --address "$head:$port" >/dev/null 2>&1; do
    kill -0 "${started[0]}" # ends the script if the head could not start
    sleep 1
done
for host in "$@"; do
    ssh "$host" "umask 077 && cat > .ray_study_token" <"$RAY_AUTH_TOKEN_PATH"
    # A node ends by itself when it loses its head; -tt ends it at once when this script ends.
    ssh -tt "$host" "RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=.ray_study_token ray start --block --address='$head:$port' $cpus" &
    started+=($!)
done

otherminds run "$study" --out "$out" --executor "ray:$head:$port"
