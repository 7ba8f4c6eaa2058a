# shellcheck shell=bash
# For tests of the wheel in new systems of Debian 12, which read this file by `source` with the wheel's folder as $1. It
# makes `wheel`, `version` and `folder`, a temporary folder, in which they then are.
# Needs root, for chroot, and mmdebstrap; and Debian's mirror within reach. Exit status 77: something of that is not there.
unable() { echo "$*"; exit 77; }
wheel=$(realpath "$1"/concilio-*.whl)
[ -e "$wheel" ] || unable "no wheel: $wheel"
[ "$(id -u)" = 0 ] || unable "chroot needs root"
unshare --mount --pid --fork --net true 2> /dev/null || unable "no namespaces of its own may be made here"
command -v mmdebstrap > /dev/null || unable "no mmdebstrap; it is a package of Debian"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
cd "$folder" || exit 1
# shellcheck disable=SC2034  # the tests use it
version=$(basename "$wheel" | cut -d- -f2)

# new_system PACKAGE...: in `system`, with the wheel in the user's home, which is `home` from outside.
new_system() {
  rm -rf --one-file-system system
  # shellcheck disable=SC2016  # mmdebstrap's shell knows what $1 is
  timeout 900 mmdebstrap --quiet --mode=root --variant=minbase --include="$(IFS=,; echo "python3-venv,$*")" \
    --customize-hook='chroot "$1" useradd --create-home --home-dir /srv/user --shell /bin/bash user' bookworm system > said 2>&1 ||
    { cat said; unable "no new system of Debian"; }
  home=$folder/system/srv/user
  cp "$wheel" "$home"
}
# How the user installs the wheel there.
# shellcheck disable=SC2034  # the tests use it
installed='python3 -m venv concilio && concilio/bin/pip install --quiet --no-index --find-links . concilio'
