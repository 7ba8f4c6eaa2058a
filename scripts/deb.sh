#!/bin/bash
# Makes Debian's package, and tries what is in it.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

usage() {
  cat <<'END_OF_USAGE'
scripts/deb.sh [FOLDER]

Makes FOLDER/concilio_VERSION-REVISION_ARCHITECTURE.deb (FOLDER: build/deb) from the last commit and packaging/debian,
for Debian's Open MPI and MPICH, and tries it: unpacked, its command runs, and links between its documents lead somewhere.

Exit status: 0; 1 if something failed; 77 if dpkg-buildpackage or debhelper is not there; 2 for a wrong option.
END_OF_USAGE
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
for package in dpkg-dev debhelper; do
  if ! dpkg -s $package > /dev/null 2>&1; then echo "$0: no $package; it is a package of Debian" >&2; exit 77; fi
done
folder=${1:-build/deb}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1

# dpkg-buildpackage leaves its results beside the source.
source=$folder/source
rm -rf "$source" "$folder"/*.deb "$folder/unpacked"
mkdir -p "$source" || exit 1
git archive HEAD | tar -x -C "$source" && cp -r packaging/debian "$source/debian" || exit 1
echo "-- dpkg-buildpackage -b, in $source"
(cd "$source" && DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -b --no-sign) > "$folder/build.log" 2>&1 ||
  { tail -n 30 "$folder/build.log"; exit 1; }
package=$(echo "$folder"/concilio_*.deb)
dpkg -x "$package" "$folder/unpacked" || exit 1
tests/install/links.py "$folder/unpacked/usr/share/doc/concilio" || exit 1
"$folder/unpacked/usr/bin/concilio" version || exit 1
dpkg -I "$package" | grep -E '^ (Version|Installed-Size|Depends|Recommends):'
echo "-- $package: $(stat -c %s "$package") bytes"
