#!/usr/bin/env python3
"""Checks C programs with witnesses, validates what was written, and prints how that went, family by family.

usage: bench-witnesses.py CLINCH INDEX.csv [--timeout 10] [--jobs 1] [--only REGEX] [--sample N] [--csv FILE] [-- FLAGS]

INDEX.csv is as for bench-c.py; a column `property` has the names that `--property` knows. FLAGS are handed on to `clinch check`. Each
witness is validated with six times the limit: what took a run long may take a program with the witness woven in longer.
A rejected witness, or one that is not read, is an error of clinch: the exit status is 1.
"""

import argparse
import collections
import concurrent.futures
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import figures

COLUMNS = ["tasks", "solved", "no witness", "confirmed", "unknown", "rejected", "not read"]
VALIDATED = {0: "confirmed", 1: "rejected", 2: "unknown"}


def run(command, limit):
    """The exit code, what was printed, and how long it took."""
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, timeout=2 * limit + 10)
        code, text = done.returncode, (done.stdout + done.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        code, text = -1, "did not stop at its limit"
    return code, text, time.time() - start


def check(args, base, task, flags, witness):
    path = os.path.join(base, task["file"])
    if not os.path.exists(path):
        path = os.path.join(base, "tasks", task["file"])
    choice = ["--property", task.get("property") or "unreach-call", "--witness", witness]
    if task.get("data_model") in ("ILP32", "LP64"):
        choice += ["--data-model", task["data_model"].lower()]
    code, text, seconds = run([args.clinch, "check", path, "--timeout", f"{args.timeout}s"] + choice + flags, args.timeout)
    return path, code, text, seconds


def round_trip(args, base, task, flags):
    """What one task adds to the sums of its family, what was said, and the time of both halves."""
    row = collections.Counter(tasks=1)
    with tempfile.TemporaryDirectory() as folder:
        witness = os.path.join(folder, "witness.yml")
        path, code, text, checked = check(args, base, task, flags, witness)
        if code not in (0, 1):
            return row, "", checked, 0.0
        row["solved"] += 1
        if not os.path.exists(witness):
            row["no witness"] += 1
            warnings = [line for line in text.splitlines() if line.startswith("warning: there is no witness")]
            return row, (warnings or ["no witness, and no reason"])[0], checked, 0.0
        limit = 6 * args.timeout
        code, text, validated = run([args.clinch, "validate", path, witness, "--timeout", f"{limit}s"], limit)
        outcome = VALIDATED.get(code, "not read")
        row[outcome] += 1
        return row, outcome + ": " + (text.splitlines() or [""])[0].replace(folder + "/", ""), checked, validated


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clinch")
    parser.add_argument("index")
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="tasks whose `family file` matches")
    parser.add_argument("--sample", type=int, default=0, help="so many of them, always the same")
    parser.add_argument("--csv", help="one line for each task")
    args = parser.parse_args(words[:cut])
    flags = words[cut + 1 :]
    with open(args.index, encoding="utf-8") as index:
        tasks = [task for task in csv.DictReader(index) if re.search(args.only, f"{task['family']} {task['file']}")]
    # There are no witnesses about unbounded integers.
    tasks = [task for task in tasks if task.get("integers") != "mathematical"]
    if args.sample:
        tasks = random.Random(1).sample(tasks, min(args.sample, len(tasks)))
    families = collections.defaultdict(collections.Counter)
    base = os.path.dirname(os.path.abspath(args.index))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, open(args.csv or os.devnull, "w", encoding="utf-8") as log:
        log = csv.writer(log)
        outcomes = pool.map(lambda task: round_trip(args, base, task, flags), tasks)
        for task, (row, said, checked, validated) in zip(tasks, outcomes):
            families[task["family"]].update(row)
            log.writerow([task["file"], task["family"], said, f"{checked:.2f}", f"{validated:.2f}"])
            if said and not row["confirmed"]:
                print(f"{task['file']}: {said}", flush=True)
    whole = sum(families.values(), collections.Counter())
    rows = [[name] + [str(row[column]) for column in COLUMNS] for name, row in sorted(families.items()) + [("**all**", whole)]]
    print("\n".join(figures.markdown(["family"] + COLUMNS, rows)))
    sys.exit(1 if whole["rejected"] + whole["not read"] else 0)


if __name__ == "__main__":
    main()
