// Output arguments: a program gets what it asked for, and nothing after it changes.
#include <algorithm>
#include <cstring>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr char untouched = '#';

// A text that MPI writes, followed by bytes that do not belong to it.
struct Guarded {
  char text[2 * MPI_MAX_ERROR_STRING];
  Guarded() { std::memset(text, untouched, sizeof text); }
  // Whether all bytes from `end` on are unchanged.
  bool kept_from(size_t end) const {
    return std::all_of(text + end, text + sizeof text, [](char c) { return c == untouched; });
  }
};

}  // namespace

SITUATION(Outputs, NameOfADataRepresentationAndNoMore, everywhere) {
  const std::string path = context.fresh_file("short-name");
  File file(path);
  Guarded name;
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name.text));
  EXPECT_EQUAL(0, std::strcmp(name.text, "native"));
  EXPECT(name.kept_from(sizeof "native"));
}

SITUATION(Outputs, ErrorStringAndNoMore, not_own) {
  const int code = MPI_File_delete(context.fresh_file("error-string").c_str(), MPI_INFO_NULL);
  Guarded message;
  int length = -1;
  OK(MPI_Error_string(code, message.text, &length));
  EXPECT(length > 0 && length < MPI_MAX_ERROR_STRING);
  EXPECT_EQUAL(static_cast<size_t>(length), std::strlen(message.text));
  EXPECT(message.kept_from(static_cast<size_t>(length) + 1));
}

// MPI says that calls with one status do not set its error.
SITUATION(Outputs, ErrorOfAStatusIsLeftAlone, everywhere) {
  const std::string path = context.fresh_file("status-error");
  File file(path);
  const char byte = 1;
  MPI_Status status;
  status.MPI_ERROR = 4711;
  OK(MPI_File_write_at_all(file, context.rank, &byte, 1, MPI_BYTE, &status));
  EXPECT_EQUAL(4711, status.MPI_ERROR);
  OK(MPI_File_write_at(file, context.rank, &byte, 1, MPI_BYTE, &status));
  EXPECT_EQUAL(4711, status.MPI_ERROR);
  EXPECT_EQUAL(1, bytes_in(status));
}
