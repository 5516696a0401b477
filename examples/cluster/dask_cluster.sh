#!/bin/bash
# A study on a cluster of Dask that lives as long as the study: the scheduler here, workers on each host.
#
#     examples/cluster/dask_cluster.sh STUDY.toml OUT HOST...
#
# The hosts need the same version of Other Minds with the extra 'dask', and plugins at the same paths. For a cluster
# that is there already, one command is enough: otherminds run STUDY.toml --out OUT --executor dask:tcp://HOST:8786
set -euo pipefail
study=${1:?the study file}
out=${2:?the output folder}
shift 2
head=${DASK_HEAD:-$(hostname -i | cut -d' ' -f1)}
port=${DASK_PORT:-8786}
workers=${DASK_WORKERS:--1} # of each host; -1 is one for each processor

started=()
stop() { kill "${started[@]}" 2>/dev/null || true; wait; }
trap stop EXIT

dask scheduler --host "$head" --port "$port" --no-dashboard &
started+=($!)
for host in "$@"; do
    # One thread each, because episodes compute. A worker ends when it loses its scheduler.
    ssh -tt "$host" "dask worker 'tcp://$head:$port' --nworkers='$workers' --nthreads 1 --no-dashboard \
        --death-timeout 60" &
    started+=($!)
done

otherminds run "$study" --out "$out" --executor "dask:tcp://$head:$port"
