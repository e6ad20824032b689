#!/usr/bin/env python3
"""Runs clinch over a set of C programs, and prints what it solved, family by family.

usage: bench-c.py CLINCH INDEX.csv [--timeout 10] [--jobs 1] [--only REGEX] [--skip REGEX] [--strategies] [--csv FILE] [--html FILE] [-- FLAGS]
       bench-c.py CLINCH --startup [-- FLAGS]

INDEX.csv has the columns file, expected (true, false), family, data_model (ILP32, LP64) and integers (machine,
mathematical); files are relative to it, or to its folder tasks/. FLAGS are handed on to clinch (`-- --engine lazy`).

Solved means: the expected verdict, and its evidence was accepted. Every proof is re-checked by clinch in exact
arithmetic (certified), every counterexample is executed (confirmed). With --strategies, one modern strategy of lazy
abstraction is switched off at a time, and the paper's configuration comes last.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import figures

STRATEGIES = [
    ("default", []),
    ("blocks basic", ["--blocks", "basic"]),
    ("local subtree", ["--local", "subtree"]),
    ("abstraction cartesian", ["--abstraction", "cartesian"]),
    ("abstraction boolean", ["--abstraction", "boolean"]),
    ("focus core", ["--focus", "core"]),
    ("grain atoms", ["--grain", "atoms"]),
    ("grain conjuncts", ["--grain", "conjuncts"]),
    ("part whole", ["--part", "whole"]),
    ("equations whole", ["--whole-equations"]),
    ("order dfs", ["--order", "dfs"]),
    ("order bfs", ["--order", "bfs"]),
    ("order subsumer", ["--order", "subsumer"]),
    ("encoding bv", ["--encoding", "bv"]),
    ("values none", ["--values", "none"]),
    ("data-flow none", ["--data-flow", "none"]),
    ("preset blast", ["--preset", "blast"]),
]

COLUMNS = ["tasks", "solved", "wrong", "unknown", "failed", "safe", "certified", "unsafe", "confirmed"]


def run(clinch, base, task, timeout, flags):
    path = os.path.join(base, task["file"])
    if not os.path.exists(path):
        path = os.path.join(base, "tasks", task["file"])
    command = [clinch, "check", path, "--timeout", f"{timeout}s", "--json"]
    if task.get("data_model") in ("ILP32", "LP64"):
        command += ["--data-model", task["data_model"].lower()]
    if task.get("integers") == "mathematical":
        command += ["--integers", "mathematical"]
    start = time.time()
    try:
        done = subprocess.run(command + flags, capture_output=True, timeout=2 * timeout + 10)
        code, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        code, text = -1, b""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = {}
    return code, time.time() - start, answer


def count(task, code, seconds, answer):
    """What one task adds to the sums of its family."""
    row = collections.Counter(tasks=1)
    verdict = {0: "true", 1: "false"}.get(code)
    if verdict is None:
        row["unknown" if code == 2 else "failed"] += 1
    else:
        row["solved" if verdict == task["expected"] else "wrong"] += 1
    if code == 0:
        row["safe"] += 1
        row["certified"] += answer.get("certified") is True
    if code == 1:
        row["unsafe"] += 1
        row["confirmed"] += answer.get("confirmed") is True
    calls = (answer.get("stats") or {}).get("prover_calls")
    if isinstance(calls, dict):
        row["calls"] += calls.get("total", 0)
        row["cached"] += calls.get("cached", 0)
    elif isinstance(calls, int):
        row["calls"] += calls
    row["seconds"] += seconds
    return row


def sweep(args, tasks, flags, log=None, times=None):
    """The sums by family; the times of what was solved go to `times`."""
    base = os.path.dirname(os.path.abspath(args.index))
    families = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = pool.map(lambda task: run(args.clinch, base, task, args.timeout, flags), tasks)
        for task, (code, seconds, answer) in zip(tasks, outcomes):
            row = count(task, code, seconds, answer)
            families[task["family"]].update(row)
            if times is not None and row["solved"]:
                times.append(seconds)
            if row["wrong"] or row["failed"]:
                print("WRONG" if row["wrong"] else "FAILED", task["file"], code, answer.get("reason", ""), flush=True)
            if log:
                reason = answer.get("reason", "")
                decided = (answer.get("stats") or {}).get("decided_by", "")
                log.writerow([task["file"], task["family"], task["expected"], code, f"{seconds:.2f}", decided, reason])
    return families


def total(families):
    whole = collections.Counter()
    for row in families.values():
        whole.update(row)
    return whole


def cells(row):
    rate = f"{100 * row['cached'] // row['calls']} %" if row["calls"] else "-"
    return [str(row[c]) for c in COLUMNS] + [str(row["calls"]), rate, f"{row['seconds']:.0f}"]


def head(name):
    return [name] + COLUMNS + ["prover calls", "cached", "seconds"]


def publish(args, title, name, rows, times):
    """Prints a table, and writes it as a page with a plot: how many tasks are solved within a time."""
    rows = [[what] + cells(row) for what, row in rows]
    print("\n".join(figures.markdown(head(name), rows)))
    if not args.html:
        return
    series = []
    for what, seconds in times:
        points = [(number + 1, max(time, 0.01)) for number, time in enumerate(sorted(seconds))]
        series.append((what, f"{len(points)} solved", points, True))
    plot = figures.plot(("tasks solved", {}), ("seconds for each", {"log": True}), series)
    with open(args.html, "w", encoding="utf-8") as out:
        out.write(figures.page(title, [(title, head(name), rows)] + ([("Solved within a time", plot)] if plot else [])))


def supported(clinch, flags):
    """Whether this clinch knows the flags: it complains about them before it reads a file."""
    done = subprocess.run([clinch, "check", "missing.c"] + flags, capture_output=True)
    return done.returncode != 64


def startup(clinch, flags, runs=20):
    """How long a program takes that does nothing: wall clock and processor time, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trivial.c")
        with open(path, "w", encoding="utf-8") as out:
            out.write("int main(void) { return 0; }\n")
        wall, cpu = [], []
        for _ in range(runs):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            subprocess.run([clinch, "check", path] + flags, capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall.append(time.time() - start)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    wall, cpu = (1000 * statistics.median(times) for times in (wall, cpu))
    print(f"start-up: {wall:.0f} ms ({cpu:.0f} ms of processor time), {memory:.0f} MiB; median of {runs} runs")


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clinch")
    parser.add_argument("index", nargs="?", default="index.csv")
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="tasks whose `family file` matches")
    parser.add_argument("--skip", default="^float", help="families that are left out")
    parser.add_argument("--strategies", action="store_true")
    parser.add_argument("--csv", help="one line for each task")
    parser.add_argument("--html", help="a page with the table and a plot")
    parser.add_argument("--startup", action="store_true", help="measure a program that does nothing, and no tasks")
    args = parser.parse_args(words[:cut])
    flags = words[cut + 1 :]
    if args.startup:
        startup(args.clinch, flags)
        return
    with open(args.index, encoding="utf-8") as index:
        tasks = [row for row in csv.DictReader(index) if re.search(args.only, f"{row['family']} {row['file']}")]
    tasks = [task for task in tasks if not re.search(args.skip, task["family"])]
    if args.strategies:
        rows, times = [], []
        for name, choice in STRATEGIES:
            choice = ["--engine", "lazy"] + choice + flags
            if not supported(args.clinch, choice):
                print(f"{name}: not known to this clinch", flush=True)
                continue
            seconds = []
            rows.append((name, total(sweep(args, tasks, choice, times=seconds))))
            times.append((name, seconds))
            print(f"{name}: {rows[-1][1]['solved']} solved", flush=True)
        # More lines than that nobody tells apart.
        return publish(args, "Strategies of lazy abstraction", "strategy", rows, times[: len(figures.COLORS)])
    seconds = []
    with open(args.csv or os.devnull, "w", encoding="utf-8", newline="") as log:
        families = sweep(args, tasks, flags, csv.writer(log), seconds)
    rows = sorted(families.items()) + [("**all**", total(families))]
    publish(args, "C programs", "family", rows, [("all families", seconds)])


if __name__ == "__main__":
    main()
