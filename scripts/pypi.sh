# shellcheck shell=bash
# Makes virtual environments with packages of PyPI, for scripts that `source` this file.

# unable WHY: ends the script with the exit status that means "this machine cannot do it".
unable() {
  echo "$0: $*" >&2
  exit 77
}

# environment FOLDER PACKAGE...: makes a virtual environment with these packages, unless it exists already. If pip could
# not install all of them, the next call makes it anew.
environment() {
  local folder=$1 log="$1.log" python="" candidate
  shift
  if [ "$(cat "$folder/installed" 2> /dev/null)" = "$*" ]; then return; fi
  for candidate in /usr/bin/python3 python3; do
    if "$candidate" -c 'import ensurepip, venv' 2> /dev/null; then python=$candidate; break; fi
  done
  [ -n "$python" ] || unable "no python3 with venv and pip; Debian's package is python3-venv"
  rm -rf "${folder:?}"
  # Few retries, so that pip does not try for minutes where it cannot reach its index at all.
  { "$python" -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2 "$@"; } > "$log" 2>&1 < /dev/null ||
    { tail -n 3 "$log" >&2; unable "pip could not install $*; $log has it all"; }
  echo "$*" > "$folder/installed"
}
