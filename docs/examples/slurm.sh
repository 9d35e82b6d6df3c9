#!/bin/bash
# A suite in shards on Slurm. Change the four lines below and what is otherwise on your cluster, then: bash slurm.sh
# It submits the array, and the merge that follows it, from a folder that all nodes share.
#SBATCH --job-name=gavel
#SBATCH --time=1-00:00:00          # of one task
#SBATCH --requeue                  # a task that is preempted, or whose node is lost, is started again and goes on
#SBATCH --open-mode=append         # and its log goes on
#SBATCH --output=gavel-%a.log
set -eu

suite=suite.yaml
out=runs/suite # the suite's out, or runs/ and its name
tasks=8        # shards
server=        # starts a server for each task, such as 'llama-server -m m.gguf --port $PORT'; its judge then has no base-url in the suite

if [ -z "${SLURM_JOB_ID:-}" ]; then # not in the cluster yet
	array=$(sbatch --parsable --array="1-$tasks" ${server:+--gpus-per-task=1} "$0")
	echo "array $array"
	# afterany: where a task failed, the merge says what is missing, and the command for it.
	sbatch --dependency="afterany:${array%%;*}" --time=04:00:00 --output=gavel-merge.log "$0" merge
	exit
fi
if [ "${1:-}" = merge ]; then
	shopt -s nullglob # a task that was started again has a second folder
	exec gavel carry merge "$out" "$out"_shard-*-of-"$tasks"{,_try-*}
fi
if [ -n "$server" ]; then
	export PORT=$((20000 + SLURM_JOB_ID % 20000)) # tasks may share a node
	set -m # its processes are a group, which ends with the task
	sh -c "$server" >gavel-"$SLURM_ARRAY_TASK_ID"-server.log 2>&1 &
	server=$!
	set +m
	trap 'kill -- -$server' EXIT
	export OPENAI_BASE_URL=http://127.0.0.1:$PORT
	until gavel doctor --list --base-url "$OPENAI_BASE_URL" >/dev/null 2>&1; do
		kill -0 "$server" # ends the task where the server has ended
		sleep 2
	done
fi
gavel suite run "$suite" --shard "auto/$tasks" --yes # auto reads SLURM_ARRAY_TASK_ID, and goes on after a requeue
