#!/usr/bin/env bash
# usage: scripts/slurm.sh start|stop|crash
#
# Runs a Slurm of one node on this machine, for trying gavel's shards on a real scheduler.
#
#   start   starts munged, slurmctld and slurmd, waits until the node takes jobs, and prints "export SLURM_CONF=…" for eval.
#           What runs already is left running: start also brings back what crash ended
#   crash   kills slurmctld with SIGKILL
#   stop    ends its jobs and the three; nothing to stop is no error
#
# SLURM_DIR   where everything of it goes, default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/slurm
# SLURM_CPUS  tasks at once, default 8
#
# It needs Debian's packages slurmctld, slurmd, slurm-client and munge, and the rights to run them: root, or any user whose
# host name resolves. Exit status: 0, or after a line that says why 77 where it cannot be had here, else 1.
set -euo pipefail
dir=${SLURM_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/slurm}
PATH=$PATH:/usr/sbin
umask 022

say() { echo "slurm.sh: $*" >&2; }

# alive NAME tells whether the daemon that start started lives: by its number and the folder that it was given.
alive() {
	local pid
	pid=$(cat "$dir/$1.pid" 2>/dev/null) && tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "GAVEL_SLURM=$dir"
}

# daemon NAME ARGUMENT... starts one in the foreground of a session of its own, unless it runs.
daemon() {
	alive "$1" && return
	GAVEL_SLURM=$dir setsid "$@" >>"$dir/$1.log" 2>&1 </dev/null 9>&- &
	echo $! >"$dir/$1.pid"
}

# await WHAT COMMAND... waits a minute at most.
await() {
	local what=$1 end=$((SECONDS + 60))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { say "$what does not get ready, see $dir/*.log"; exit 1; }
		sleep 0.2
	done
}

ready() { [[ $(timeout 5 sinfo --noheader --format=%t) =~ ^(idle|mix|alloc)$ ]]; }
empty() { [[ -z $(timeout 5 squeue --noheader) ]]; }

configure() {
	[[ -s $dir/munge.key ]] || (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
	[[ -s $dir/slurm.conf ]] && return
	mkdir -p "$dir/state" "$dir/spool"
	# Newer ones look for control groups, which a container mostly has none of.
	echo "CgroupPlugin=disabled" >"$dir/cgroup.conf"
	[[ $(slurmctld -V) =~ \ (1[0-9]|2[0-3])\. ]] && rm "$dir/cgroup.conf"
	local host port=$((20000 + RANDOM % 10000))
	host=$(hostname -s)
	# A credential that soon expires has a requeued job start again after seconds, not minutes.
	cat >"$dir/slurm.conf" <<-END
		ClusterName=gavel
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		AuthInfo=socket=$dir/munge.socket,cred_expire=3
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool
		SlurmctldPidFile=$dir/slurmctld.its
		SlurmdPidFile=$dir/slurmd.its
		ProctrackType=proctrack/linuxproc
		ReturnToService=2
		MailProg=/bin/true
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerParameters=batch_sched_delay=1,sched_interval=1,bf_interval=1
		SlurmdParameters=config_overrides
		NodeName=$host NodeAddr=127.0.0.1 CPUs=${SLURM_CPUS:-8} State=UNKNOWN
		PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
}

start() {
	local program
	for program in munged munge slurmctld slurmd sbatch; do
		command -v $program >/dev/null || { say "there is no $program: apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge"; exit 77; }
	done
	configure
	# --force: it wants a folder that all may enter, and this one is for one user.
	daemon munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.its" --seed-file="$dir/munge.seed" --log-file="$dir/munged.own"
	await munged munge --no-input --socket="$dir/munge.socket"
	daemon slurmctld -D
	daemon slurmd -D
	await "the node" ready
	echo "export SLURM_CONF=$dir/slurm.conf"
}

stop() {
	local name
	if alive slurmctld && ! empty; then
		scancel --full --user="$(id -un)" || true
		await "the end of its jobs" empty
	fi
	for name in slurmd slurmctld munged; do
		if alive $name; then
			kill "$(<"$dir/$name.pid")"
			await "the end of $name" eval "! alive $name"
		fi
		rm -f "$dir/$name.pid"
	done
}

case ${1:-} in
start | stop | crash) ;;
*) say "usage: scripts/slurm.sh start|stop|crash" && exit 1 ;;
esac
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
export SLURM_CONF=$dir/slurm.conf
exec 9>"$dir/lock"
flock 9
case $1 in
start) start ;;
stop) stop ;;
crash) alive slurmctld && kill -KILL "$(<"$dir/slurmctld.pid")" ;;
esac
