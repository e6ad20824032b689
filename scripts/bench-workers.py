#!/usr/bin/env python3
"""States per second, bytes on the wire and memory of explicit search by several workers, in processes on this machine.

usage: bench-workers.py --clinch CLINCH [--workers 1,2,4] [--plot docs/scale.svg] MODEL...

A model is a file, with constants behind it as NAME=VALUE, separated by commas: model.gcl,N=40. For each, the search on one machine with one
thread, then so many processes with a worker each, which are connected over the loopback interface. Where there are fewer cores than workers, they
share them: what counts is the time of all cores together, states per second of processor time. Prints a table in Markdown.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import figures


def ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    found = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(clinch, model, extra):
    """Statistics of one check with each of some lists of further arguments, run at a time, and the processor time of all."""
    file, *constants = model.split(",")
    defines = [part for constant in constants for part in ("--define", constant)]
    before = cpu()
    base = [clinch, "check", file, *defines, "--engine", "explicit", "--certify", "off", "--json", "--timeout", "3600s", "--memory", "12GiB"]
    running = [subprocess.Popen(base + more, stdout=subprocess.PIPE) for more in extra]
    stats = [json.loads(one.communicate()[0])["stats"] for one in running]
    return stats, cpu() - before


def measure(clinch, model, counts):
    [alone], time = run(clinch, model, [["--threads", "1"]])
    rows = [(0, alone, time, 0, alone["bytes_per_state"] * alone["states"])]
    for count in counts:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as hosts:
            hosts.write("".join(f"127.0.0.1:{port}\n" for port in ports(count)))
            hosts.flush()
            stats, time = run(clinch, model, [["--hosts", hosts.name, "--process", str(k)] for k in range(count)])
        for one in stats:
            same = all(one[name] == alone[name] for name in ("states", "transitions", "depth"))
            if not same:
                sys.exit(f"{model} with {count} workers: {one}, alone: {alone}")
        rows.append((count, stats[0], time, sum(one["bytes_sent"] for one in stats), max(one["peak_bytes"] for one in stats)))
    return rows


HEAD = ["model", "states", "workers", "states/s of processor time", "part of one machine", "messages/state", "bytes/state", "bytes/transition", "MiB per worker"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clinch", required=True)
    options.add_argument("--workers", default="1,2,4")
    options.add_argument("--plot")
    options.add_argument("models", nargs="+")
    given = options.parse_args()
    rows, series = [], []
    for model in given.models:
        found = measure(given.clinch, model, [int(count) for count in given.workers.split(",")])
        name = os.path.basename(model)
        speed = lambda row: row[1]["states"] / row[2]
        points = []
        for row in found:
            count, stats, _, wire, memory = row
            part = speed(row) / speed(found[0])
            crossing = stats["transitions"] * (count - 1) / count if count > 1 else 0
            rows.append([
                name, stats["states"], count or "one machine", f"{speed(row):.0f}", f"{part:.2f}",
                f"{stats.get('messages', 0) / stats['states']:.5f}", f"{wire / stats['states']:.1f}",
                f"{wire / crossing:.1f}" if crossing else "-", f"{memory / 2**20:.0f}",
            ])
            if count:
                points.append((count, part))
            print(figures.markdown(HEAD, rows[-1:])[-1], file=sys.stderr, flush=True)
        series.append((name, f"{found[0][1]['states']} states", points, True))
    print("\n".join(figures.markdown(HEAD, rows)))
    if given.plot:
        picture = figures.plot(("workers", {"span": (1, 5)}), ("states/s of processor time, part of one machine", {"span": (0, 1), "form": "{:.2f}"}), series)
        with open(given.plot, "w", encoding="utf-8") as out:
            out.write(picture)


if __name__ == "__main__":
    main()
