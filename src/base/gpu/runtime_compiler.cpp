#include "base/gpu/runtime_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace concilio {
namespace {

using Code = int;
constexpr Code success = 0;

void* open_one_of(const std::vector<const char*>& names) {
  for (const int only_loaded : {RTLD_NOLOAD, 0}) {
    for (const char* name : names)
      if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | only_loaded)) return library;
  }
  return nullptr;
}

}  // namespace

Result<std::string> RuntimeCompiler::compile(const char* text) const {
  void* const library = open_one_of(libraries);
  if (!library) return Error{ErrorKind::unsupported, 0, fmt::format("there is no {}", libraries.back())};
  const auto look_up = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, (prefix + name).c_str()));
    return function != nullptr;
  };
  Code (*create)(void** program, const char* text, const char* name, int, const char**, const char**) =
      nullptr;
  Code (*compile)(void* program, int, const char**) = nullptr;
  Code (*destroy)(void** program) = nullptr;
  Code (*code_bytes)(void* program, size_t* bytes) = nullptr;
  Code (*get)(void* program, char* code) = nullptr;
  const char* (*words)(Code) = nullptr;
  if (!look_up("CreateProgram", create) || !look_up("CompileProgram", compile) ||
      !look_up("DestroyProgram", destroy) || !look_up("GetErrorString", words) ||
      !look_up(get_code_bytes, code_bytes) || !look_up(get_code, get))
    return Error{ErrorKind::unsupported, 0, fmt::format("{} lacks a function", prefix)};
  void* program = nullptr;
  Code code = create(&program, text, "concilio", 0, nullptr, nullptr);
  if (code != success) return Error{ErrorKind::other, 0, fmt::format("{}: {}", prefix, words(code))};
  std::string made;
  size_t bytes = 0;
  code = compile(program, 0, nullptr);
  if (code == success) code = code_bytes(program, &bytes);
  if (code == success) {
    made.resize(bytes);
    code = get(program, made.data());
  }
  destroy(&program);
  if (code != success) return Error{ErrorKind::other, 0, fmt::format("{}: {}", prefix, words(code))};
  return made;
}

}  // namespace concilio
