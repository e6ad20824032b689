#!/usr/bin/env python3
"""Explicit search by several workers against the search on one machine: states, transitions, depth and verdict, model by model.

usage: check-workers.py --clinch BINARY [--error CONDITION] [--limit STATES] [--seconds N] MODEL...
       check-workers.py --clinch BINARY [--error CONDITION] --kill N MODEL

Without --kill each model is searched on one machine, by 1, 2 and 4 workers in threads, and by 2 and 4 in processes; all must count the
same. Models with more than STATES states are skipped; the smallest ones come first, and no new one is begun after N seconds.

With --kill one of four processes is ended at a random moment, N times, each time with a checkpoint: whatever the others say must be right, they must end,
and the run that goes on from the checkpoint must count what the undisturbed one did.
"""
import argparse, json, os, random, shutil, socket, subprocess, sys, tempfile, time

LIMITS = ["--timeout", "300s", "--memory", "8GiB"]
COUNTS = ["states", "transitions", "depth"]


def command(o, model, *flags):
    return [o.clinch, "check", model, "--engine", "explicit", "--json", *LIMITS, *(["--error", o.error] if o.error else []), *flags]


def summary(text):
    try:
        report = json.loads(text)
    except ValueError:
        return "failed", None, text[:200]
    return report["verdict"] or "", [report["stats"].get(count) for count in COUNTS], report.get("reason")


def alone(o, model):
    return summary(subprocess.run(command(o, model), capture_output=True, text=True).stdout)


def hosts(folder, number):
    """A file with addresses at which nobody listens."""
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    name = os.path.join(folder, "hosts.txt")
    with open(name, "w", encoding="utf-8") as out:
        out.writelines(f"127.0.0.1:{each.getsockname()[1]}\n" for each in sockets)
    for each in sockets:
        each.close()
    return name


def start(o, model, number, folder, *flags):
    """A session for each process, so that it can be ended with all it started."""
    file = hosts(folder, number)
    return [subprocess.Popen(command(o, model, "--hosts", file, "--process", str(process), *flags), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) for process in range(number)]


def ways(o, model):
    """How several workers search, and what they say."""
    for workers in (1, 2, 4):
        flags = command(o, model, "--workers", str(workers))
        yield f"{workers} threads", [summary(subprocess.run(flags, capture_output=True, text=True).stdout)]
    for number in (2, 4):
        with tempfile.TemporaryDirectory() as folder:
            yield f"{number} processes", [summary(child.communicate()[0]) for child in start(o, model, number, folder)]


def same(o):
    begin, checked, wrong = time.time(), 0, 0
    for states, model in sorted((states_of(o, model), model) for model in o.models):
        if time.time() - begin > o.seconds:
            break
        if states is None or states > o.limit:
            continue
        expected = alone(o, model)
        if expected[0] == "failed" or expected[1] is None or None in expected[1]:
            print(f"{os.path.basename(model)}: not searched: {expected}")
            continue
        different = [(name, found) for name, all_found in ways(o, model) for found in all_found if found[:2] != expected[:2]]
        checked, wrong = checked + 1, wrong + bool(different)
        print(f"{os.path.basename(model):28} {expected[1]} {expected[0]} {'DIFFERENT: ' + str(different) if different else 'the same'}", flush=True)
    print(f"{checked} models, {wrong} with differences, {time.time() - begin:.0f} s")
    return wrong > 0


def states_of(o, model):
    """The expected number of states, of the index beside the folder of the models; a large number where there is none."""
    index = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(model))), "index.csv")
    if os.path.exists(index):
        with open(index, encoding="utf-8") as lines:
            for line in lines:
                name, states = line.split(",")[:2]
                if name == os.path.basename(model) and states.isdigit():
                    return int(states)
    return 1 << 62


def killed(o, model):
    expected = alone(o, model)
    print(f"undisturbed: {expected}")
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        for child in start(o, model, 4, folder):
            child.communicate()
    length, wrong = time.time() - begin, 0
    for turn in range(o.kill):
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = os.path.join(folder, "checkpoint")
            children = start(o, model, 4, folder, "--checkpoint", checkpoint)
            moment, victim = random.random() * length, random.randrange(4)
            time.sleep(moment)
            os.killpg(children[victim].pid, 9)
            ended, said = time.time(), []
            for number, child in enumerate(children):
                output = child.communicate(timeout=120)[0]
                if number != victim:
                    said.append(summary(output))
            seconds = time.time() - ended
            fine = all(verdict == "unknown" or found[:2] == expected[:2] for found in said for verdict in [found[0]])
            again = resumed(o, model, checkpoint)
            ok = fine and (again is None or again[:2] == expected[:2])
            wrong += not ok
            print(f"{turn + 1:3} process {victim} after {moment:.1f} s: {sorted({found[0] for found in said})} within {seconds:.1f} s;"
                  f" goes on: {'nothing to go on from' if again is None else again[:2]} {'' if ok else 'WRONG ' + str(said)}", flush=True)
    print(f"{o.kill} times, {wrong} wrong")
    return wrong > 0


def resumed(o, model, checkpoint):
    """What a run says that goes on from a checkpoint with three workers; nothing if no level was written yet."""
    if not os.path.isdir(checkpoint):
        return None
    run = subprocess.run(command(o, model, "--workers", "3", "--resume", checkpoint), capture_output=True, text=True)
    found = summary(run.stdout)
    return None if found[0] in ("failed", "unknown") and "level" in (found[2] or "") + run.stderr else found


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clinch", required=True)
    a.add_argument("--error", help="what is an error; where nothing is, the verdict is that states were counted")
    a.add_argument("--limit", type=int, default=10**7)
    a.add_argument("--seconds", type=float, default=1e9)
    a.add_argument("--kill", type=int, default=0)
    a.add_argument("models", nargs="+")
    o = a.parse_args()
    o.clinch = os.path.abspath(o.clinch)
    return killed(o, o.models[0]) if o.kill else same(o)


if __name__ == "__main__":
    sys.exit(main())
