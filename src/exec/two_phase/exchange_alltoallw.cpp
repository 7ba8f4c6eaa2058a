// Exchange by MPI_Alltoallw, for networks with fast collective operations (Coloma et al., section 5.4). In
// every round of the call the leaders of all nodes take part, each for all ranks of its node. First they tell
// each other what their images cover, then the bytes are transferred directly from window to window: derived
// datatypes built from the coverage's runs spare both sides the packing, and the aggregator its staging.
#include <algorithm>
#include <cstring>

#include "base/exceptions.h"
#include "exec/two_phase/exchange.h"
#include "exec/two_phase/letters.h"
#include "exec/windows/coverage.h"
#include "exec/windows/window_parts.h"
#include "mpi/error.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

// The bytes of some windows that are sent to or received from one node: regular runs and single pieces, all
// described by one datatype. The lists keep their memory from round to round.
class PieceTypes {
 public:
  ~PieceTypes() { clear(); }
  void clear() {
    for (MPI_Datatype& one : types_) PMPI_Type_free(&one);
    types_.clear();
    addresses_.clear();
    single_addresses_.clear();
    single_lengths_.clear();
    code_ = MPI_SUCCESS;
  }
  void add(std::span<const WindowPart> parts, const Coverage& coverage) {
    coverage.for_each_run(parts, [&](const pattern::Run& run) { add(parts, run); });
  }
  // A committed datatype with absolute addresses; MPI_BYTE if there are no pieces.
  Result<MPI_Datatype> type() {
    if (empty()) return MPI_BYTE;
    types_.reserve(types_.size() + 1);  // one more, for the single pieces
    addresses_.reserve(types_.size() + 1);
    ones_.assign(types_.size() + 1, 1);
    if (!single_addresses_.empty()) {
      MPI_Datatype singles = MPI_DATATYPE_NULL;
      note(PMPI_Type_create_hindexed(static_cast<int>(single_addresses_.size()), single_lengths_.data(),
                                     single_addresses_.data(), MPI_BYTE, &singles));
      if (code_ == MPI_SUCCESS) take(singles, 0);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (code_ == MPI_SUCCESS) {
      note(PMPI_Type_create_struct(static_cast<int>(types_.size()), ones_.data(), addresses_.data(),
                                   types_.data(), &made));
    }
    if (code_ == MPI_SUCCESS) note(PMPI_Type_commit(&made));
    if (Status status = mpi::checked_mpi(code_, "making the datatypes of windows"); !status)
      return status.error();
    return made;
  }
  bool empty() const { return types_.empty() && single_addresses_.empty(); }
  int64_t memory_bytes() const {
    return static_cast<int64_t>(types_.capacity() * sizeof(MPI_Datatype) +
                                addresses_.capacity() * sizeof(MPI_Aint) +
                                single_addresses_.capacity() * sizeof(MPI_Aint) +
                                (single_lengths_.capacity() + ones_.capacity()) * sizeof(int));
  }

 private:
  void note(int code) {
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  void take(MPI_Datatype type, MPI_Aint address) {
    types_.push_back(type);
    addresses_.push_back(address);
  }
  // The pieces of a run may lie in several parts, which are contiguous in memory.
  void add(std::span<const WindowPart> parts, const pattern::Run& run) {
    size_t part = 0;
    for (int64_t i = 0; i < run.count;) {
      const int64_t begin = run.offset + i * run.stride;
      while (parts[part].file.end <= begin) ++part;
      int64_t count = 1;
      if (run.count > 1)
        count = std::min(run.count - i, (parts[part].file.end - run.length - begin) / run.stride + 1);
      MPI_Aint at = 0;
      PMPI_Get_address(address(parts[part], {begin, begin}), &at);
      if (count == 1) {
        single_addresses_.push_back(at);
        single_lengths_.push_back(static_cast<int>(run.length));
      } else {
        types_.reserve(types_.size() + 1);
        addresses_.reserve(addresses_.size() + 1);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int code = PMPI_Type_create_hvector(static_cast<int>(count), static_cast<int>(run.length),
                                                  run.stride, MPI_BYTE, &type);
        note(code);
        if (code == MPI_SUCCESS) take(type, at);
      }
      i += count;
    }
  }
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Aint> addresses_, single_addresses_;
  std::vector<int> single_lengths_, ones_;
  int code_ = MPI_SUCCESS;
};

int64_t take_number(std::span<const std::byte>& mail) {
  int64_t value = 0;
  if (mail.size() < sizeof value) return 0;
  std::memcpy(&value, mail.data(), sizeof value);
  mail = mail.subspan(sizeof value);
  return value;
}

Coverage take_coverage(std::span<const std::byte>& mail) {
  const auto length = std::min(static_cast<size_t>(take_number(mail)), mail.size());
  const Coverage coverage(mail.first(length));
  mail = mail.subspan(length);
  return coverage;
}

// Which bytes of the windows are sent to, or received from, each node.
struct Windows {
  std::vector<int> counts;
  std::vector<MPI_Datatype> types;

  explicit Windows(size_t nodes) : counts(nodes), types(nodes, MPI_BYTE) {}
  Windows(const Windows&) = delete;
  ~Windows() { clear(); }
  void clear() {
    std::fill(counts.begin(), counts.end(), 0);
    for (MPI_Datatype& type : types) {
      if (type != MPI_BYTE) PMPI_Type_free(&type);
      type = MPI_BYTE;
    }
  }
  Status describe(std::vector<PieceTypes>& pieces) {
    for (size_t node = 0; node < pieces.size(); ++node) {
      if (pieces[node].empty()) continue;
      Result<MPI_Datatype> type = pieces[node].type();
      if (!type) return type.error();
      types[node] = *type;
      counts[node] = 1;
    }
    return {};
  }
};

// The two collective calls of a round, among all leaders. If a rank is lost meanwhile, the memory that they
// use must stay: the owner of the exchange then never frees it.
class Leaders {
 public:
  Leaders(mpi::Team& team, Counters& counters)
      : team_(team), counters_(counters), nodes_(team.nodes().size()), zeros_(nodes_) {}

  // Sends `out` to the other leaders, and receives their messages into `in`.
  Status tell(Letters& out, Letters& in) {
    if (auto whole = team_.failure(); !whole) return whole;
    MPI_Comm comm = team_.leaders();
    MPI_Request request = MPI_REQUEST_NULL;
    int code =
        PMPI_Ialltoall(out.counts().data(), 1, MPI_INT, in.counts().data(), 1, MPI_INT, comm, &request);
    if (Status status = finish(code, request, "telling sizes"); !status) return status;
    if (!in.have_room()) {
      in.clear();
      return Error{ErrorKind::communication, 0, "a message from another node is longer than its buffer"};
    }
    code = PMPI_Ialltoallv(out.data(), out.counts().data(), out.displacements(), MPI_BYTE, in.data(),
                           in.counts().data(), in.displacements(), MPI_BYTE, comm, &request);
    if (Status status = finish(code, request, "telling coverage"); !status) return status;
    count(out.counts());
    return {};
  }

  // All leaders must call this, also those that have nothing to move or cannot move it: the others would wait
  // for them.
  Status move(Windows& out, Windows& in) {
    if (auto whole = team_.failure(); !whole) return whole;
    count(out);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code =
        PMPI_Ialltoallw(MPI_BOTTOM, out.counts.data(), zeros_.data(), out.types.data(), MPI_BOTTOM,
                        in.counts.data(), zeros_.data(), in.types.data(), team_.leaders(), &request);
    return finish(code, request, "exchanging windows");
  }

 private:
  Status finish(int code, MPI_Request& request, const char* what) {
    if (code == MPI_SUCCESS) code = team_.finish(request);
    if (auto whole = team_.failure(); code != MPI_SUCCESS && !whole) return whole;
    return mpi::checked_mpi(code, what);
  }
  void count(const std::vector<int>& sizes) {
    for (const int bytes : sizes) {
      if (bytes == 0) continue;
      ++counters_[Counter::messages_sent];
      counters_[Counter::message_bytes_sent] += bytes;
    }
  }
  void count(const Windows& windows) {
    for (size_t node = 0; node < nodes_; ++node) {
      if (windows.counts[node] == 0) continue;
      int bytes = 0;
      PMPI_Type_size(windows.types[node], &bytes);
      ++counters_[Counter::messages_sent];
      counters_[Counter::message_bytes_sent] += bytes;
    }
  }
  mpi::Team& team_;
  Counters& counters_;
  const size_t nodes_;
  std::vector<int> zeros_;
};

class AlltoallwExchange : public Exchange {
 public:
  explicit AlltoallwExchange(const ExchangeContext& context)
      : Exchange(context),
        leads_(team_.local_rank() == 0),
        nodes_(leads_ ? team_.nodes().size() : 0),
        leaders_(team_, counters_),
        out_(learn_realms()),
        in_(most_told()),
        sent_(nodes_),
        received_(nodes_),
        pieces_(nodes_) {
    fronts_.reserve(served_.size());
    lengths_.reserve(served_.size());
    letters_ = Charge(budget_, out_.memory_bytes() + in_.memory_bytes());
  }

  Status gather(int64_t round) override {
    Stopwatch time(counters_, Counter::exchange_ns);
    begin_round();
    Status mine = without_exceptions([&] {
      for_each_carried(round, [&](size_t, size_t node, Parts parts) {
        pieces_[node].add(parts, out_.add_coverage(node, parts));
      });
      return sent_.describe(pieces_);
    });
    if (!mine) tell_of_nothing(round);
    if (Status told = leaders_.tell(out_, in_); !told) return refuse(std::move(told));
    clear_pieces();
    Status theirs = without_exceptions([&] {
      for_each_told(round, [&](size_t node, size_t, Parts parts, const Coverage& coverage) {
        pieces_[node].add(parts, coverage);
        coverage.for_each(parts, [](const WindowPart& part, pattern::Interval covered) {
          pattern::CoverageMap(part.map).mark(covered);
        });
      });
      return received_.describe(pieces_);
    });
    return finish(round, std::move(mine), std::move(theirs), received_);
  }

  Status scatter(int64_t round, ReadsMore&) override {
    Stopwatch time(counters_, Counter::exchange_ns);
    begin_round();
    // The message to each node: where the file's data end in each window that this rank serves, then which
    // bytes this rank wants of the node's realms.
    tell_ends(round);
    Status mine = without_exceptions([&] {
      for_each_carried(round, [&](size_t, size_t node, Parts parts) {
        pieces_[node].add(parts, out_.add_coverage(node, parts));
      });
      return received_.describe(pieces_);
    });
    if (!mine) tell_of_nothing(round);
    if (Status told = leaders_.tell(out_, in_); !told) return refuse(std::move(told));
    clear_pieces();
    hear_ends(round);
    Status theirs = without_exceptions([&] {
      for_each_told(round, [&](size_t node, size_t, Parts parts, const Coverage& coverage) {
        pieces_[node].add(parts, coverage);
      });
      return sent_.describe(pieces_);
    });
    return finish(round, std::move(mine), std::move(theirs), sent_);
  }

  bool fits() const override { return out_.fit() && in_.fit(); }
  Status tell_requests(const Request&) override { return {}; }

  Status sit_out(int64_t first_round) override {
    Status outcome;
    for (int64_t round = first_round; leads_ && round < plan_.rounds && team_.failure(); ++round) {
      begin_round();
      Status told = leaders_.tell(out_, in_);
      Status moved = leaders_.move(sent_, received_);
      if (outcome) outcome = told ? std::move(moved) : std::move(told);
    }
    return outcome;
  }

 private:
  using Parts = std::span<const WindowPart>;
  static constexpr int64_t number_bytes = sizeof(int64_t);

  // Finds the realms that this rank acts for. Returns the length of its longest message to each node.
  std::vector<int64_t> learn_realms() {
    for (int i = group_.first_realm; leads_ && i < group_.end_realm; ++i) {
      const auto realm = static_cast<size_t>(i);
      (plan_.realms[realm].node == team_.node() ? served_ : carried_).push_back(realm);
    }
    std::vector<int64_t> bytes(nodes_);
    if (!leads_) return bytes;
    for (const int node : group_.nodes)
      bytes[static_cast<size_t>(node)] = static_cast<int64_t>(served_.size()) * number_bytes;
    for (const size_t realm : carried_)
      bytes[static_cast<size_t>(plan_.realms[realm].node)] += number_bytes + coverage_bytes(realm);
    return bytes;
  }
  // The length of the longest message from each node.
  std::vector<int64_t> most_told() const {
    std::vector<int64_t> bytes(nodes_);
    if (!leads_) return bytes;
    int64_t served_bytes = 0;
    for (const size_t realm : served_) served_bytes += number_bytes + coverage_bytes(realm);
    for (const int node : group_.nodes) bytes[static_cast<size_t>(node)] = served_bytes;
    for (const size_t realm : carried_) bytes[static_cast<size_t>(plan_.realms[realm].node)] += number_bytes;
    return bytes;
  }
  int64_t coverage_bytes(size_t realm) const { return plan::coverage_bytes(plan_.realms[realm].map_bytes); }

  void begin_round() {
    out_.clear();
    in_.clear();
    sent_.clear();
    received_.clear();
    clear_pieces();
  }
  void clear_pieces() {
    int64_t bytes = 0;
    for (PieceTypes& pieces : pieces_) {
      bytes += pieces.memory_bytes();
      pieces.clear();
    }
    lists_ = Charge(budget_, bytes);  // the lists keep their memory
  }

  void tell_ends(int64_t round) {
    if (plan_.operation == Operation::write) return;
    for_each_other_node([&](size_t node) {
      for (const size_t realm : served_) {
        if (images_.has(realm, round)) out_.add(node, images_.header(realm, round).valid_end.load());
      }
    });
  }
  void hear_ends(int64_t round) {
    for_each_other_node([&](size_t node) {
      std::span<const std::byte> letter = in_.letter(node);
      for (const size_t realm : carried_) {
        if (images_.has(realm, round) && node == home_of(realm))
          images_.header(realm, round).valid_end.store(take_number(letter));
      }
    });
  }

  // Sent in place of what this rank cannot describe, so that nobody waits for its data.
  void tell_of_nothing(int64_t round) {
    begin_round();
    tell_ends(round);
    for (const size_t realm : carried_) {
      if (images_.has(realm, round)) out_.add(home_of(realm), 0);
    }
  }

  Status refuse(Status status) {
    sent_.clear();
    received_.clear();
    (void)leaders_.move(sent_, received_);
    return status;
  }

  // Moves the windows after the leaders have told each other what they cover. `theirs` says whether this rank
  // could describe in `windows` what the others told.
  Status finish(int64_t round, Status mine, Status theirs, Windows& windows) {
    if (!theirs) describe_fronts(round, windows);
    Status moved = leaders_.move(sent_, received_);
    if (team_.failure()) {
      sent_.clear();
      received_.clear();
    }
    return !mine ? std::move(mine) : !theirs ? std::move(theirs) : std::move(moved);
  }

  // Describes as many bytes as the others have told, though not the right ones. They expect that many bytes;
  // the call fails anyway.
  void describe_fronts(int64_t round, Windows& windows) {
    windows.clear();
    for_each_other_node([&](size_t node) {
      fronts_.clear();
      lengths_.clear();
      int64_t all = 0;
      for_each_told(round, [&](size_t from, size_t realm, Parts parts, const Coverage& coverage) {
        if (from != node) return;
        int64_t bytes = 0;
        coverage.for_each(parts,
                          [&](const WindowPart&, pattern::Interval covered) { bytes += covered.length(); });
        fronts_.push_back(0);
        PMPI_Get_address(images_.window(realm, round), &fronts_.back());
        lengths_.push_back(static_cast<int>(bytes));
        all += bytes;
      });
      if (all == 0) return;
      MPI_Datatype& type = windows.types[node];
      PMPI_Type_create_hindexed(static_cast<int>(fronts_.size()), lengths_.data(), fronts_.data(), MPI_BYTE,
                                &type);
      PMPI_Type_commit(&type);
      windows.counts[node] = 1;
    });
  }

  size_t home_of(size_t realm) const { return static_cast<size_t>(plan_.realms[realm].node); }

  template <typename F>
  void for_each_carried(int64_t round, F&& f) {
    for (const size_t realm : carried_) {
      const Parts parts = images_.parts(realm, round);
      if (!parts.empty()) f(realm, home_of(realm), parts);
    }
  }
  // Calls f(node, realm, parts, coverage) for what the other nodes tell about the windows that are served
  // here.
  template <typename F>
  void for_each_told(int64_t round, F&& f) {
    for_each_other_node([&](size_t node) {
      std::span<const std::byte> letter = in_.letter(node);
      // The coverage follows the ends of the windows that the node serves.
      if (plan_.operation == Operation::read) {
        for (const size_t realm : carried_) {
          if (images_.has(realm, round) && node == home_of(realm)) take_number(letter);
        }
      }
      for (const size_t realm : served_) {
        const Parts parts = images_.parts(realm, round);
        if (!parts.empty()) f(node, realm, parts, take_coverage(letter));
      }
    });
  }
  template <typename F>
  void for_each_other_node(F&& f) {
    for (const int node : group_.nodes) {
      if (node != team_.node()) f(static_cast<size_t>(node));
    }
  }

  const bool leads_;
  const size_t nodes_;
  Leaders leaders_;
  Letters out_, in_;
  Windows sent_, received_;
  std::vector<PieceTypes> pieces_;
  std::vector<MPI_Aint> fronts_;  // the addresses of the served realms' windows
  std::vector<int> lengths_;
  Charge letters_, lists_;
};

}  // namespace

std::unique_ptr<Exchange> make_alltoallw_exchange(const ExchangeContext& context) {
  return std::make_unique<AlltoallwExchange>(context);
}

}  // namespace concilio::exec
