#include "library.h"

#include <concilio/file.h>
#include <dlfcn.h>

namespace concilio::bench {

namespace {

template <typename Function>
Function look_up(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::string concilio_version_loaded() {
  static const auto version = look_up<decltype(&concilio_version)>("concilio_version");
  return version ? version() : "";
}

std::string last_method(MPI_File file) {
  static const auto last_call = look_up<decltype(&concilio_file_last_call)>("concilio_file_last_call");
  const char* method = nullptr;
  if (!last_call || last_call(file, &method, nullptr, 0) != CONCILIO_SUCCESS || !method) return {};
  return method;
}

std::vector<Candidate> last_candidates(MPI_File file) {
  // As concilio/file.h has it from the version on that tells its candidates.
  struct Told {
    const char* method;
    int legal, chosen;
    double predicted_seconds, measured_seconds;
  };
  static const auto candidate = look_up<int (*)(MPI_File, int, Told*)>("concilio_file_last_candidate");
  std::vector<Candidate> candidates;
  Told told{};
  for (int i = 0; candidate && candidate(file, i, &told) == MPI_SUCCESS && told.method; ++i)
    candidates.push_back({told.method, told.legal != 0, told.predicted_seconds});
  return candidates;
}

}  // namespace concilio::bench
