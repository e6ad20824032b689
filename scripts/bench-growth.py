#!/usr/bin/env python3
"""Measures how time and memory grow with the size of C programs.

usage: bench-growth.py CLINCH [--tasks INDEX.csv] [--timeout 60] [--engines outline,symex] [--prefix FILE] [--html FILE]

Programs are made with three numbers: so many functions, each called from so many places, so many levels deep. A lock is taken and given back in
the functions of the lowest level. Where calls are copied, the deepest one has more than 10^18 calls. With --tasks, the programs of an index are
measured as well (its columns are those of bench-c.py). The time is that of the processors, of all processes; the memory is the peak of the largest process.
--prefix writes FILE-time.svg and FILE-memory.svg.
"""

import argparse
import csv
import itertools
import os
import re
import subprocess
import sys
import tempfile

import figures

HEAD = """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
static int locked;
static void lock(void) { if (locked) reach_error(); locked = 1; }
static void unlock(void) { if (!locked) reach_error(); locked = 0; }
"""
# Functions, places, levels: one of them grows.
FAMILIES = [
    ("functions", [(n, 4, 8) for n in (100, 200, 400, 800, 1600)]),
    ("places", [(400, k, 8) for k in (2, 4, 8, 16, 32)]),
    ("levels", [(800, 4, d) for d in (2, 4, 8, 16, 32)]),
]


def program(functions, places, levels):
    """The text of a program without error."""
    width = max(functions // levels, 1)
    lines = [HEAD]
    for j in range(width):
        lines += [f"static int f0_{j}(int x) {{", "  lock();", f"  if (x > {j})", "    x += 2;", "  unlock();", "  return x;", "}"]
    for level in range(1, levels):
        for j in range(width):
            lines += [f"static int f{level}_{j}(int x) {{"]
            for m in range(places):
                lines += [f"  if (x != {m})", f"    x = f{level - 1}_{(j * places + m) % width}(x + {m});"]
            lines += ["  return x;", "}"]
    lines += ["int main(void) {", "  int x = 0;", "  while (__VERIFIER_nondet_int()) {"]
    lines += [f"    x = f{levels - 1}_{j}(x);" for j in range(width)]
    return "\n".join(lines + ["  }", "  return 0;", "}", ""])


def measure(clinch, path, engine, timeout, flags=()):
    """The exit code, seconds of the processors, MiB of the largest process."""
    command = [clinch, "check", path, "--engine", engine, "--timeout", f"{timeout}s", "--property", "unreach-call", *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def generated(args, engine, broken):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.c")
        for name, sizes in FAMILIES:
            for size in sizes:
                text = program(*size)
                if broken:
                    text = text.replace("  unlock();\n", "", 1)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                label = f"{size[0]} functions, {size[1]} places, {size[2]} levels"
                yield name, label, text.count("\n"), *measure(args.clinch, path, engine, args.timeout)


def published(args, engine, expected):
    base = os.path.dirname(os.path.abspath(args.tasks))
    with open(args.tasks, encoding="utf-8") as file:
        tasks = [task for task in csv.DictReader(file) if task["expected"] == expected]
    for task in tasks:
        path = os.path.join(base, "tasks", task["file"])
        flags = ["--data-model", task["data_model"].lower()] if task["data_model"] in ("ILP32", "LP64") else []
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = sum(1 for _ in file)
        name = re.sub(r"\W*(cil|out|i)\b", "", task["file"])[-40:]
        yield "published", name, lines, *measure(args.clinch, path, engine, args.timeout, flags)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clinch")
    parser.add_argument("--tasks")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--engines", default="outline,symex")
    parser.add_argument("--prefix")
    parser.add_argument("--html")
    args = parser.parse_args()
    head = ["engine", "family", "program", "lines", "answer", "s", "MiB"]
    rows, series = [], {}
    print("\n".join(figures.markdown(head, [])), flush=True)
    for engine in args.engines.split(","):
        broken = engine == "symex"
        tasks = published(args, engine, "false" if broken else "true") if args.tasks else []
        for family, label, lines, code, seconds, memory in itertools.chain(generated(args, engine, broken), tasks):
            answer = {0: "safe", 1: "unsafe", 2: "unknown"}.get(code, f"exit code {code}")
            rows.append([engine, family, label, lines, answer, f"{seconds:.2f}", f"{memory:.0f}"])
            print("| " + " | ".join(str(cell) for cell in rows[-1]) + " |", flush=True)
            if code in (0, 1):
                series.setdefault((engine, family), []).append((lines, max(seconds, 0.01), memory))
    axis = ("lines of the program", {"log": True})
    pictures = []
    for name, label, index in [("time", "seconds of the processor", 1), ("memory", "MiB of the largest process", 2)]:
        lines = [
            (f"{engine}: {family}", f"{len(points)} decided", sorted((p[0], p[index]) for p in points), family != "published")
            for (engine, family), points in series.items()
        ]
        pictures.append((label, figures.plot(axis, (label, {"log": True}), lines)))
        if args.prefix:
            with open(f"{args.prefix}-{name}.svg", "w", encoding="utf-8") as file:
                file.write(pictures[-1][1])
    if args.html:
        with open(args.html, "w", encoding="utf-8") as file:
            file.write(figures.page("Growth", [*pictures, ("Runs", head, rows)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
