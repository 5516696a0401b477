#!/bin/bash
# A study on hosts that share no disk, over SSH: each host plays one shard, and the shards are merged here.
# The command otherminds must be on the path of a shell that ssh opens without a terminal.
#
#     examples/cluster/ssh.sh STUDY.toml OUT HOST...
#
# Files that the study names, such as plugins and tasks, are given in FILES, relative to the folder of the study:
# FILES="my_mind.py tasks" examples/cluster/ssh.sh ... If a host fails, give the same command with the same
# hosts: what is recorded is not played again.
set -euo pipefail
study=${1:?the study file}
out=$(realpath -m "${2:?the output folder}")
shift 2
hosts=("$@")
name=$(basename "$study")
there=otherminds/${name%.toml}
cd "$(dirname "$study")"

play() { # HOST SHARD
    ssh "$1" "mkdir -p '$there'"
    # shellcheck disable=SC2086
    rsync -aR "$name" ${FILES:-} "$1:$there/"
    ssh "$1" "cd '$there' && otherminds run '$name' --out runs --shard '$2'"
}

jobs=()
for i in "${!hosts[@]}"; do
    play "${hosts[i]}" "$((i + 1))/${#hosts[@]}" &
    jobs+=($!)
done
code=0
for i in "${!hosts[@]}"; do
    wait "${jobs[i]}" || { echo "${hosts[i]}: exit code $?; give the same command again" >&2; code=1; }
done

# --delete: a file that is no longer on the host, such as the log of a database, does not belong to the others.
parts=()
for i in "${!hosts[@]}"; do
    mkdir -p "$out.hosts/$i"
    if rsync -a --delete "${hosts[i]}:$there/runs/" "$out.hosts/$i/"; then
        parts+=("$out.hosts/$i")
    else
        code=1
    fi
done
otherminds merge "${parts[@]}" --out "$out"
exit "$code"
