#!/bin/bash
# The scripts that a newcomer meets first must explain themselves, and refuse options that they do not know.
set -u
cd ../..
failed=0
for script in check quickstart scripts/lint.sh scripts/pypi_mpis.sh scripts/deb.sh scripts/site.sh; do
  ./$script --help | grep -q "^\(./\)\?$script" || { echo "$script --help does not say how it is called"; failed=1; }
  ./$script --no-such-option > /dev/null 2>&1
  [ $? = 2 ] || { echo "$script takes an unknown option"; failed=1; }
  bash -n $script || failed=1
done
# Without a network or pip it must say so, and that is not a failure.
folder=$(mktemp -d)
PIP_INDEX_URL=http://127.0.0.1:9/ PIP_FIND_LINKS='' PIP_NO_INDEX=1 scripts/pypi_mpis.sh "$folder" > /dev/null 2> "$folder/said"
if [ $? != 77 ] || ! grep -q 'pip could not install\|no python3 with venv' "$folder/said"; then
  echo "scripts/pypi_mpis.sh without a network:"
  cat "$folder/said"
  failed=1
fi
rm -rf "$folder"
[ -x .ci/run ] || { echo ".ci/run is not executable"; failed=1; }
exit $failed
