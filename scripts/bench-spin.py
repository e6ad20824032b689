#!/usr/bin/env python3
"""Explicit search beside SPIN: states per second and bytes per state, model by model, in one run.

usage: bench-spin.py --clinch BINARY [--models DIR] [--only NAME] [--repeat N] [--html FILE]
       bench-spin.py --clinch BINARY --deadlock [--models DIR] [--only NAME] [--repeat N]

DIR (default ../shared/corpus/dve) holds models/*.dve and their Promela versions pm/*.pm. SPIN is run as
`spin -a; gcc -O2 -DSAFETY -DNOREDUCE; ./pan -m1000000 -E -n`. Both searches are exhaustive; the Promela versions are
machine translations with other state counts, so what is compared is states per second. Each figure is the best of N.

With --deadlock both look for a deadlock, with their partial-order reductions (`gcc -O2 -DSAFETY; ./pan -m1000000 -n`), and what is compared is
the processor time to the verdict, of all processes, with clinch's re-check of it and without; SPIN's time is without the compiler's.
"""
import argparse, json, math, os, re, resource, shutil, subprocess, sys, tempfile, time

import figures

# Ten models of 10^5 to 10^7 states whose Promela version SPIN can finish.
MODELS = ["anderson.1", "blocks.3", "brp.3", "fischer.4", "hanoi.2", "iprotocol.3", "leader_filters.5", "mcs.3",
          "szymanski.4", "telephony.3"]


def clinch(binary, model, threads):
    command = [binary, "check", model, "--engine", "explicit", "--threads", str(threads), "--certify", "off", "--json",
               "--timeout", "300s", "--memory", "16GiB"]
    out = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    stats = out["stats"]
    return stats["states"], stats["states"] / out["time_s"], stats["bytes_per_state"]


