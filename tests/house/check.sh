#!/bin/bash
# The scripts that a newcomer meets first: they explain themselves, and refuse what they do not know.
set -u
cd ../..
failed=0
for script in check quickstart; do
  ./$script --help | grep -q "^./$script" || { echo "$script --help does not say how it is called"; failed=1; }
  ./$script --no-such-option > /dev/null 2>&1
  [ $? = 2 ] || { echo "$script takes an unknown option"; failed=1; }
  bash -n $script || failed=1
done
[ -x .ci/run ] || { echo ".ci/run is not executable"; failed=1; }
exit $failed
