#!/usr/bin/python3
"""add_a_policy.py ROOT BUILD CXX: docs/add-a-policy.md, followed to the letter.

Takes the code from the page, puts it where the page says into a copy of the sources, compiles what has changed, and
plans a call with the new policy.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <cstdio>
#include "plan/plan.h"
#include "plan/layout/realms.h"
#include "base/settings/config.h"
using namespace concilio;
int main() {
  Config config = Config::defaults();
  if (!config.set("concilio_realms", "halves", Config::Origin::info)) return 3;
  plan::Facts facts;
  facts.nodes.resize(3);
  for (int node = 0; node < 3; ++node) {
    facts.nodes[node].ranks = 2;
    facts.nodes[node].candidates = {2 * node, 2 * node + 1};
  }
  facts.digest = {0, 6000000, 6000000, 60000, 60000, 36000000, 6, 6, 1000000, 10000, 100, 0};
  facts.wishes.realms = static_cast<plan::RealmPolicy>(config.integer(Key::realms));
  facts.wishes.aggregators = 5;
  facts.wishes.forced_method = static_cast<int>(plan::Method::two_phase);
  const plan::Plan made = plan::plan(facts);
  std::printf("%s", realm_policy_name(made.policy));
  for (const plan::Realm& realm : made.realms) {
    std::printf(" %lld-%lld", (long long)realm.positions.front().begin, (long long)realm.positions.back().end);
  }
  std::printf("\\n");
}
"""


def edit(path, old, new):
    text = path.read_text()
    if text.count(old) < 1:
        sys.exit(f"add_a_policy: {path.name} has no longer: {old}")
    path.write_text(text.replace(old, new, 1))


def main():
    root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    page = (root / "docs/add-a-policy.md").read_text()
    policy, row = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    declaration = re.search(r"`(Division divide_halves\([^`]*;)`", page).group(1)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in ("base", "pattern", "plan"):
            shutil.copytree(root / "src" / name, copy / name)
        (copy / "plan/layout/realms/halves.cpp").write_text(policy)
        facts = copy / "plan/facts/facts.h"
        named = re.search(r"enum class RealmPolicy : int32_t \{([^}]*)\}", facts.read_text()).group(1)
        edit(facts, named, named.rstrip() + ", halves ")
        edit(copy / "plan/layout/realms.h", "Division divide_user(const Region& region, Hosts& hosts);",
             "Division divide_user(const Region& region, Hosts& hosts);\n" + declaration)
        realms = copy / "plan/layout/realms.cpp"
        rows = int(re.search(r"std::array<RealmPolicyRow, (\d+)> policy_table", realms.read_text()).group(1))
        edit(realms, f"std::array<RealmPolicyRow, {rows}> policy_table", f"std::array<RealmPolicyRow, {rows + 1}> policy_table")
        edit(realms, "}};", row + "}};")
        edit(copy / "base/settings/settings.cpp", "|tree|user", "|tree|user|halves")
        (copy / "main.cpp").write_text(PROGRAM)
        changed = ["main.cpp", "plan/layout/realms/halves.cpp", "plan/layout/realms.cpp", "base/settings/settings.cpp"]
        objects = []
        for source in changed:
            objects.append(str(copy / (source.replace("/", "_") + ".o")))
            subprocess.run([compiler, "-std=c++20", "-O1", "-I", str(copy), "-c", str(copy / source), "-o", objects[-1]],
                           check=True)
        # Code that has not changed comes from the build. Code that was compiled again comes first.
        libraries = [str(build / f"src/{name}/libconcilio_{name}.a") for name in ("plan", "pattern", "base")]
        subprocess.run([compiler, *objects, *libraries, "-lfmt", "-lpthread", "-o", str(copy / "try")], check=True)
        said = subprocess.run([str(copy / "try")], check=True, capture_output=True, text=True).stdout.split()
    # Three realms in the first half, two in the second.
    expected = "halves 0-1000000 1000000-2000000 2000000-3000000 3000000-4500000 4500000-6000000".split()
    if said != expected:
        sys.exit(f"add_a_policy: the plan is {said}, expected {expected}")
    print("ok", *said)


main()
