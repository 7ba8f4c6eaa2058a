// Every error kind must become a code whose class is MPI's own and whose string is the message. Under MPICH
// the string is known only to the entry points, which ask message_of as this test does.
#include "mpiio/errors.h"

#include <fmt/format.h>

#include <set>

#include "common/expect_mpi.h"

using concilio::Error;
using concilio::ErrorKind;
using concilio::mpiio::class_of;
using concilio::mpiio::code_of;

namespace {

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
    expecting("kind %d, string '%s'", kind, string_of_code(code).c_str());
    EXPECT(class_of(code) == class_of(error.kind));
    EXPECT(string_of_code(code) == error.message);
    EXPECT(code_of(error) == code);
  }
  expecting("of all kinds");
  EXPECT(std::ssize(codes) == kinds);
  const Error nothing{ErrorKind::none, 0, "nothing"};
  EXPECT(code_of(nothing) == MPI_SUCCESS);

  const std::string endless(MPI_MAX_ERROR_STRING * 2, 'x');
  const int longest = code_of(Error{ErrorKind::io, 0, endless});
  expecting("an endless message");
  EXPECT(class_of(longest) == MPI_ERR_IO);
  EXPECT(string_of_code(longest) == endless.substr(0, MPI_MAX_ERROR_STRING - 1));

  int last = MPI_SUCCESS;
  for (int i = 0; i < 2000; ++i) last = code_of(Error{ErrorKind::quota, 0, fmt::format("failure {}", i)});
  expecting("the class alone, after many messages");
  EXPECT(last == MPI_ERR_QUOTA);
  MPI_Finalize();
  return noted_failures ? 1 : 0;
}
