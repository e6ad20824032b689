#!/usr/bin/env python3
"""Measures how symbolic pushdown systems with abstraction refinement grow with the size of the program.

usage: bench-spds.py CLINCH [--rounds 12] [--timeout 60] [--docs docs] [--html FILE]

Programs of [Spds] of growing size are written as Remopla and checked with `--engine spds --abstraction dag`; each time is the
best of some rounds (fewer where they take long), as clinch reports it, without the re-check of the verdict. The unit of work
is what the program is made of: levels of calls (figure 8), nested procedures, bits of a number (figure 9) and of the heap
(section 6.3); for diamonds (figure 11) it is a control point and a variable, since each of the predicates at the 7n points
speaks of up to 2n variables. Writes DOCS/spds-scaling.svg.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import figures

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "rem")


def chain(main, inner, last, n):
    """A main module and n others, each of which calls the next one."""
    return "".join([main, *(inner(i) for i in range(1, n)), last(n)])


def levels(n):
    """Figure 8."""
    return chain(
        "bool G;\nmodule void main() { G = true; level1(); level1(); if :: G == false -> goto error; :: else -> return; fi error: skip; }\n",
        lambda i: f"module void level{i}() {{ level{i + 1}(); level{i + 1}(); }}\n",
        lambda i: f"module void level{i}() {{ if :: G == true -> G = false; :: else -> G = true; fi }}\n",
        n,
    )


def diamonds(n):
    """Figure 11."""
    text = f"bool B[{n}];\nbool C[{n}];\nmodule void main() {{\n"
    text += "".join(f"B[{i}] = undef;\n" for i in range(n))
    text += "".join(f"if :: B[{i}] == false -> C[{i}] = false; :: else -> C[{i}] = B[{i}]; fi\n" for i in range(n))
    text += "".join(f"if :: B[{i}] != C[{i}] -> goto error; :: else -> skip; fi\n" for i in range(n))
    return text + "return;\nerror: skip;\n}\n"


def nesting(n):
    """A value that is handed down through n procedures and back."""
    return chain(
        "module void main() { bool x; bool y; y = down1(x); if :: x != y -> goto error; :: else -> return; fi error: skip; }\n",
        lambda i: f"module bool down{i}(bool x) {{ bool y; y = down{i + 1}(x); return y; }}\n",
        lambda i: f"module bool down{i}(bool x) {{ return x; }}\n",
        n,
    )


def example(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return file.read()


def locking(bits):
    """Figure 9."""
    return example("fig9.rem").replace("DEFAULT_INT_BITS 8", f"DEFAULT_INT_BITS {bits}")


def linked_list(bits):
    """Section 6.3."""
    return example("linked-list.rem").replace("define CELLS 8", f"define CELLS {bits // 5}")


# What grows, how its programs are written, sizes, the work of a size, and what the axis calls it.
SERIES = [
    ("levels of calls", levels, [50, 100, 200, 500, 1000, 2000], lambda n: n, "level"),
    ("nesting depth", nesting, [50, 100, 200, 500, 1000], lambda n: n, "procedure"),
    ("bits of numbers", locking, [8, 12, 16, 24, 32, 48, 64], lambda n: n, "bit"),
    ("bits of heap", linked_list, [40, 50, 60, 70, 80, 90, 100], lambda n: n, "bit"),
    ("diamonds", diamonds, [10, 25, 50, 100, 200, 300], lambda n: 7 * n * 2 * n, "point and variable"),
]
PATIENCE = 8


def measure(clinch, text, rounds, timeout):
    """The best time and the peak of nodes; none where there is no verdict."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.rem")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [clinch, "check", path, "--engine", "spds", "--abstraction", "dag", "--timeout", f"{timeout}s", "--json"]
        best, start = None, time.time()
        for i in range(rounds):
            if i >= 3 and time.time() - start > PATIENCE:
                break
            done = subprocess.run(command, capture_output=True, text=True, timeout=3 * timeout + 60)
            if done.returncode not in (0, 1):
                return None
            report = json.loads(done.stdout)
            found = (report["time_s"], report["stats"]["peak_bdd_nodes"], report["stats"]["refinements"])
            best = min(best or found, found)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clinch")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--docs", default="docs")
    parser.add_argument("--html", help="a page with the numbers and the plot")
    args = parser.parse_args()
    results = []
    for name, write, sizes, work, unit in SERIES:
        points = []
        for n in sizes:
            found = measure(args.clinch, write(n), args.rounds, args.timeout)
            if found is None:
                print(f"{name} {n}: no verdict", flush=True)
                continue
            seconds, nodes, cycles = found
            each = 1e6 * seconds / work(n)
            print(f"{name} {n}: {seconds:.3f} s, {each:.1f} us each, {cycles} cycles, {nodes} nodes", flush=True)
            points.append((n, each))
        results.append((name, unit, points))
    with open(os.path.join(args.docs, "spds-scaling.svg"), "w", encoding="utf-8") as out:
        out.write(plot(results))
    if args.html:
        rows = [[name, n, f"{each:.1f}", unit] for name, unit, points in results for n, each in points]
        parts = [("Time per unit of work", ["program", "size", "µs", "unit"], rows), ("The same", plot(results))]
        with open(args.html, "w", encoding="utf-8") as out:
            out.write(figures.page("Symbolic pushdown systems: growth", parts))


def plot(results):
    """The time of a unit of work by the size, as a part of the largest."""
    series = []
    for name, unit, points in results:
        largest = max((n for n, _ in points), default=1)
        series.append((f"{name}, up to {largest}", f"per {unit}", [(n / largest, each) for n, each in points], True))
    size = ("size, as a part of the largest", {"span": (0, 1), "form": "{:.0%}"})
    return figures.plot(size, ("time per unit of work, µs", {"log": True}), series)


if __name__ == "__main__":
    main()
