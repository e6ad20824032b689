#!/usr/bin/env python3
"""Explicit search with and without partial-order reduction: verdicts, lengths of counterexamples, states and times of all goals.

usage: check-goals.py --clinch BINARY [--models DIR] [--limit STATES] [--seconds N] [--only NAME]

DIR (default ../shared/corpus/dve) holds models/*.dve, index.csv with their numbers of states, and goals.tsv with goals, whether they can be reached and how
many states the shortest way has. Besides, every model is checked for deadlocks. Verdicts are re-checked. Models with more than STATES states are
skipped, the smallest ones come first, and no new one is begun after N seconds. Times are processor times of all processes.
"""
import argparse, csv, json, math, os, resource, subprocess, sys, time

WAYS = [[], ["--reduce", "por"]]


def check(o, model, flags):
    command = [o.clinch, "check", model, "--engine", "explicit", "--threads", "1", "--json", "--timeout", "300s", "--memory", "8GiB", *flags]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    try:
        report = json.loads(run.stdout)
    except ValueError:
        return "failed", None, 0, seconds
    length = len(report["trace"]) if report.get("trace") else None
    return report["verdict"], length, report["stats"].get("states", 0), seconds


def questions(o):
    """Models by size, each with what is asked and what is known of it."""
    with open(os.path.join(o.models, "index.csv"), encoding="utf-8") as file:
        sizes = {row["file"]: int(row["expected_states"] or 1 << 62) for row in csv.DictReader(file)}
    with open(os.path.join(o.models, "goals.tsv"), encoding="utf-8") as file:
        goals = [row for row in csv.DictReader(file, delimiter="\t") if row["status"] == "agree"]
    for states, name in sorted((states, name) for name, states in sizes.items() if states <= o.limit and o.only in name):
        yield name, "deadlock", ["--deadlock"], None
        for goal in (goal for goal in goals if goal["file"] == name):
            known = ("unsafe" if goal["reachable"] == "yes" else "safe", int(goal["beem_length"] or 0) or None)
            yield name, goal["expression"], ["--error", goal["expression"]], known


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clinch", required=True)
    a.add_argument("--models", default=os.environ.get("CLINCH_DVE", "../shared/corpus/dve"))
    a.add_argument("--limit", type=int, default=10**7)
    a.add_argument("--seconds", type=float, default=1e9)
    a.add_argument("--only", default="")
    o = a.parse_args()
    o.clinch = os.path.abspath(o.clinch)
    begin, asked, wrong, ratios, times = time.time(), 0, 0, [], []
    for name, what, flags, known in questions(o):
        if time.time() - begin > o.seconds:
            break
        every, some = (check(o, os.path.join(o.models, "models", name), flags + way) for way in WAYS)
        same = every[:2] == some[:2] and every[0] in ("safe", "unsafe") and (known is None or known == every[:2])
        asked, wrong = asked + 1, wrong + (not same)
        ratios.append(max(some[2], 1) / max(every[2], 1))
        times.append(max(some[3], 0.01) / max(every[3], 0.01))
        print(f"{name:26} {some[0]:8} {some[1] or '':>4} {every[2]:9} -> {some[2]:9} states {every[3]:7.2f} -> {some[3]:7.2f} s"
              f"  {what}{'' if same else f'  DIFFERENT: {every} {some} {known}'}", flush=True)
    mean = lambda xs: math.exp(sum(map(math.log, xs)) / len(xs)) if xs else 1
    print(f"{asked} questions, {wrong} with differences; geometric means: states {mean(ratios):.2f}, time with the re-check {mean(times):.2f}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
