#!/usr/bin/env bash
# Installs what clinch needs beyond Rust: a C compiler, a 32-bit C library for it, and Z3's official library. `setup.sh vendored` installs
# what compiling Z3 from source needs instead: a C++ compiler and a cmake that is new enough.
# Idempotent and quiet when there is nothing to do. What only clinch needs goes to .tools/ inside the clone.
set -euo pipefail
cd "$(dirname "$0")/.."

WANT_CMAKE=3.26
Z3_LIBRARY=libz3.so.5.4

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

need_pip() {
    command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || debian_install python3 python3-pip
}

install_cmake() {
    need_pip
    say "installing cmake into .tools (from the Python package index)"
    rm -rf .tools/python
    # --target keeps the package inside the clone; Debian's "externally managed" guard does not apply to it.
    python3 -m pip install --quiet --disable-pip-version-check --no-warn-script-location --root-user-action=ignore \
        --target .tools/python 'cmake>=3.26,<5'
    mkdir -p .tools/bin
    ln -sfn ../python/cmake/data/bin/cmake .tools/bin/cmake
}

setup_cmake() {
    if ! new_enough .tools/bin/cmake; then
        if new_enough cmake; then mkdir -p .tools/bin && ln -sfn "$(command -v cmake)" .tools/bin/cmake; else install_cmake; fi
    fi
    new_enough .tools/bin/cmake || { say "no cmake >= $WANT_CMAKE after installing"; exit 1; }
}

# The library is unpacked beside its final place and moved there whole: an interrupted set-up leaves nothing half done.
install_z3() {
    need_pip
    say "installing Z3's library into .tools (from the Python package index)"
    rm -rf .tools/z3 .tools/z3.new
    mkdir -p .tools/z3.new
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        -r scripts/z3/requirements.txt -d .tools/z3.new
    python3 -m zipfile -e .tools/z3.new/*.whl .tools/z3.new
    mkdir -p .tools/z3.new/lib
    mv .tools/z3.new/z3/lib/libz3.so* .tools/z3.new/lib/
    ln -sfn "$Z3_LIBRARY" .tools/z3.new/lib/libz3.so
    cp scripts/z3/requirements.txt .tools/z3.new/lib/
    rm -rf .tools/z3.new/z3 .tools/z3.new/*.whl .tools/z3.new/*.data .tools/z3.new/*.dist-info
    mv .tools/z3.new .tools/z3
}

# Counterexamples of 32-bit programs are executed with a 32-bit C library. Without one, clinch's own small one has to do: nothing
# else depends on it, so that a machine where it cannot be installed is not turned away.
setup_32_bit() {
    echo '#include <stdio.h>
int main(void) { return puts("") < 0; }' > .tools/probe.c
    if [ "$(uname -m)" = x86_64 ] && ! cc -m32 .tools/probe.c -o .tools/probe 2>/dev/null; then
        debian_install gcc-multilib || say "no 32-bit C library: please install gcc-multilib"
    fi
    rm -f .tools/probe .tools/probe.c
}

command -v cc >/dev/null && command -v make >/dev/null || debian_install build-essential
mkdir -p .tools
setup_32_bit
if [ "${1:-}" = vendored ]; then
    command -v c++ >/dev/null || debian_install build-essential
    setup_cmake
elif ! cmp -s scripts/z3/requirements.txt .tools/z3/lib/requirements.txt || [ ! -e ".tools/z3/lib/$Z3_LIBRARY" ]; then
    install_z3
fi
