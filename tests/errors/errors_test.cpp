// Every error kind becomes a code whose class is MPI's own and whose string is the message.
// Under MPICH the string is there only with the entry points, which ask message_of as this test does.
#include "mpiio/errors.h"

#include <fmt/format.h>

#include <set>

using concilio::Error;
using concilio::ErrorKind;
using concilio::mpiio::class_of;
using concilio::mpiio::code_of;

namespace {

int failed = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print("failed: {}\n", what);
  ++failed;
}

int class_of_code(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

std::string string_of_code(int code) {
  if (auto message = concilio::mpiio::message_of(code)) return *message;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, length);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::set<int> codes;
  const int kinds = static_cast<int>(ErrorKind::other);
  for (int kind = 1; kind <= kinds; ++kind) {
    const Error error{static_cast<ErrorKind>(kind), 0, fmt::format("out.dat: rank 3: cause {}", kind)};
    const int code = code_of(error);
    codes.insert(code);
    expect(class_of_code(code) == class_of(error.kind), fmt::format("class of kind {}", kind));
    expect(string_of_code(code) == error.message,
           fmt::format("string of kind {}: '{}'", kind, string_of_code(code)));
    expect(code_of(error) == code, fmt::format("the same code again for kind {}", kind));
  }
  expect(std::ssize(codes) == kinds, "a code for each message");
  expect(code_of(Error{ErrorKind::none, 0, "nothing"}) == MPI_SUCCESS, "no error");

  const std::string endless(MPI_MAX_ERROR_STRING * 2, 'x');
  const int longest = code_of(Error{ErrorKind::io, 0, endless});
  expect(class_of_code(longest) == MPI_ERR_IO, "class of an endless message");
  expect(string_of_code(longest) == endless.substr(0, MPI_MAX_ERROR_STRING - 1), "an endless message is cut");

  int last = MPI_SUCCESS;
  for (int i = 0; i < 2000; ++i) last = code_of(Error{ErrorKind::quota, 0, fmt::format("failure {}", i)});
  expect(last == MPI_ERR_QUOTA, "the class alone after many messages");
  MPI_Finalize();
  return failed ? 1 : 0;
}
