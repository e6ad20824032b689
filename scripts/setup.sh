#!/usr/bin/env bash
# Installs what building clinch needs beyond Rust: a C++ compiler and a cmake new enough for the vendored Z3.
# Idempotent and quiet when there is nothing to do. Tools that only clinch needs go to .tools/ inside the clone.
set -euo pipefail
cd "$(dirname "$0")/.."

WANT_CMAKE=3.26

say() { printf 'setup: %s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        say "need root to run: $*"; return 1
    fi
}

debian_install() {
    command -v apt-get >/dev/null || { say "please install: $*"; return 1; }
    say "installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

new_enough() { # CMAKE: is it at least WANT_CMAKE?
    local version
    version=$("$1" --version 2>/dev/null | awk 'NR==1 { print $3 }') || return 1
    [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$WANT_CMAKE" "$version" | sort -V | head -n 1)" = "$WANT_CMAKE" ]
}

install_cmake() {
    command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || debian_install python3 python3-pip
    say "installing cmake into .tools (from the Python package index)"
    rm -rf .tools/python
    # --target keeps the package inside the clone; Debian's "externally managed" guard does not apply to it.
    python3 -m pip install --quiet --disable-pip-version-check --no-warn-script-location --root-user-action=ignore \
        --target .tools/python 'cmake>=3.26,<5'
    mkdir -p .tools/bin
    ln -sfn ../python/cmake/data/bin/cmake .tools/bin/cmake
}

command -v c++ >/dev/null && command -v cc >/dev/null && command -v make >/dev/null || debian_install build-essential
if ! new_enough .tools/bin/cmake; then
    if new_enough cmake; then mkdir -p .tools/bin && ln -sfn "$(command -v cmake)" .tools/bin/cmake; else install_cmake; fi
fi
new_enough .tools/bin/cmake || { say "no cmake >= $WANT_CMAKE after installing"; exit 1; }
