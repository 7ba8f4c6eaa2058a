#!/bin/bash
# Makes a site of the documents.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/pypi.sh

usage() {
  cat <<'USAGE'
scripts/site.sh

Makes a site of the documents in build/site/html, whose first page is index.html, by mkdocs (mkdocs.yml), which pip
installs into build/mkdocs. A page that is not in its navigation, and a link that leads nowhere, are failures.

Exit status: 0; 1 if something failed; 77 if pip or the network is not there, with a message that says which; 2 for a
wrong option.
USAGE
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  ?*) usage >&2; exit 2 ;;
esac
mkdir -p build
environment build/mkdocs 'mkdocs==1.6.*'

# The pages lie as in the tree, and as in an installation. Their first page is README.md.
source=build/site/source
rm -rf build/site && mkdir -p "$source" || exit 1
cp -r ./*.md LICENSE LICENSE.D3 CITATION.cff docs examples "$source" || exit 1
# With --quiet, warnings would not be counted.
build/mkdocs/bin/mkdocs build --strict > build/site/mkdocs.log 2>&1 || { cat build/site/mkdocs.log; exit 1; }
for shown in docs/figures.svg 'concilio run --summary mpirun'; do
  grep -q "$shown" build/site/html/index.html || { echo "the first page does not have $shown" >&2; exit 1; }
done
echo "$(find build/site/html -name '*.html' | wc -l) pages: build/site/html/index.html"
