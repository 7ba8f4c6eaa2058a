#!/usr/bin/python3
"""add_a_method.py ROOT BUILD CC MPI: docs/add-a-method.md, followed to the letter.

Takes the code from the page, puts it where the page says into a copy of the sources, compiles what has to do with
methods, plans a call by the new method, and carries it out. CC is the compiler wrapper of the MPI.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "base/settings/config.h"
#include "exec/alone/run_alone.h"
#include "plan/facts/digest.h"
#include "plan/show/reason_text.h"
#include "store/memory.h"
#include "store/wrappers/trace.h"

using namespace concilio;

int main() {
  MPI_Init(nullptr, nullptr);
  constexpr int pieces = 8, piece_bytes = 4;
  // Every second piece of the file.
  pattern::Access memory = pattern::Access::contiguous(0);
  pattern::Access file(pattern::Nest::bytes(piece_bytes), 0, 2 * piece_bytes);
  char text[pieces * piece_bytes + 1] = "abcdEFGHijklMNOPqrstUVWXyzabCDEF";
  const exec::Request request{Operation::write, &memory, reinterpret_cast<std::byte*>(text), &file, 0, pieces * piece_bytes};

  Config config = Config::defaults();
  if (!config.set("concilio_method", "singly", Config::Origin::info)) return 3;
  plan::Facts facts;
  facts.operation = request.operation;
  facts.collective = false;
  facts.nodes.resize(1);
  facts.digest = plan::digest_of(file, memory, request.position, request.bytes);
  facts.wishes.forced_method = static_cast<int>(config.integer(Key::method)) - 1;
  const plan::Plan made = plan::plan(facts);
  facts.wishes.forced_method = -1;
  const plan::Appraisal unforced = plan::plan(facts).appraisal(made.method);

  auto team = mpi::Team::acquire(MPI_COMM_SELF, 0);
  int in_turn = 0, at_once = 0;
  auto store = store::make_trace_store(store::make_memory_store(), [&](const store::StoreEvent& event, bool) {
    if (event.operation == store::StoreOperation::write) ++(event.at_once > 1 ? at_once : in_turn);
  });
  Counters counters;
  Budget budget(1 << 20);
  exec::Storage storage(*store, "file", {true, true, true, false}, counters);
  exec::Rewriting rewriting(storage, (*team)->board(), {});
  exec::KeptBuffer sieve_room;
  exec::OpenFile opened_file{**team, storage, rewriting, budget, counters, sieve_room, {}};
  opened_file.flush = plan::Flush::batch;  // which list would do
  const exec::Outcome outcome = exec::run_alone({opened_file}, request, made);
  char back[2 * pieces * piece_bytes] = "";
  auto opened = store->open("file", {});
  const auto got = (*opened)->read(store::Transfer{0, reinterpret_cast<std::byte*>(back), sizeof back});
  bool right = got && *got == sizeof back - piece_bytes;
  for (int i = 0; i < pieces; ++i)
    right = right && std::memcmp(back + 2 * i * piece_bytes, text + i * piece_bytes, piece_bytes) == 0;
  std::printf("%s\\n%s\\n%s\\n%s\\n%s\\n", text_of(made.reason.grounds).c_str(), text_of(unforced).c_str(),
              counter_name(method_counter(made.method)), method_summary(made.method),
              outcome && *outcome == request.bytes && right && in_turn > 0 && at_once == 0 ? "done" : "not done");
  MPI_Finalize();
}
"""

EXPECTED = re.compile(r"""singly: concilio_method=singly asks for it
requests [\d.]+ [mu]s
method_singly
every contiguous piece a request of its own, one after another
done
""")


def compile_together(compiler, copy, name, sources):
    """One unit of several sources, as all their sizes change with the number of methods."""
    unit = copy / f"{name}.cpp"
    unit.write_text("".join(f'#include "{source}"\n' for source in sources))
    return subprocess.Popen([compiler, "-x", "c++", "-std=c++20", "-O0", "-DOMPI_SKIP_MPICXX=1", "-DMPICH_SKIP_MPICXX=1",
                             "-I", str(copy), "-c", str(unit), "-o", str(copy / f"{name}.o")])


def main():
    root, build, compiler, mpi = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    page = (root / "docs/add-a-method.md").read_text(encoding="utf-8")
    row, planning, running = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    paths = re.findall(r"^`src/(\S+\.cpp)`:$", page, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in ("base", "pattern", "plan", "store", "counter", "mpi", "exec"):
            shutil.copytree(root / "src" / name, copy / name)
        table = copy / "base/methods.def"
        rows = table.read_text(encoding="utf-8")
        end = rows.index("\n", rows.rindex("METHOD(")) + 1
        table.write_text(rows[:end] + row + rows[end:], encoding="utf-8")
        for path, text in zip(paths, (planning, running), strict=True):
            (copy / path).write_text(text, encoding="utf-8")

        def below(place):
            return sorted(str(path.relative_to(copy)) for path in (copy / place).rglob("*.cpp"))

        # Of the planning folder, the files that make no JSON.
        left_out = {"plan/facts/prices_json.cpp", "plan/facts/profile.cpp"}
        plan = [path for place in ("facts", "layout", "choose") for path in below(f"plan/{place}") if path not in left_out]
        (copy / "program.cpp").write_text(PROGRAM, encoding="utf-8")
        units = {"planning": [*plan, "plan/plan.cpp", "plan/show/reason_text.cpp", "base/counters.cpp",
                              "base/settings/settings.cpp"],
                 "running": [*(path for place in ("storage", "locks", "call", "alone") for path in below(f"exec/{place}")),
                             "program.cpp"]}
        started = [compile_together(compiler, copy, *unit) for unit in units.items()]
        if any(status != 0 for status in [one.wait() for one in started]):
            sys.exit("add_a_method: the page's code does not compile")
        # Code that methods do not concern comes from the build. Code that was compiled again comes first.
        libraries = [build / f"libconcilio_mpi_{mpi}.a"] + [build / f"src/{name}/libconcilio_{name}.a"
                                                             for name in ("counter", "store", "pattern", "base")]
        # Of storage only a part is used, but its sources may be compiled together with those that use io_uring.
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        libraries += re.findall(r"^CONCILIO_LIBURING:\S+=(/.*)$", cache, re.MULTILINE)
        subprocess.run([compiler, *(str(copy / f"{name}.o") for name in units), *map(str, libraries), "-lfmt", "-lstdc++", "-lm",
                        "-lpthread", "-ldl", "-lrt", "-o", str(copy / "try")], check=True)
        said = subprocess.run([str(copy / "try")], check=True, capture_output=True, text=True,
                              env={**os.environ, "HOME": folder}).stdout
    if not EXPECTED.fullmatch(said):
        sys.exit(f"add_a_method: the program says\n{said}")
    print(said, end="")


main()
