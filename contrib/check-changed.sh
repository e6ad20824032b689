#!/usr/bin/env bash
# Checks C files and writes a SARIF log and a page for each into a folder: `check-changed.sh FOLDER`.
#
# FILES: the files, separated by blanks; those that changed against BASE (a branch of origin) if it is empty, all C files if there is no BASE.
# CHECKS, ARGUMENTS, TIMEOUT: for `clinch check`. The exit code is 1 if a check fails, 0 otherwise: no verdict is no failure.
set -euo pipefail
folder=${1:?usage: check-changed.sh FOLDER}
mkdir -p "$folder"
files=${FILES:-}
if [ -z "$files" ] && [ -n "${BASE:-}" ]; then
  git fetch --quiet --depth=1 origin "$BASE"
  files=$(git diff --name-only --diff-filter=ACMR "origin/$BASE" -- '*.c')
elif [ -z "$files" ]; then
  files=$(git ls-files -- '*.c')
fi
failed=0
for file in $files; do
  name=$(printf '%s' "$file" | tr '/' '-')
  # shellcheck disable=SC2086
  clinch check "$file" ${CHECKS:+--check "$CHECKS"} ${ARGUMENTS:-} --timeout "${TIMEOUT:-60s}" \
    --sarif "$folder/$name.sarif" --report "$folder/$name.html" && code=0 || code=$?
  case $code in
    1) failed=$((failed + 1)) ;;
    0 | 2) ;;
    *) echo "clinch: $file: exit code $code" >&2 ;;
  esac
done
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "failed=$failed" >>"$GITHUB_OUTPUT"; fi
echo "$failed of $(printf '%s\n' $files | grep -c . || true) files have a check that fails"
[ "$failed" -eq 0 ]
