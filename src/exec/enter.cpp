#include "exec/enter.h"

#include <fmt/format.h>

#include "base/exceptions.h"

namespace concilio::exec {
namespace {

// A kind of call, and the lowest rank that is in one.
struct Caller {
  int64_t kind, rank;
};

// The message of a first meeting. It has the same size in every call, as the messages that the nodes' leaders
// exchange must match.
struct Entry {
  Caller least, most;  // by kind
  Apart::Told apart;
  Terms terms;
  plan::Digest digest;
};
Terms combine(const Terms& a, const Terms& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most), a.flags | b.flags,
          combine(a.failure, b.failure)};
}
Entry combine(const Entry& a, const Entry& b) {
  const auto one_of = [](const Caller& first, const Caller& second, bool first_wins) {
    if (first.kind == second.kind) return first.rank < second.rank ? first : second;
    return first_wins ? first : second;
  };
  return {one_of(a.least, b.least, a.least.kind < b.least.kind),
          one_of(a.most, b.most, a.most.kind > b.most.kind), combine(a.apart, b.apart),
          combine(a.terms, b.terms), combine(a.digest, b.digest)};
}

const char* name_of(CallKind kind) {
  switch (kind) {
    case CallKind::read:
      return "a collective read";
    case CallKind::write:
      return "a collective write";
    case CallKind::read_ordered:
      return "an ordered read";
    case CallKind::write_ordered:
      return "an ordered write";
    case CallKind::set_view:
      return "MPI_File_set_view";
    case CallKind::set_size:
      return "MPI_File_set_size";
    case CallKind::preallocate:
      return "MPI_File_preallocate";
    case CallKind::sync:
      return "MPI_File_sync";
    case CallKind::set_info:
      return "MPI_File_set_info";
    case CallKind::set_atomicity:
      return "MPI_File_set_atomicity";
    case CallKind::seek_shared:
      return "MPI_File_seek_shared";
    case CallKind::close:
      return "MPI_File_close";
    case CallKind::set_method:
      return "concilio_file_set_method";
    case CallKind::set_realms:
      return "concilio_file_set_realms";
  }
  return "another call";
}

std::string described(const Caller& caller) {
  return fmt::format("rank {} is in {}", caller.rank, name_of(static_cast<CallKind>(caller.kind)));
}

Status check_same(const Entry& entry) {
  if (entry.least.kind == entry.most.kind) {
    if (entry.apart.least_calls == entry.apart.most_calls) return {};
    return error_with(ErrorKind::not_same, 0, [&] {
      return fmt::format(
          "some ranks have made {} collective calls on the file since all ranks last met, and others {}; "
          "all ranks of a file must make its collective calls in the same order",
          entry.apart.least_calls, entry.apart.most_calls);
    });
  }
  const bool least_first = entry.least.rank < entry.most.rank;
  const Caller& first = least_first ? entry.least : entry.most;
  const Caller& second = least_first ? entry.most : entry.least;
  return error_with(ErrorKind::not_same, 0, [&] {
    return fmt::format(
        "the ranks are in different collective calls: {}, {}; all ranks of a file must make its collective "
        "calls in the same order",
        described(first), described(second));
  });
}

// Whether the ranks may make the calls after this meeting, or what is left of this one, apart as before.
bool goes_on_apart(CallKind kind) {
  return kind == CallKind::set_view || kind == CallKind::read_ordered || kind == CallKind::write_ordered;
}

Status enter(mpi::Team& team, CallKind kind, Apart& apart, plan::Digest& digest, Terms& terms) {
  const Caller me{static_cast<int64_t>(kind), team.rank()};
  Entry entry{me, me, apart.telling(team), terms, digest};
  if (!team.first_allreduce(entry)) {
    if (auto whole = team.failure(); !whole) return whole;
    // This rank has left the meeting, which its caller must hear, whatever memory there is. So the text is as
    // short as that of out_of_memory().
    return Error{ErrorKind::not_yet, 0, "not yet"};
  }
  apart.met(team, entry.apart);
  Status same = check_same(entry);
  if (!same || !goes_on_apart(kind) || apart.has_to_tell()) apart.stop();
  if (!same) {
    apart.disagreed();
    return same;
  }
  digest = entry.digest;
  terms = entry.terms;
  return {};
}

}  // namespace

Status enter(mpi::Team& team, CallKind kind, Apart& apart, plan::Digest& digest) {
  Terms none;
  return enter(team, kind, apart, digest, none);
}

Status enter(mpi::Team& team, CallKind kind, Apart& apart, Terms& terms, const Status& mine) {
  plan::Digest nothing;
  terms.failure = failure_of(team, mine);
  if (auto same = enter(team, kind, apart, nothing, terms); !same) return same;
  if (terms.failure) return shared_error(team, terms.failure, mine);
  return {};
}

Status enter(mpi::Team& team, CallKind kind, Apart& apart) {
  Terms none;
  return enter(team, kind, apart, none, {});
}

}  // namespace concilio::exec
