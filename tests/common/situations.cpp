#include "common/situations.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "common/expect.h"

namespace situations {
namespace {

std::vector<Situation>& enrolled() {
  static std::vector<Situation> list;
  return list;
}

bool is_rank_0() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

}  // namespace

bool enroll(const char* name, void (*run)(), unsigned limits) {
  enrolled().push_back({name, run, limits});
  return true;
}

const std::vector<Situation>& all() {
  std::sort(enrolled().begin(), enrolled().end(),
            [](const Situation& a, const Situation& b) { return std::strcmp(a.name, b.name) < 0; });
  return enrolled();
}

bool wanted(const Situation& situation, const std::vector<std::string>& starts) {
  return starts.empty() || std::any_of(starts.begin(), starts.end(), [&](const std::string& start) {
           return std::string(situation.name).starts_with(start);
         });
}

bool run(const Situation& situation, const std::string& folder, const std::string& detail) {
  const bool reports = is_rank_0();
  if (std::FILE* file = reports ? std::fopen((folder + "/progress").c_str(), "w") : nullptr) {
    std::fprintf(file, "situation %s\n", situation.name);
    std::fclose(file);
  }
  noted_failures = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  situation.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  int failures = 0;
  MPI_Allreduce(&noted_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (reports) {
    std::printf("%-6s %s (%s%.2f s)\n", failures ? "FAILED" : "ok", situation.name, detail.c_str(), seconds);
    std::fflush(stdout);
  }
  return failures > 0;
}

}  // namespace situations
