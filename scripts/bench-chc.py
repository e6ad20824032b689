#!/usr/bin/env python3
"""Compares the engines cegar and spacer on Horn clauses, task by task in one run.

usage: bench-chc.py CLINCH INDEX.csv [--timeout 10] [--tracks LIA-Lin,LIA] [--docs docs]

INDEX.csv has the columns file, track, family and expected (sat, unsat or unknown); files are relative to it, or to its
folder tasks/. Both engines run on a task one after the other, on the same core, before the next task starts. Every
answer is certified by clinch, for both engines alike. Writes DOCS/chc-results.md and DOCS/chc-scatter.svg.
"""

import argparse
import collections
import csv
import math
import os
import platform
import subprocess
import time

ENGINES = ["cegar", "spacer"]
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
        lines += table(track, here)
    lines += ["![times](chc-scatter.svg)", "", "Each point is a task: below the diagonal, cegar is faster."]
    return "\n".join(lines) + "\n"


def table(track, results):
    families = collections.OrderedDict()
    for task, outcome in sorted(results, key=lambda r: r[0]["family"]):
        families.setdefault(task["family"], []).append((task, outcome))
    lines = [f"## {track}", "", "| family | tasks | cegar | spacer | only cegar | only spacer |", "|---|---|---|---|---|---|"]
    total = [0] * 5
    for family, members in list(families.items()):
        solved = {e: {t["file"] for t, o in members if right(t, o[e][0])} for e in ENGINES}
        cegar, spacer = solved["cegar"], solved["spacer"]
        row = [len(members), len(cegar), len(spacer), len(cegar - spacer), len(spacer - cegar)]
        total = [a + b for a, b in zip(total, row)]
        lines.append(f"| {family} | " + " | ".join(map(str, row)) + " |")
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in total) + " |")
    wrongs = {e: sum(wrong(t, o[e][0]) for t, o in results) for e in ENGINES}
    lines += ["", f"Wrong answers: cegar {wrongs['cegar']}, spacer {wrongs['spacer']}.", ""]
    return lines


def scatter(results, timeout):
    size, margin, low = 420, 50, 0.02

    def place(seconds):
        clipped = min(max(seconds, low), timeout)
        return margin + (size - 2 * margin) * math.log(clipped / low) / math.log(timeout / low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" font-size="11">',
        f'<rect width="{size}" height="{size}" fill="white"/>',
        f'<rect x="{margin}" y="{margin}" width="{size - 2 * margin}" height="{size - 2 * margin}" fill="none" stroke="#888"/>',
        f'<line x1="{margin}" y1="{size - margin}" x2="{size - margin}" y2="{margin}" stroke="#bbb"/>',
        f'<text x="{size / 2}" y="{size - 12}" text-anchor="middle">spacer, seconds</text>',
        f'<text x="14" y="{size / 2}" text-anchor="middle" transform="rotate(-90 14 {size / 2})">cegar, seconds</text>',
    ]
    for tick in (0.1, 1, timeout):
        at = place(tick)
        parts.append(f'<text x="{at:.0f}" y="{size - margin + 14}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{margin - 6}" y="{size - at + 4:.0f}" text-anchor="end">{tick:g}</text>')
    for task, outcome in results:
        x, y = (place(t if right(task, a) else timeout) for a, t in (outcome["spacer"], outcome["cegar"]))
        color = "#1f6fb4" if task["expected"] == "sat" else "#c0392b"
        parts.append(f'<circle cx="{x:.1f}" cy="{size - y:.1f}" r="3" fill="{color}" fill-opacity="0.6"/>')
    parts.append(f'<circle cx="{margin + 10}" cy="{margin - 14}" r="3" fill="#1f6fb4"/>')
    parts.append(f'<text x="{margin + 18}" y="{margin - 10}">sat</text>')
    parts.append(f'<circle cx="{margin + 60}" cy="{margin - 14}" r="3" fill="#c0392b"/>')
    parts.append(f'<text x="{margin + 68}" y="{margin - 10}">unsat</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