def build_pan(promela, folder, flags=("-DNOREDUCE",)):
    subprocess.run(["spin", "-a", promela], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-O2", "-DSAFETY", *flags, "-w", "-o", "pan", "pan.c"], cwd=folder, check=True)


def spin(folder):
    start = time.time()
    out = subprocess.run(["./pan", "-m1000000", "-E", "-n"], cwd=folder, capture_output=True, text=True).stdout
    elapsed = time.time() - start
    states = int(re.search(r"(\d+) states, stored", out).group(1))
    # pan's own clock has a resolution of 10 ms and leaves out the set-up of its table.
    own = re.search(r"elapsed time ([\d.]+)", out)
    seconds = max(float(own.group(1)), 0.01) if own else elapsed
    vector = int(re.search(r"State-vector (\d+) byte", out).group(1))
    return states, states / seconds, vector


def best(runs):
    return max(runs, key=lambda run: run[1])


def timed(command, folder=None):
    """Output and processor time of a command, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def clinch_deadlock(binary, model, flags):
    command = [binary, "check", model, "--engine", "explicit", "--threads", "1", "--deadlock", "--json", "--timeout", "300s",
               "--memory", "16GiB", *flags]
    out, seconds = timed(command)
    out = json.loads(out)
    return seconds, out["stats"].get("states", 0), out["verdict"]


def spin_deadlock(folder):
    out, seconds = timed(["./pan", "-m1000000", "-n"], folder)
    found = int(re.search(r"errors: (\d+)", out).group(1)) > 0
    return seconds, int(re.search(r"(\d+) states, stored", out).group(1)), "unsafe" if found else "safe"


def deadlocks(o):
    """The table of verdicts about deadlocks."""
    less = ["--reduce", "por", "--dead", "forget"]
    ways = [["--certify", "off"], ["--certify", "off", *less], less]
    print(f"{'model':18} {'spin states':>11} {'s':>7} {'clinch all':>11} {'s':>7} {'reduced':>11} {'s':>7} {'re-checked s':>12} {'ratio':>7}  verdicts")
    ratios = []
    for name in [name for name in MODELS if o.only in name]:
        model = os.path.join(o.models, "models", name + ".dve")
        with tempfile.TemporaryDirectory() as folder:
            build_pan(os.path.abspath(os.path.join(o.models, "pm", name + ".pm")), folder, ())
            rival = min(spin_deadlock(folder) for _ in range(o.repeat))
        every, some, checked = (min(clinch_deadlock(o.clinch, model, way) for _ in range(o.repeat)) for way in ways)
        ratios.append(max(some[0], 0.01) / max(rival[0], 0.01))
        print(f"{name:18} {rival[1]:11} {rival[0]:7.2f} {every[1]:11} {every[0]:7.2f} {some[1]:11} {some[0]:7.2f} {checked[0]:12.2f}"
              f" {ratios[-1]:7.2f}  {rival[2]} {every[2]} {some[2]} {checked[2]}", flush=True)
    if ratios:
        print(f"geometric mean of reduced / spin: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clinch", required=True)
    a.add_argument("--models", default=os.environ.get("CLINCH_DVE", "../shared/corpus/dve"))
    a.add_argument("--only", default="")
    a.add_argument("--repeat", type=int, default=3)
    a.add_argument("--html", help="a page with the table and a plot")
    a.add_argument("--deadlock", action="store_true", help="look for deadlocks, with reductions: time to the verdict")
    o = a.parse_args()
    if not os.path.isdir(os.path.join(o.models, "pm")):
        return print(f"bench: no models in {o.models} (set CLINCH_DVE)")
    if not shutil.which("spin"):
        return print("bench: spin is not installed (Debian: apt-get install spin)")
    o.clinch = os.path.abspath(o.clinch)
    if o.deadlock:
        return deadlocks(o)
    binary, cores = os.path.abspath(o.clinch), os.cpu_count()
    print(f"{'model':18} {'states':>9} {'clinch x1':>10} {f'x{cores}':>10} {'spin':>10} {'ratio x1':>9} {f'ratio x{cores}':>9}"
          f" {'bytes/state':>12} {'spin vector':>12}   (million states per second)")
    ones, alls, rows = [], [], []
    for name in MODELS:
        if o.only not in name:
            continue
        model = os.path.join(o.models, "models", name + ".dve")
        with tempfile.TemporaryDirectory() as folder:
            build_pan(os.path.abspath(os.path.join(o.models, "pm", name + ".pm")), folder)
            states, one, size = best([clinch(binary, model, 1) for _ in range(o.repeat)])
            _, many, _ = best([clinch(binary, model, cores) for _ in range(o.repeat)])
            _, rival, vector = best([spin(folder) for _ in range(o.repeat)])
        ones.append(one / rival)
        alls.append(many / rival)
        print(f"{name:18} {states:9} {one / 1e6:10.2f} {many / 1e6:10.2f} {rival / 1e6:10.2f} {ones[-1]:9.2f}"
              f" {alls[-1]:9.2f} {size:12.1f} {vector:12}", flush=True)
        rows.append([name, states] + [f"{x:.2f}" for x in (one / 1e6, many / 1e6, rival / 1e6, ones[-1], alls[-1])])
    mean = lambda xs: math.exp(sum(map(math.log, xs)) / len(xs)) if xs else 0
    print(f"{'geometric mean':18} {'':9} {'':10} {'':10} {'':10} {mean(ones):9.2f} {mean(alls):9.2f}")
    if o.html:
        head = ["model", "states", "clinch x1", f"x{cores}", "spin", "ratio x1", f"ratio x{cores}"]
        speeds = [(f"clinch, {cores} cores", 3), ("clinch, 1 core", 2), ("spin", 4)]
        series = [(name, "", [(row[1], float(row[column])) for row in sorted(rows, key=lambda row: row[1])], True) for name, column in speeds]
        plot = figures.plot(("states", {"log": True}), ("million states per second", {}), series)
        with open(o.html, "w", encoding="utf-8") as out:
            out.write(figures.page("Explicit search beside SPIN", [("Million states per second", head, rows), ("By the size of the model", plot)]))


if __name__ == "__main__":
    sys.exit(main())
