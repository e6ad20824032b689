#!/usr/bin/env python3
"""Compares the engines cegar and spacer on Horn clauses, task by task in one run.

usage: bench-chc.py CLINCH INDEX.csv [--timeout 10] [--tracks LIA-Lin,LIA] [--docs docs] [--html FILE]

INDEX.csv has the columns file, track, family and expected (sat, unsat or unknown); files are relative to it, or to its
folder tasks/. Both engines run on a task one after the other, on the same core, before the next task starts. Every
answer is certified by clinch, for both engines alike. Writes DOCS/chc-results.md and DOCS/chc-scatter.svg.
"""

import argparse
import collections
import csv
import os
import platform
import subprocess
import time

import figures

ENGINES = ["cegar", "spacer"]
HEAD = ["family", "tasks", "cegar", "spacer", "only cegar", "only spacer"]
EXITS = {0: "sat", 1: "unsat", 2: "unknown"}


def run(clinch, path, engine, timeout):
    start = time.time()
    command = [clinch, "check", path, "--engine", engine, "--timeout", f"{timeout}s"]
    try:
        code = subprocess.run(command, capture_output=True, timeout=2 * timeout + 10).returncode
    except subprocess.TimeoutExpired:
        code = -1
    return EXITS.get(code, f"failure {code}"), time.time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clinch")
    parser.add_argument("index")
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--tracks", default="LIA-Lin,LIA")
    parser.add_argument("--docs", default="docs")
    parser.add_argument("--html", help="a page with the tables and the plot")
    args = parser.parse_args()
    base = os.path.dirname(os.path.abspath(args.index))
    tracks = args.tracks.split(",")
    with open(args.index, encoding="utf-8") as index:
        tasks = [row for row in csv.DictReader(index) if row["track"] in tracks]
    results = []
    for task in tasks:
        path = os.path.join(base, task["file"])
        if not os.path.exists(path):
            path = os.path.join(base, "tasks", task["file"])
        outcome = {engine: run(args.clinch, path, engine, args.timeout) for engine in ENGINES}
        results.append((task, outcome))
        print(task["file"], task["expected"], {e: (a, round(t, 2)) for e, (a, t) in outcome.items()}, flush=True)
    with open(os.path.join(args.docs, "chc-results.md"), "w", encoding="utf-8") as out:
        out.write(report(results, tracks, args.timeout))
    with open(os.path.join(args.docs, "chc-scatter.svg"), "w", encoding="utf-8") as out:
        out.write(scatter(results, args.timeout))
    if args.html:
        tracks = [(track, HEAD, table(track, [r for r in results if r[0]["track"] == track])) for track in tracks]
        parts = tracks + [wrong_answers(results), ("Below the diagonal, cegar is faster", scatter(results, args.timeout))]
        with open(args.html, "w", encoding="utf-8") as out:
            out.write(figures.page("Horn clauses: cegar beside Spacer", parts))


def right(task, answer):
    """Whether an answer is one, and not wrong."""
    return answer in ("sat", "unsat") and task["expected"] in (answer, "unknown")


def wrong(task, answer):
    return answer in ("sat", "unsat") and task["expected"] in ("sat", "unsat") and answer != task["expected"]


def bare_verdict(task, timeout):
    """Whether the index says that plain Z3 answers in time."""
    return task.get("spacer_verdict") in ("sat", "unsat") and float(task.get("spacer_time_s", "inf")) <= timeout


def report(results, tracks, timeout):
    lines = [
        "# Horn clauses: cegar beside Spacer",
        "",
        f"Solved tasks with {timeout} s each, start-up, preparation and certification included; both engines in one run of",
        f"`scripts/bench-chc.py`, one task at a time, on {os.cpu_count()} cores ({platform.machine()}). Tasks are a sample of",
        "CHC-COMP's. An answer counts only if `certify` accepted its evidence; so spacer loses those whose model has",
        "quantifiers or whose evidence could not be taken back in time: its bare verdicts are more.",
        "",
    ]
    for track in tracks:
        bare = [t for t, _ in results if t["track"] == track and bare_verdict(t, timeout)]
        if bare:
            lines += [f"Spacer's bare verdicts within {timeout} s, as the index has them, {track}: {len(bare)}.", ""]
    for track in tracks:
        here = [(t, o) for t, o in results if t["track"] == track]
        lines += [f"## {track}", ""] + figures.markdown(HEAD, table(track, here)) + ["", wrong_answers(here), ""]
    lines += ["![times](chc-scatter.svg)", "", "Each point is a task: below the diagonal, cegar is faster."]
    return "\n".join(lines) + "\n"


def table(track, results):
    """Who solved how many of each family, as rows."""
    families = collections.OrderedDict()
    for task, outcome in sorted(results, key=lambda r: r[0]["family"]):
        families.setdefault(task["family"], []).append((task, outcome))
    rows, total = [], [0] * 5
    for family, members in list(families.items()):
        solved = {e: {t["file"] for t, o in members if right(t, o[e][0])} for e in ENGINES}
        cegar, spacer = solved["cegar"], solved["spacer"]
        row = [len(members), len(cegar), len(spacer), len(cegar - spacer), len(spacer - cegar)]
        total = [a + b for a, b in zip(total, row)]
        rows.append([family] + row)
    return rows + [["**all**"] + [f"**{n}**" for n in total]]


def wrong_answers(results):
    wrongs = {e: sum(wrong(t, o[e][0]) for t, o in results) for e in ENGINES}
    return f"Wrong answers: cegar {wrongs['cegar']}, spacer {wrongs['spacer']}."


def scatter(results, timeout):
    """Seconds of both engines on each task; those without an answer take all the time there is."""
    series = []
    for expected in ("sat", "unsat"):
        points = []
        for task, outcome in results:
            if task["expected"] == expected or expected == "unsat" and task["expected"] != "sat":
                times = (seconds if right(task, answer) else timeout for answer, seconds in (outcome["spacer"], outcome["cegar"]))
                points.append(tuple(times))
        series.append((expected, f"{len(points)} tasks", points, False))
    axis = {"log": True, "span": (0.02, timeout)}
    return figures.plot(("spacer, seconds", axis), ("cegar, seconds", axis), series, diagonal=True)


if __name__ == "__main__":
    main()
