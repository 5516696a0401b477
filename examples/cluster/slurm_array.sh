#!/bin/bash
# A study as a job array of Slurm: each task plays one shard, on a disk that all nodes share.
#
#     sbatch examples/cluster/slurm_array.sh STUDY.toml OUT
#     otherminds status OUT                                # at any time, from any node
#     otherminds report OUT --page                  # at the end
#
# The array is the number of shards. A task that is requeued (preempted, or its node fails) goes on where it was
# stopped; so does one that comes to its time limit, because it requeues itself two minutes before.
#
#SBATCH --job-name=otherminds
#SBATCH --array=1-4
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=otherminds-%A_%a.log

set -euo pipefail
study=${1:?the study file}
out=${2:?the output folder}
# Activate your environment here, such as: source venv/bin/activate

otherminds run "$study" --out "$out" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --executor "processes:$SLURM_CPUS_PER_TASK" &
run=$!

go_on_later() {
    kill -TERM "$run"
    wait "$run" || true
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
}
trap go_on_later TERM
wait "$run"
