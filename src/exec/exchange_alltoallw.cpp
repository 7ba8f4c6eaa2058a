// Exchange by MPI_Alltoallw, for networks that do collective operations well (Coloma et al., section 5.4).
// The leaders of all nodes take part, in every round of the call; a node's leader speaks for all its ranks.
// First they tell each other what their images cover, then the bytes go from window to window: derived
// datatypes built from the coverage's runs spare both sides packing, and the aggregator its staging.
#include <cstring>

#include "exec/coverage.h"
#include "exec/exchange.h"
#include "exec/window_parts.h"

namespace concilio {
namespace {

// The bytes of some windows that go to or come from one node: regular runs, and single pieces, which one
// datatype describes all.
class Pieces {
 public:
  void add(std::span<const WindowPart> parts, const Coverage& coverage) {
    for (const Run& run : coverage.runs(parts)) add(parts, run);
  }
  // Committed; MPI_BYTE where there are none. Absolute addresses.
  Result<MPI_Datatype> type() {
    if (empty()) return MPI_BYTE;
    if (!single_addresses_.empty()) {
      MPI_Datatype singles = MPI_DATATYPE_NULL;
      note(PMPI_Type_create_hindexed(static_cast<int>(single_addresses_.size()), single_lengths_.data(),
                                     single_addresses_.data(), MPI_BYTE, &singles));
      if (code_ == MPI_SUCCESS) take(singles, 0);
    }
    std::vector<int> ones(types_.size(), 1);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (code_ == MPI_SUCCESS) {
      note(PMPI_Type_create_struct(static_cast<int>(types_.size()), ones.data(), addresses_.data(),
                                   types_.data(), &made));
    }
    for (MPI_Datatype& one : types_) PMPI_Type_free(&one);
    types_.clear();
    if (code_ == MPI_SUCCESS) note(PMPI_Type_commit(&made));
    if (Status status = checked(code_, "describing windows"); !status) return status.error();
    return made;
  }
  bool empty() const { return types_.empty() && single_addresses_.empty(); }

