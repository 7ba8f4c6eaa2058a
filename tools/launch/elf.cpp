#include <elf.h>

#include <cstring>
#include <fstream>

#include "launch/mpi_library.h"

namespace concilio::tools {

std::optional<std::string> interpreter_of(const std::string& path) {
  std::string interpreter;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return interpreter;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    file.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<uint64_t>(i) * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    interpreter.resize(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(interpreter.data(), static_cast<std::streamsize>(segment.p_filesz));
    interpreter.resize(std::strlen(interpreter.c_str()));
    break;
  }
  return interpreter;
}

}  // namespace concilio::tools
