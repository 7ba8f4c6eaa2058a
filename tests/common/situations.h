// Named situations: the tests of an MPI program, which enroll themselves before main() begins. A failed
// expectation is noted and the situation goes on, so that the ranks stay together.
#pragma once

#include <string>
#include <vector>

namespace situations {

struct Situation {
  const char* name;  // "Group.Name"
  void (*run)();
  unsigned limits;  // when it is left out; each program gives the bits their meaning
};
bool enroll(const char* name, void (*run)(), unsigned limits = 0);
// All situations of the program, in the order of their names.
const std::vector<Situation>& all();
// Whether the situation's name begins with one of `starts`, or `starts` is empty.
bool wanted(const Situation& situation, const std::vector<std::string>& starts);
// Runs a situation on all ranks, and returns whether it failed on any. Rank 0 writes the name to
// `folder`/progress before, for a reader of a test that hangs, and prints the outcome. `detail` is a part of
// what is printed.
bool run(const Situation& situation, const std::string& folder, const std::string& detail = "");

}  // namespace situations

// SITUATION(Group, Name) { ... } or SITUATION(Group, Name, limits) { ... }
#define SITUATION(group, name, ...)                                                    \
  static void group##_##name();                                                        \
  [[maybe_unused]] static const bool group##_##name##_enrolled =                       \
      situations::enroll(#group "." #name, group##_##name __VA_OPT__(, ) __VA_ARGS__); \
  static void group##_##name()
