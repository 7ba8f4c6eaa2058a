#include "job/library.h"

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

std::vector<concilio_candidate> last_candidates(MPI_File file) {
  static const auto candidate =
      look_up<decltype(&concilio_file_last_candidate)>("concilio_file_last_candidate");
  std::vector<concilio_candidate> candidates;
  concilio_candidate told{};
  for (int i = 0; candidate && candidate(file, i, &told) == CONCILIO_SUCCESS && told.method; ++i)
    candidates.push_back(told);
  return candidates;
}

}  // namespace concilio::bench
