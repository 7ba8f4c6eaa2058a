#include "scorpio/ranks/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "base/counters.h"
#include "base/settings/config.h"

namespace concilio::scorpio {
namespace {

struct Comm {
  explicit Comm(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  int rank = 0, size = 1;
};

Status told_by(MPI_Comm comm, int rank, const Status& mine) {
  int32_t kind = mine ? 0 : static_cast<int32_t>(mine.error().kind);
  std::string text = mine ? "" : mine.error().message;
  if (Status status = mpi::checked_mpi(MPI_Bcast(&kind, 1, MPI_INT32_T, rank, comm), "MPI_Bcast"); !status)
    return status;
  if (Status status = share(comm, rank, text); !status) return status;
  return Error{static_cast<ErrorKind>(kind), 0, text};
}

int64_t seconds_to_wait() {
  static const int64_t seconds = Config::from_environment().integer(Key::scorpio_warn_seconds);
  return seconds;
}

int name_of(const Party& party, int rank) {
  return party.names ? (*party.names)[static_cast<size_t>(rank)] : rank;
}

void complain(const Party& party, const std::string& call, const std::string& missing) {
  fmt::print(stderr, "concilio: {}{}rank {} {}, and has waited {} s for {} to make this call too\n",
             party.where, party.where.empty() ? "" : ": ", name_of(party, Comm(party.comm).rank), call,
             seconds_to_wait(), missing);
  std::fflush(stderr);
}

}  // namespace

Status share(MPI_Comm comm, int root, std::string& text) {
  int64_t length = static_cast<int64_t>(text.size());
  if (Status status = mpi::checked_mpi(MPI_Bcast(&length, 1, MPI_INT64_T, root, comm), "MPI_Bcast"); !status)
    return status;
  text.resize(static_cast<size_t>(length));
  return mpi::checked_mpi(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm),
                          "MPI_Bcast");
}

Status agree(MPI_Comm comm, const Status& mine) {
  const Comm self(comm);
  // The lowest rank that failed contributes the largest value; 0: no rank failed.
  int64_t most = mine ? 0 : self.size - self.rank;
  if (Status status = largest(comm, &most, 1); !status) return status;
  if (most == 0) return {};
  return told_by(comm, self.size - static_cast<int>(most), mine);
}

Complaint complaint_of(const Party& party, const std::string& call) {
  const int64_t seconds = seconds_to_wait();
  if (seconds == 0) return {-1, {}};
  return {seconds * 1'000'000'000, [&party, &call](const std::vector<int>& missing) {
            std::vector<int> names;
            names.reserve(missing.size());
            for (const int rank : missing) names.push_back(name_of(party, rank));
            complain(party, call,
                     names.empty()       ? "others"
                     : names.size() == 1 ? fmt::format("rank {}", names[0])
                                         : fmt::format("ranks {}", fmt::join(names, ", ")));
          }};
}

Waiting::Waiting(Party root, std::string call) : root_(std::move(root)), call_(std::move(call)) {
  const int64_t seconds = seconds_to_wait();
  end_ns_ = seconds == 0 ? INT64_MAX : now_ns() + seconds * 1'000'000'000;
}

void Waiting::operator()() {
  if (end_ns_ == INT64_MAX || now_ns() < end_ns_) return;
  end_ns_ = INT64_MAX;
  complain(root_, call_, fmt::format("rank {}", name_of(root_, 0)));
}

Status agree_on(const Party& party, const std::string& call, const Status& mine,
                const std::function<void()>& late) {
  const Comm self(party.comm);
  const auto hash = static_cast<int64_t>(std::hash<std::string>{}(call) >> 1);
  int64_t most[3] = {mine ? 0 : self.size - self.rank, hash, -hash};
  if (Status status = first_largest(party.comm, most, 3, complaint_of(party, call), late); !status)
    return status;
  // A failure that a rank has found by itself is reported first, since a difference between the calls may
  // only follow from it.
  if (most[0] != 0) return told_by(party.comm, self.size - static_cast<int>(most[0]), mine);
  if (most[1] == -most[2]) return {};
  // The calls differ. The error compares rank 0's call with that of the lowest rank whose call is another.
  std::string first = call;
  if (Status status = share(party.comm, 0, first); !status) return status;
  const Status compared =
      call == first ? Status()
                    : Status(Error{ErrorKind::not_same, 0,
                                   fmt::format("the ranks' calls differ: rank {} {}, but rank {} {}",
                                               name_of(party, 0), first, name_of(party, self.rank), call)});
  return agree(party.comm, compared);
}

}  // namespace concilio::scorpio
