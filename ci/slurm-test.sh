#!/bin/sh
# Runs ci/slurm-array.sbatch on a Slurm of one node, which it starts and ends: slurm-test.sh BUILD.
# A task is requeued while it runs, as when its node is lost, and one is submitted once more; the
# merged report has to be that of a run without shards.  Needs root, as slurmd does.
set -eu
b=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d /tmp/assay-slurm-XXXXXX)
shards=4
daemons=

clean()
{
    code=$?
    scancel --full --user="$(id -un)" 2>/dev/null || :
    for pid in $daemons; do
        kill "$pid" 2>/dev/null || :
    done
    for pid in $daemons; do
        wait "$pid" 2>/dev/null || :
    done
    if [ $code = 0 ]; then
        rm -rf "$dir"
    else
        echo "slurm-test: failed; files are kept in $dir" >&2
    fi
}
trap clean EXIT
trap 'exit 1' INT TERM

fail()
{
    echo "slurm-test: $*" >&2
    exit 1
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for()
{
    tries=$(($1 * 5)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "$what"
        sleep 0.2
    done
}

# ---- one node ----
[ "$(id -u)" = 0 ] || fail "slurmd needs root"
node=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p "$dir/state" "$dir/spool" "$dir/out"
cat >"$dir/slurm.conf" <<END
ClusterName=assay
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=600
KillWait=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf"
chmod 755 "$dir"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
munged --force --foreground --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
    --pid-file="$dir/munge.pid" --seed-file="$dir/munge.seed" --log-file="$dir/munge.log" \
    >"$dir/munge.out" 2>&1 &
daemons="$daemons $!"
wait_for 20 "munged does not start; see $dir/munge.out" test -S "$dir/munge.socket"
slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
daemons="$! $daemons"
slurmd -D -f "$SLURM_CONF" -N "$node" >"$dir/slurmd.out" 2>&1 &
daemons="$! $daemons"
is_idle()
{
    sinfo --noheader --format=%t | grep -q '^idle$'
}
wait_for 60 "the node does not come up; see $dir/slurmd.log" is_idle

# ---- the array ----
set -- --filter='relu.f32.*' --filter='softmax.f32.r*' --subject=reference
"$b/assay" conformance "$@" --format=json --out="$dir/whole.json" >/dev/null

export ASSAY="$b/assay" OUT="$dir/out" SHARDS=$shards
# Slow enough that a task can be requeued while it runs.
cat >"$dir/slow" <<END
#!/bin/sh
# The program, held up in its first task until that is requeued.
[ "\${SLURM_RESTART_COUNT:-0}\${SLURM_ARRAY_TASK_ID:-}" != 00 ] || {
    "$b/assay" "\$@" &
    pid=\$!
    until [ "\$(grep -c . "$dir/out/shard-0.json.partial" 2>/dev/null)" -gt 3 ]; do sleep 0.01; done
    kill -9 \$pid
    sleep 600
}
exec "$b/assay" "\$@"
END
chmod 755 "$dir/slow"
ids=$(ASSAY="$dir/slow" sh "$here/slurm-array.sbatch" "$@")
tasks=$(echo "$ids" | sed -n 's/^tasks //p') merge=$(echo "$ids" | sed -n 's/^merge //p')
[ -n "$tasks" ] && [ -n "$merge" ] || fail "expected two job ids, found: $ids"

is_cut()
{
    [ "$(grep -c . "$dir/out/shard-0.json.partial")" -gt 3 ] && [ ! -e "$dir/out/shard-0.json" ]
}
state()
{
    scontrol --oneliner show job "$1" | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p' | sort -u | tr '\n' ' '
}
has_ended()
{
    case $(state "$1") in
    *PENDING* | *RUNNING* | *COMPLETING* | *REQUEUED* | *SUSPENDED*) return 1 ;;
    esac
}
wait_for 120 "task 0 does not come to its third result" is_cut
before=$(grep -c . "$dir/out/shard-0.json.partial")
scontrol requeue "${tasks}_0"
wait_for 30 "task 0 is not requeued" sh -c "scontrol --oneliner show job ${tasks}_0 | grep -q 'Restarts=1'"
scontrol update "jobid=${tasks}_0" starttime=now # else it is held back for two minutes
wait_for 300 "the tasks do not end" has_ended "$tasks"
wait_for 60 "the merging job does not end" has_ended "$merge"
[ "$(state "$tasks")" = 'COMPLETED ' ] || fail "tasks: expected COMPLETED, found $(state "$tasks")"
[ "$(state "$merge")" = 'COMPLETED ' ] || fail "merge: expected COMPLETED, found $(state "$merge")"

same()
{
    python3 - "$dir/whole.json" "$dir/out/report.json" <<'END'
import json, sys

def comparable(path):
    report = json.load(open(path, encoding="utf-8"))
    del report["run"]
    for row in report["cases"]:
        row.pop("ms", None)
    return report

whole, merged = map(comparable, sys.argv[1:])
sys.exit(whole != merged or not whole["cases"])
END
}
same || fail "the merged report is not that of a run without shards"

# ---- one task once more, whose shard is still that of the whole array ----
cp "$dir/out/shard-2.json" "$dir/shard-2.json"
rm "$dir/out/shard-2.json" "$dir/out/report.json"
merge=$(FROM=2 sh "$here/slurm-array.sbatch" "$@" | sed -n 's/^merge //p')
wait_for 120 "the second merging job does not end" has_ended "$merge"
[ "$(state "$merge")" = 'COMPLETED ' ] || fail "second merge: found $(state "$merge")"
same || fail "the report merged once more is not that of a run without shards"

# ---- the verdict ----
rm "$dir"/out/*
ids=$(SHARDS=2 sh "$here/slurm-array.sbatch" --filter='relu.f32.c*' --delegate-option=precision=fp32 \
    --delegate-option=exclude=RELU --require='relu.*')
tasks=$(echo "$ids" | sed -n 's/^tasks //p') merge=$(echo "$ids" | sed -n 's/^merge //p')
wait_for 120 "the merging job of a run that fails does not end" has_ended "$merge"
[ "$(state "$tasks")" = 'FAILED ' ] || fail "tasks that fail: found $(state "$tasks")"
[ "$(state "$merge")" = 'FAILED ' ] || fail "merge of what fails: found $(state "$merge")"

echo "slurm-test: $shards tasks, one requeued after $before lines of its log: as without shards"
