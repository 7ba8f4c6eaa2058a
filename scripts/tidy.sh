#!/bin/bash
# scripts/tidy.sh [SOURCES...]: clang-tidy over these, or over all of src/, as build/all compiles them. Into build/tidy.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/packages.sh
mkdir -p build/tidy
# Sources that know MPI are compiled once for each MPI; to look at them once is enough. Without gcc's precompiled headers,
# which clang cannot read, so that a source which does not include what it uses is found too.
/usr/bin/python3 -c '
import json, re, sys
once = {entry["file"]: entry for entry in json.load(sys.stdin)}
for entry in once.values():
    entry["command"] = re.sub(r" -include \S*/cmake_pch\.hxx| -Winvalid-pch", "", entry["command"])
json.dump(list(once.values()), sys.stdout, indent=1)' < build/all/compile_commands.json > build/tidy/compile_commands.json ||
  exit 1
if [ $# -eq 0 ]; then mapfile -t sources < <(find src -name '*.cpp' | sort); else sources=("$@"); fi
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(job_count)" -n 4 clang-tidy --quiet -p build/tidy 2> build/tidy/stderr
