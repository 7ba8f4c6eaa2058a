#!/bin/bash
# Checks the format of C, C++ and CMake sources, and lints shell and Python scripts.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/pypi.sh

usage() {
  cat <<'END'
scripts/lint.sh [--fix] TOOL [FILE...]

Runs TOOL over these files of the tree, or over every file that it is for:
  clang-format   C and C++ (.clang-format)
  cmake-format   CMake (.cmake-format.py); pip installs it into build/cmake-format
  shellcheck     shell scripts (.shellcheckrc)
  ruff           Python (ruff.toml); pip installs it into build/ruff
--fix mends what the tool can mend by itself.

Exit status: 0 if nothing was found; 1 if something was; 77 if the tool is not there; 2 for a wrong option.
END
}

fix=""
if [ "${1:-}" = --fix ]; then fix=yes; shift; fi
tool=${1:-}
shift

# File names are relative to the root of the tree, and each ends with a null character.
folders=(bench cmake docs examples include python scripts src tests tools)
cmake_sources() { find . \( -path ./build -o -path ./.git \) -prune -o \( -name CMakeLists.txt -o -name '*.cmake' \) -print0 | sort -z; }
c_sources() { find "${folders[@]}" \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0 | sort -z; }

# scripts_of LANGUAGE SUFFIX: prints the files that end in SUFFIX, and those whose first line names LANGUAGE as the
# interpreter.
scripts_of() {
  find . \( -path ./build -o -path ./.git -o -path ./.venv -o -path ./.cache \) -prune -o -type f \( -name "*$2" -print0 -o -perm -u+x -print0 \) |
    while IFS= read -r -d '' file; do
      if [[ $file == *"$2" ]] || [[ $(head -c 64 "$file" | head -n 1 | tr -d '\0') =~ ^'#!'.*$1 ]]; then
        printf '%s\0' "$file"
      fi
    done | sort -z
}

# chosen LIST...: prints the files to look at: those of the command line or, if it has none, those that LIST prints.
files=("$@")
chosen() { if [ ${#files[@]} -gt 0 ]; then printf '%s\0' "${files[@]}"; else "$@"; fi; }

case $tool in
  clang-format)
    command -v clang-format > /dev/null || unable "no clang-format; Debian's package is clang-format"
    if [ -n "$fix" ]; then how=(-i); else how=(--dry-run -Werror); fi
    chosen c_sources | xargs -0 clang-format "${how[@]}"
    ;;
  cmake-format)
    mkdir -p build
    environment build/cmake-format 'cmakelang==0.6.13'
    if [ -n "$fix" ]; then how=(--in-place); else how=(--check); fi
    chosen cmake_sources | xargs -0 build/cmake-format/bin/cmake-format "${how[@]}"
    ;;
  shellcheck)
    command -v shellcheck > /dev/null || unable "no shellcheck; Debian's package is shellcheck"
    chosen scripts_of 'sh\b' .sh | xargs -0 shellcheck
    ;;
  ruff)
    mkdir -p build
    environment build/ruff 'ruff==0.17.*'
    chosen scripts_of python .py | xargs -0 build/ruff/bin/ruff check --quiet ${fix:+--fix}
    ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
status=$?
[ $status = 0 ] || exit 1
