#!/bin/bash
# scripts/tidy.sh [SOURCES...]: runs clang-tidy over these sources, or over all of src/. Its files go into build/tidy.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/packages.sh
mkdir -p build/tidy
# Sources that know MPI are compiled once for each MPI, but are checked only once. gcc's precompiled headers are left
# out, as clang cannot read them.
# All of them are checked up to forty at a time, as clang-tidy spends most of its time on their headers: see
# cmake/ConcilioTogether.cmake.
together=OFF tests=ON
if [ $# -eq 0 ]; then together=ON tests=OFF; fi
build=build/tidy/together-$together
cmake -S . -B "$build" -G Ninja -DCONCILIO_TESTS=$tests -DCMAKE_UNITY_BUILD=$together -DCMAKE_UNITY_BUILD_BATCH_SIZE=40 \
  > build/tidy/cmake.log 2>&1 || { cat build/tidy/cmake.log; exit 1; }
/usr/bin/python3 - "$build" "$PWD/src/" "$@" > build/tidy/sources <<'END' || exit 1
import json, re, sys
build, src, *wanted = sys.argv[1:]
once, sources = {}, {}
for entry in json.load(open(f"{build}/compile_commands.json")):
    entry["command"] = re.sub(r" -include \S*/cmake_pch\.hxx| -Winvalid-pch", "", entry["command"])
    file = entry["file"]
    # Files compiled together exist once for each MPI. What they include tells them apart.
    together = re.findall(r'#include "(.*)"', open(file).read()) if "/Unity/" in file else [file]
    if not all(one.startswith(src) for one in together) and not wanted:
        continue
    if sources.setdefault(tuple(together), file) == file:
        once.setdefault(file, entry)
json.dump(list(once.values()), open("build/tidy/compile_commands.json", "w"), indent=1)
sys.stdout.write("\0".join(wanted or sorted(once)))
END
xargs -0 -P "$(job_count)" -n 1 clang-tidy --quiet --checks=-bugprone-suspicious-include -p build/tidy < build/tidy/sources 2> build/tidy/stderr
