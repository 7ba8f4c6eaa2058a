#include "launch/python.h"

#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

TEST(PythonName, InterpretersAndOthers) {
  for (const char* name : {"python", "python3", "python3.11", "python3.13t", "pypy3"})
    EXPECT_TRUE(is_python_name(name)) << name;
  for (const char* name : {"pythonic", "python3-config", "ipython", "bash", ""})
    EXPECT_FALSE(is_python_name(name)) << name;
}

TEST(MpiOfPython, OneThatDoesNotRunHasNone) {
  EXPECT_FALSE(mpi_of_python({"/no/such/python3", "script.py"}, Environment()));
  EXPECT_FALSE(mpi_of_python({"/bin/false"}, Environment()));
}

}  // namespace
}  // namespace concilio::tools
