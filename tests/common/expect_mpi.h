// Expectations of MPI calls: that they succeed, or that they fail with an error of a class.
#pragma once

#include <mpi.h>

#include <string>

#include "common/expect.h"

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string message_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return "class " + std::to_string(class_of(code)) + ", " + std::string(text, static_cast<size_t>(length));
}

inline void expect_success(int code, const char* file, int line, const char* call) {
  if (code != MPI_SUCCESS) note_failure(file, line, std::string(call) + ": " + message_of(code));
}

inline void expect_class(int error_class, const char* name, int code, const char* file, int line,
                         const char* call) {
  if (class_of(code) == error_class) return;
  note_failure(file, line, std::string(call) + ": expected " + name + ", found: " + message_of(code));
}

#define OK(call) expect_success((call), __FILE__, __LINE__, #call)
#define FAILS(error_class, call) expect_class((error_class), #error_class, (call), __FILE__, __LINE__, #call)