 private:
  void note(int code) {
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  void take(MPI_Datatype type, MPI_Aint address) {
    types_.push_back(type);
    addresses_.push_back(address);
  }
  // A run's pieces lie in one part or in several; in memory the parts lie side by side.
  void add(std::span<const WindowPart> parts, const Run& run) {
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
  std::vector<int> single_lengths_;
  int code_ = MPI_SUCCESS;
};

// What one leader tells each other one.
class Mail {
 public:
  explicit Mail(size_t nodes) : letters_(nodes) {}
  void add(size_t node, std::span<const std::byte> part) {
    letters_[node].insert(letters_[node].end(), part.begin(), part.end());
  }
  void add(size_t node, int64_t value) { add(node, std::as_bytes(std::span(&value, 1))); }
  // A coverage travels with its length before it.
  void add(size_t node, const Coverage& coverage) {
    add(node, static_cast<int64_t>(coverage.bytes().size()));
    add(node, coverage.bytes());
  }
  const std::vector<std::byte>& letter(size_t node) const { return letters_[node]; }

 private:
  std::vector<std::vector<std::byte>> letters_;
};

// All letters of some mail in one buffer, or room for them.
struct Bag {
  std::vector<std::byte> bytes;
  std::vector<int> counts, displacements;
  explicit Bag(std::vector<int> its_counts) : counts(std::move(its_counts)), displacements(counts.size()) {
    int total = 0;
    for (size_t node = 0; node < counts.size(); ++node) {
      displacements[node] = total;
      total += counts[node];
    }
    bytes.resize(static_cast<size_t>(total));
  }
  std::span<const std::byte> letter(size_t node) const {
    return std::span(bytes).subspan(static_cast<size_t>(displacements[node]),
                                    static_cast<size_t>(counts[node]));
  }
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
  Coverage coverage = Coverage::received(mail.first(length));
  mail = mail.subspan(length);
  return coverage;
}

// The two collective calls of a round, among all leaders.
class Leaders {
 public:
  explicit Leaders(Engine& engine) : engine_(engine), nodes_(engine.team.nodes().size()) {}

  // Returns what the others tell this one.
  Result<Bag> tell(const Mail& mail) {
    MPI_Comm comm = engine_.team.leaders();
    std::vector<int> counts, their_counts(nodes_);
    for (size_t node = 0; node < nodes_; ++node) counts.push_back(static_cast<int>(mail.letter(node).size()));
    Bag out(std::move(counts));
    for (size_t node = 0; node < nodes_; ++node)
      std::copy(mail.letter(node).begin(), mail.letter(node).end(),
                out.bytes.begin() + out.displacements[node]);
    if (auto whole = engine_.team.failure(); !whole) return whole.error();
    MPI_Request request = MPI_REQUEST_NULL;
    int code = PMPI_Ialltoall(out.counts.data(), 1, MPI_INT, their_counts.data(), 1, MPI_INT, comm, &request);
    if (Status status = finish(code, request, "telling sizes"); !status) {
      Team::abandon(std::move(out));
      Team::abandon(std::move(their_counts));
      return status.error();
    }
    Bag in(std::move(their_counts));
    code =
        PMPI_Ialltoallv(out.bytes.data(), out.counts.data(), out.displacements.data(), MPI_BYTE,
                        in.bytes.data(), in.counts.data(), in.displacements.data(), MPI_BYTE, comm, &request);
    if (Status status = finish(code, request, "telling coverage"); !status) {
      Team::abandon(std::move(out));
      Team::abandon(std::move(in));
      return status.error();
    }
    count(out.counts);
    return in;
  }

  // For a leader that has nothing to move, so that the others do not wait for it.
  Status move_nothing() {
    std::vector<Pieces> out(nodes_), in(nodes_);
    return move(out, in);
  }

  Status move(std::vector<Pieces>& out, std::vector<Pieces>& in) {
    if (auto whole = engine_.team.failure(); !whole) return whole;
    // In one piece, to be abandoned if the others do not come.
    struct Arguments {
      std::vector<int> send_counts, receive_counts, zeros;
      std::vector<MPI_Datatype> send_types, receive_types;
    } arguments{std::vector<int>(nodes_), std::vector<int>(nodes_), std::vector<int>(nodes_), {}, {}};
    auto& [send_counts, receive_counts, zeros, send_types, receive_types] = arguments;
    Status outcome;
    const auto make = [&](std::vector<Pieces>& pieces, std::vector<int>& counts,
                          std::vector<MPI_Datatype>& types) {
      for (size_t node = 0; node < nodes_; ++node) {
        counts[node] = !pieces[node].empty();
        Result<MPI_Datatype> type = pieces[node].type();
        if (!type) {
          outcome = type.error();
          counts[node] = 0;
        }
        types.push_back(type ? *type : MPI_BYTE);
      }
    };
    make(out, send_counts, send_types);
    make(in, receive_counts, receive_types);
    count(send_counts, send_types);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = PMPI_Ialltoallw(MPI_BOTTOM, send_counts.data(), zeros.data(), send_types.data(),
                                     MPI_BOTTOM, receive_counts.data(), zeros.data(), receive_types.data(),
                                     engine_.team.leaders(), &request);
    Status moved = finish(code, request, "exchanging windows");
    if (!moved) {
      Team::abandon(std::move(arguments));
      return moved;
    }
    for (auto* types : {&send_types, &receive_types}) {
      for (MPI_Datatype& type : *types) {
        if (type != MPI_BYTE) PMPI_Type_free(&type);
      }
    }
    return outcome;
  }

 private:
  Status finish(int code, MPI_Request& request, const char* what) {
    if (code == MPI_SUCCESS) code = engine_.team.finish(request);
    if (auto whole = engine_.team.failure(); code != MPI_SUCCESS && !whole) return whole;
    return checked(code, what);
  }
  void count(const std::vector<int>& sizes) {
    for (const int bytes : sizes) {
      if (bytes == 0) continue;
      ++engine_.counters[Counter::messages_sent];
      engine_.counters[Counter::message_bytes_sent] += bytes;
    }
  }
  void count(const std::vector<int>& counts, const std::vector<MPI_Datatype>& types) {
    for (size_t node = 0; node < nodes_; ++node) {
      if (counts[node] == 0) continue;
      int bytes = 0;
      PMPI_Type_size(types[node], &bytes);
      ++engine_.counters[Counter::messages_sent];
      engine_.counters[Counter::message_bytes_sent] += bytes;
    }
  }
  Engine& engine_;
  const size_t nodes_;
};

class AlltoallwExchange : public Exchange {
 public:
  explicit AlltoallwExchange(const ExchangeContext& context)
      : Exchange(context), leaders_(context.engine), nodes_(context.engine.team.nodes().size()) {
    const Team& team = context.engine.team;
    if (team.local_rank() != 0) return;
    for (auto realm = static_cast<size_t>(context.group.first_realm);
         realm < static_cast<size_t>(context.group.end_realm); ++realm) {
      (context.plan.realms[realm].node == team.node() ? served_ : carried_).push_back(realm);
    }
  }

  Status gather(int64_t round) override {
    Stopwatch time(context_.engine.counters, Counter::exchange_ns);
    Mail mail(nodes_);
    std::vector<Pieces> sent(nodes_), received(nodes_);
    for_each_carried(round, [&](size_t, size_t node, const Parts& parts) {
      const Coverage coverage = Coverage::of(parts);
      mail.add(node, coverage);
      sent[node].add(parts, coverage);
    });
    const Result<Bag> told = leaders_.tell(mail);
    if (!told) return refuse(told.error());
    for_each_other_node([&](size_t node) {
      std::span<const std::byte> letter = told->letter(node);
      for_each_served(round, [&](size_t, const Parts& parts) {
        const Coverage coverage = take_coverage(letter);
        received[node].add(parts, coverage);
        coverage.for_each(
            parts, [](const WindowPart& part, Interval covered) { CoverageMap(part.map).mark(covered); });
      });
    });
    return leaders_.move(sent, received);
  }

  Status scatter(int64_t round) override {
    Stopwatch time(context_.engine.counters, Counter::exchange_ns);
    Mail mail(nodes_);
    std::vector<Pieces> sent(nodes_), received(nodes_);
    // To each node: where what this one serves ends, then what this one wants of its realms.
    for_each_other_node([&](size_t node) {
      for_each_served(round, [&](size_t realm, const Parts&) {
        mail.add(node, context_.images.header(realm, round).valid_end.load());
      });
    });
    for_each_carried(round, [&](size_t, size_t node, const Parts& parts) {
      const Coverage coverage = Coverage::of(parts);
      mail.add(node, coverage);
      received[node].add(parts, coverage);
    });
    const Result<Bag> told = leaders_.tell(mail);
    if (!told) return refuse(told.error());
    for_each_other_node([&](size_t node) {
      std::span<const std::byte> letter = told->letter(node);
      for_each_carried(round, [&](size_t realm, size_t from, const Parts&) {
        if (from == node) context_.images.header(realm, round).valid_end.store(take_number(letter));
      });
      for_each_served(round,
                      [&](size_t, const Parts& parts) { sent[node].add(parts, take_coverage(letter)); });
    });
    return leaders_.move(sent, received);
  }

 private:
  using Parts = std::vector<WindowPart>;

  Status refuse(const Error& error) {
    (void)leaders_.move_nothing();
    return error;
  }

  template <typename F>
  void for_each_carried(int64_t round, F&& f) {
    for (const size_t realm : carried_) {
      const Parts parts = context_.images.parts(realm, round);
      if (!parts.empty()) f(realm, static_cast<size_t>(context_.plan.realms[realm].node), parts);
    }
  }
  template <typename F>
  void for_each_served(int64_t round, F&& f) {
    for (const size_t realm : served_) {
      const Parts parts = context_.images.parts(realm, round);
      if (!parts.empty()) f(realm, parts);
    }
  }
  template <typename F>
  void for_each_other_node(F&& f) {
    for (const int node : context_.group.nodes) {
      if (node != context_.engine.team.node()) f(static_cast<size_t>(node));
    }
  }

  Leaders leaders_;
  const size_t nodes_;
};

}  // namespace

std::unique_ptr<Exchange> make_alltoallw_exchange(const ExchangeContext& context) {
  return std::make_unique<AlltoallwExchange>(context);
}

Status Exchange::sit_out(Engine& engine, const Plan& plan, int64_t first_round) {
  if (plan.exchange != ExchangeStrategy::alltoallw || engine.team.local_rank() != 0) return {};
  const size_t nodes = engine.team.nodes().size();
  Leaders leaders(engine);
  Status outcome;
  for (int64_t round = first_round; round < plan.rounds; ++round) {
    const Result<Bag> told = leaders.tell(Mail(nodes));
    const Status moved = leaders.move_nothing();
    if (outcome) outcome = told ? moved : Status(told.error());
  }
  return outcome;
}

}  // namespace concilio
