// Stands in for a compiler at run time. It knows one text, that of Concilio's kernel, and its code is a name
// that the stand-in for the driver knows.
#include <cstdlib>
#include <cstring>

#include "kernel.h"

#define KERNEL(...) #__VA_ARGS__
static constexpr const char* known_text =
#include "base/gpu/piece_kernel.inc"
    ;

#define JOINED(a, b) a##b
#define NAMED(prefix, name) JOINED(prefix, name)
#define FUNCTION(name) NAMED(PREFIX, name)

namespace {

constexpr int success = 0, invalid_program = 4, cannot_compile = 6;
struct Program {
  bool known = false, compiled = false;
};

}  // namespace

extern "C" {

int FUNCTION(CreateProgram)(Program** program, const char* text, const char*, int headers, const char**,
                            const char**) {
  *program = new Program{std::strcmp(text, known_text) == 0 && headers == 0};
  return success;
}
// A test may let it fail, by the environment, as nobody can ask it before it is loaded.
int FUNCTION(CompileProgram)(Program* program, int options, const char**) {
  program->compiled = program->known && options == 0 && !std::getenv("GPU_COMPILER_FAILS");
  return program->compiled ? success : cannot_compile;
}
int FUNCTION(DestroyProgram)(Program** program) {
  delete *program;
  *program = nullptr;
  return success;
}
int FUNCTION(GET_CODE_SIZE)(Program* program, size_t* bytes) {
  *bytes = sizeof gpu::kernel_code;
  return program->compiled ? success : invalid_program;
}
int FUNCTION(GET_CODE)(Program* program, char* code) {
  std::memcpy(code, gpu::kernel_code, sizeof gpu::kernel_code);
  return program->compiled ? success : invalid_program;
}
const char* FUNCTION(GetErrorString)(int code) {
  return code == cannot_compile ? "the text cannot be compiled" : "another error";
}

}  // extern "C"
