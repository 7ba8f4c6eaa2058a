// A C++ program whose files, and MPI itself, are members of static objects, as in many frameworks: they are
// closed when those are destroyed.
//
//   at_exit_static closes      the last file, and MPI
//   at_exit_static finalizes   MPI alone
//
// With --report it has CONCILIO_REPORT set, and looks at the report.
#include "at_exit.h"

namespace {

struct Environment {
  bool started = false;
  ~Environment() {
    if (started) finish();
  }
};
struct OpenFile {
  bool open = false;
  ~OpenFile() {
    if (!open) return;
    write_and_read();
    close_file();
    use_file("late");
  }
};

Environment environment;
OpenFile open_one;

}  // namespace

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  const bool closes = strcmp(how, "closes") == 0;
  if (!closes && strcmp(how, "finalizes") != 0) {
    fprintf(stderr, "at_exit_static: closes or finalizes?\n");
    return 2;
  }
  start(&argc, &argv);
  environment.started = true;
  use_file("early");
  if (closes) {
    open_file("open");
    open_one.open = true;
  }
  return 0;
}
