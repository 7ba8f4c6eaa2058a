#include "program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "process.h"

namespace concilio::tools {

namespace {

// Programs that are often put before the real one, or that run code which is not in the file itself.
bool usually_starts_others(std::string name) {
  static const char* const prefixes[] = {"python", "pypy",  "perl", "ruby", "lua",
                                         "tclsh",  "julia", "node", "java"};
  static const char* const names[] = {
      "R",       "Rscript", "octave",   "sh",          "bash",      "dash",    "ksh",     "zsh",    "csh",
      "tcsh",    "busybox", "env",      "time",        "nice",      "ionice",  "timeout", "stdbuf", "numactl",
      "taskset", "setarch", "valgrind", "strace",      "ltrace",    "gdb",     "perf",    "xterm",  "chrt",
      "nohup",   "setsid",  "prlimit",  "singularity", "apptainer", "concilio"};
  for (const char* prefix : prefixes) {
    if (name.compare(0, std::strlen(prefix), prefix) == 0) return true;
  }
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

struct ElfFacts {
  bool is_elf = false;
  std::string interpreter;  // of a dynamically linked program
};

ElfFacts read_elf(const std::string& path) {
  ElfFacts facts;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return facts;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return facts;
  facts.is_elf = true;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return facts;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    file.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<uint64_t>(i) * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    facts.interpreter.resize(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(facts.interpreter.data(), static_cast<std::streamsize>(segment.p_filesz));
    facts.interpreter.resize(std::strlen(facts.interpreter.c_str()));
    break;
  }
  return facts;
}

}  // namespace

Program inspect_program(const std::string& path, const Environment& environment) {
  Program program;
  program.path = path;
  const ElfFacts elf = read_elf(path);
  if (!elf.is_elf) {
    program.kind = Program::Kind::starts_others;
    return program;
  }
  if (elf.interpreter.empty()) {
    program.kind = Program::Kind::statically_linked;
  } else {
    // The loader itself lists what the program loads, with every rule of rpath and LD_LIBRARY_PATH. Libraries
    // that are preloaded into everything are not the program's.
    Environment bare = environment;
    bare.unset("LD_PRELOAD");
    const auto listing =
        capture({elf.interpreter, "--list", std::filesystem::absolute(path).string()}, bare, 20);
    if (listing) program.mpi = mpi_library_of_listing(listing->output);
    program.kind = program.mpi ? Program::Kind::linked_with_mpi : Program::Kind::without_mpi;
  }
  if (!program.mpi && usually_starts_others(std::filesystem::path(path).filename().string()))
    program.kind = Program::Kind::starts_others;
  return program;
}

}  // namespace concilio::tools
