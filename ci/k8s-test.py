"""Runs what ci/k8s-job.yaml says as processes: k8s-test.py BUILD.

Each index of the Job is a process with the command, arguments and environment of its container and
JOB_COMPLETION_INDEX as Kubernetes sets it; one of them is killed and started again.  Then the
merging Job.  The merged report has to be that of a run without shards.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

FLAGS = ["--filter=relu.f32.*", "--filter=softmax.f32.r*", "--subject=reference"]


def container(job):
    """The only container of a Job."""
    (found,) = job["spec"]["template"]["spec"]["containers"]
    return found


def environment(build, results, of, **more):
    """That of a container, with the program on the PATH and the volume at `results`."""
    (mount,) = of["volumeMounts"]
    env = {"PATH": os.path.abspath(build) + ":" + os.environ["PATH"], "HOME": os.environ["HOME"]}
    for row in of["env"]:
        assert isinstance(row["value"], str), f"{row['name']}: expected a string, found {row}"
        env[row["name"]] = row["value"].replace(mount["mountPath"], results)
    return {**env, **more}


def start(build, results, of, index, flags):
    """A pod of the indexed Job."""
    env = environment(build, results, of, JOB_COMPLETION_INDEX=str(index))
    return subprocess.Popen(of["command"] + of["args"] + flags, env=env, stdout=subprocess.DEVNULL)


def check_job(job):
    """What makes a Job an indexed one that starts lost pods again."""
    spec = job["spec"]
    env = {row["name"]: row["value"] for row in container(job)["env"]}
    assert job["apiVersion"] == "batch/v1" and job["kind"] == "Job"
    assert spec["completionMode"] == "Indexed"
    assert env["JOB_COMPLETIONS"] == str(spec["completions"]), (env, spec["completions"])
    assert spec["backoffLimitPerIndex"] > 0
    # Kubernetes demands it of Jobs with backoffLimitPerIndex, and of those with podFailurePolicy.
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    (codes,) = [r["onExitCodes"] for r in spec["podFailurePolicy"]["rules"] if "onExitCodes" in r]
    assert codes["containerName"] == container(job)["name"] and codes["values"] == [1, 2, 3]


def run_shards(build, results, job):
    """All indices, as many at a time as there are processors; the first one is killed once."""
    of = container(job)
    left = list(range(job["spec"]["completions"]))
    killed = start(build, results, of, 0, FLAGS)
    log = os.path.join(results, "shard-0.json.partial")
    until = time.monotonic() + 60
    while killed.poll() is None and time.monotonic() < until:
        if os.path.exists(log) and open(log, encoding="utf-8").read().count("\n") > 2:
            killed.send_signal(signal.SIGKILL)
        time.sleep(0.005)
    assert killed.wait(60) == -signal.SIGKILL, "the first pod ended before it could be killed"
    while left:
        now, left = left[: os.cpu_count()], left[os.cpu_count() :]
        for p in [start(build, results, of, i, FLAGS) for i in now]:
            code = p.wait(300)
            assert code == 0, f"exit code of a pod: expected 0, found {code}"


def comparable(path):
    """A report without what differs from run to run."""
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    del report["run"]
    for row in report["cases"]:
        row.pop("ms", None)
    return report


def main():
    """Returns nothing; raises where something is wrong."""
    build = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "k8s-job.yaml"), encoding="utf-8") as f:
        job, merge = yaml.safe_load_all(f)
    check_job(job)
    results = tempfile.mkdtemp(prefix="assay-k8s-")
    try:
        run_shards(build, results, job)
        of = container(merge)
        env = environment(build, results, of)
        subprocess.run(of["command"] + of["args"], env=env, check=True, timeout=100)
        whole = os.path.join(results, "whole.json")
        program = os.path.join(build, "assay")
        subprocess.run(
            [program, "conformance", "--format=json", f"--out={whole}"] + FLAGS,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=300,
        )
        merged = os.path.join(results, "report.json")
        assert comparable(merged) == comparable(whole), f"{merged} and {whole} differ"
        assert os.path.getsize(os.path.join(results, "report.txt")) > 0
        count = len(comparable(whole)["cases"])
        print(f"k8s-test: {job['spec']['completions']} shards, {count} results as without shards")
    except BaseException:
        print(f"k8s-test: the files are kept in {results}", file=sys.stderr)
        raise
    shutil.rmtree(results)


main()
