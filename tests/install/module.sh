#!/bin/bash
# module.sh PREFIX VERSION: the installed module file must load and unload, by each program for module files that is
# there: Lmod, Environment Modules. It must do so through a link too, and where MANPATH is set.
set -u
prefix=$1 version=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

[ -s "$prefix/share/modulefiles/concilio/$version" ] || { fail "no module file"; exit 1; }
mkdir -p "$folder/linked/concilio"
ln -s "$prefix/share/modulefiles/concilio/$version" "$folder/linked/concilio/$version"

cat > "$folder/session" <<'END_OF_SESSION'
prefix=$1 modulefiles=$2
set +u
# shellcheck disable=SC1090
source "$3"
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH PYTHONPATH
module use "$modulefiles"
before=$PATH
[ -z "$4" ] || export MANPATH=$4
module load concilio
[ "$(command -v concilio)" = "$prefix/bin/concilio" ] || echo "concilio is $(command -v concilio)"
[ "$CMAKE_PREFIX_PATH" = "$prefix" ] || echo "CMAKE_PREFIX_PATH is $CMAKE_PREFIX_PATH"
[ -e "$PKG_CONFIG_PATH/concilio.pc" ] || echo "PKG_CONFIG_PATH is $PKG_CONFIG_PATH"
[ -e "$PYTHONPATH/concilio/__init__.py" ] || echo "PYTHONPATH is $PYTHONPATH"
if [ -z "$4" ]; then
  [ -z "${MANPATH+set}" ] || echo "MANPATH is $MANPATH"
elif [[ $MANPATH != "$prefix/share/man:$4"* ]]; then
  echo "MANPATH is $MANPATH"
fi
module help concilio 2>&1 | grep -q 'concilio run --summary' || echo "module help says nothing"
module whatis concilio 2>&1 | grep -q 'MPI-IO' || echo "module whatis says nothing"
module unload concilio
[ "$PATH" = "$before" ] || echo "PATH stays $PATH"
[ -z "${CMAKE_PREFIX_PATH-}${PKG_CONFIG_PATH-}${PYTHONPATH-}" ] || echo "settings stay"
END_OF_SESSION

tried=0
# What starts Lmod and Environment Modules, in Debian and by their own installation.
for start in /usr/share/lmod/lmod/init/bash "${LMOD_PKG:-/nowhere}/init/bash" /usr/share/modules/init/bash "${MODULESHOME:-/nowhere}/init/bash"; do
  [ -e "$start" ] || continue
  tried=1
  for modulefiles in "$prefix/share/modulefiles" "$folder/linked"; do
    for manpath in "" /usr/share/man; do
      said=$(env -u LMOD_CMD -u MODULEPATH -u MANPATH -u LOADEDMODULES -u _LMFILES_ -u BASH_ENV PATH=/usr/bin:/bin \
        bash "$folder/session" "$prefix" "$modulefiles" "$start" "$manpath" 2>&1 < /dev/null)
      [ -z "$said" ] || fail "$start, $modulefiles, MANPATH '$manpath': $said"
    done
  done
done
if [ $tried = 0 ]; then echo "left out: neither Lmod nor Environment Modules are here"; fi
exit $failed
