#include "exec/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace concilio {
namespace {

// One message: where it is, how long, and between whom.
struct Message {
  std::byte* data;
  int64_t bytes;
  int peer;
  int tag;
};

Status checked(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return Error{ErrorKind::communication, 0, fmt::format("{} between nodes failed: {}", what, text)};
}

// Calls f(part, covered interval) for every covered stretch, in order.
template <typename F>
void for_each_covered(const std::vector<WindowPart>& parts, F&& f) {
  for (const WindowPart& part : parts) {
    for (Interval covered = part.map.next_covered(part.file.begin); !covered.empty();
         covered = part.map.next_covered(covered.end)) {
      f(part, covered);
    }
  }
}

std::byte* address(const WindowPart& part, Interval range) {
  return part.data + (range.begin - part.file.begin);
}

bool all_full(const std::vector<WindowPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const WindowPart& part) { return part.map.full(); });
}

int64_t total_bytes(const std::vector<WindowPart>& parts) {
  int64_t bytes = 0;
  for (const WindowPart& part : parts) bytes += part.file.length();
  return bytes;
}

// Moves the covered bytes of the parts to `to`, one stretch after another; `to` may be the window's own
// front.
int64_t pack(const std::vector<WindowPart>& parts, std::byte* to) {
  std::byte* next = to;
  for_each_covered(parts, [&](const WindowPart& part, Interval covered) {
    std::memmove(next, address(part, covered), static_cast<size_t>(covered.length()));
    next += covered.length();
  });
  return next - to;
}

// The inverse of pack() from the window's own front: from the last stretch to the first, since each moves
// backwards.
void unpack_in_place(const std::vector<WindowPart>& parts, std::byte* front, int64_t bytes) {
  struct Stretch {
    std::byte* place;
    int64_t length;
  };
  std::vector<Stretch> stretches;
  for_each_covered(parts, [&](const WindowPart& part, Interval covered) {
    stretches.push_back({address(part, covered), covered.length()});
  });
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    bytes -= stretch->length;
    std::memmove(stretch->place, front + bytes, static_cast<size_t>(stretch->length));
  }
}

}  // namespace

// Requests under way in one exchange.
struct Exchange::Pending {
  MPI_Comm comm;
  Counters& counters;
  std::vector<MPI_Request> requests;

  Pending(MPI_Comm its_comm, Counters& its_counters) : comm(its_comm), counters(its_counters) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  // After a failure nothing may still be written to memory that goes away.
  ~Pending() {
    for (MPI_Request& request : requests) {
      if (request == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&request);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  Status send(const Message& message) {
    ++counters[Counter::messages_sent];
    counters[Counter::message_bytes_sent] += message.bytes;
    requests.push_back(MPI_REQUEST_NULL);
    return checked(PMPI_Isend(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.peer,
                              message.tag, comm, &requests.back()),
                   "sending");
  }
  Status receive(const Message& message) {
    requests.push_back(MPI_REQUEST_NULL);
    return checked(PMPI_Irecv(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.peer,
                              message.tag, comm, &requests.back()),
                   "receiving");
  }
  Status wait(size_t i) { return checked(PMPI_Wait(&requests[i], MPI_STATUS_IGNORE), "waiting"); }
  Status wait_all() {
    return checked(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                   "waiting");
  }
};

namespace {
// Two kinds of messages for a realm: images and wishes.
int image_tag(size_t realm) {
  return static_cast<int>(realm % 16000) * 2;
}
int wish_tag(size_t realm) {
  return image_tag(realm) + 1;
}
}  // namespace

Exchange::Exchange(Engine& engine, const Plan& plan, const Group& group, const Images& images,
                   std::byte* staging)
    : engine_(&engine), plan_(&plan), images_(&images), staging_(staging) {
  const Team& team = engine.team;
  for (auto realm = static_cast<size_t>(group.first_realm); realm < static_cast<size_t>(group.end_realm);
       ++realm) {
    if (plan.realms[realm].aggregator == team.rank()) own_realm_ = static_cast<int>(realm);
    if (plan.realms[realm].node != team.node() &&
        carrier(realm, static_cast<size_t>(team.node())) == team.rank()) {
      carried_.push_back(realm);
    }
  }
  for (const int node : group.nodes) {
    if (node != team.node()) other_nodes_.push_back(static_cast<size_t>(node));
  }
}

int Exchange::carrier(size_t realm, size_t node) const {
  const auto& candidates = engine_->team.nodes()[node].candidates;
  return candidates[realm % candidates.size()];
}

bool Exchange::has_round(size_t realm, int64_t round) const {
  return !window(plan_->realms[realm], round).empty();
}

Status Exchange::gather(int64_t round) {
  Stopwatch time(engine_->counters, Counter::exchange_ns);
  Pending sends(engine_->team.comm(), engine_->counters);
  Status outcome;
  auto note = [&](const Status& status) {
    if (outcome && !status) outcome = status;
  };
  for (size_t realm : carried_) {
    auto parts = images_->parts(realm, round);
    if (parts.empty()) continue;
    int aggregator = plan_->realms[realm].aggregator;
    if (all_full(parts)) {
      MessageHead& head = images_->window_head(realm, round);
      head = {total_bytes(parts), 1, 0};
      note(sends.send({reinterpret_cast<std::byte*>(&head),
                       static_cast<int64_t>(sizeof head) + head.data_bytes, aggregator, image_tag(realm)}));
    } else {
      MessageHead& head = images_->map_head(realm, round);
      head = {pack(parts, images_->window(realm, round)), 0, 0};
      int64_t bytes = sizeof head;
      if (head.data_bytes > 0)
        bytes += plan_->realms[realm].map_bytes + static_cast<int64_t>(sizeof head) + head.data_bytes;
      note(sends.send({reinterpret_cast<std::byte*>(&head), bytes, aggregator, image_tag(realm)}));
    }
  }
  if (own_realm_ >= 0) note(receive_images(round));
  note(sends.wait_all());
  return outcome;
}

// Merges other nodes' images into the own realm's window: two receives are under way at a time.
Status Exchange::receive_images(int64_t round) {
  auto realm = static_cast<size_t>(own_realm_);
  if (!has_round(realm, round)) return {};
  auto own_parts = images_->parts(realm, round);
  Pending receives(engine_->team.comm(), engine_->counters);
  auto post = [&](size_t i) -> Status {
    if (i >= other_nodes_.size()) return {};
    return receives.receive(
        {staging(i), own_message_bytes(), carrier(realm, other_nodes_[i]), image_tag(realm)});
  };
  Status outcome = post(0);
  for (size_t i = 0; i < other_nodes_.size(); ++i) {
    if (auto status = post(i + 1); !status) return status;
    if (auto status = receives.wait(i); !status) return status;
    Stopwatch time(engine_->counters, Counter::copy_ns);
    const auto& head = *reinterpret_cast<const MessageHead*>(staging(i));
    if (head.whole) {
      std::memcpy(images_->window(realm, round), staging(i) + sizeof head,
                  static_cast<size_t>(head.data_bytes));
      for (WindowPart& part : own_parts) part.map.mark(part.file);
    } else if (head.data_bytes > 0) {
      auto* map = reinterpret_cast<std::uint8_t*>(staging(i) + sizeof head);
      const std::byte* next = staging(i) + 2 * sizeof head + plan_->realms[realm].map_bytes;
      auto sent_parts = images_->parts_at(realm, round, images_->window(realm, round), map);
      for (size_t p = 0; p < sent_parts.size(); ++p) {
        const WindowPart& sent = sent_parts[p];
        for (Interval covered = sent.map.next_covered(sent.file.begin); !covered.empty();
             covered = sent.map.next_covered(covered.end)) {
          std::memcpy(address(sent, covered), next, static_cast<size_t>(covered.length()));
          own_parts[p].map.mark(covered);
          next += covered.length();
        }
      }
    }
  }
  return outcome;
}

Status Exchange::scatter(int64_t round) {
  Stopwatch time(engine_->counters, Counter::exchange_ns);
  Pending sends(engine_->team.comm(), engine_->counters), replies(engine_->team.comm(), engine_->counters);
  Status outcome;
  auto note = [&](const Status& status) {
    if (outcome && !status) outcome = status;
  };
  std::vector<size_t> asked;
  for (size_t realm : carried_) {
    auto parts = images_->parts(realm, round);
    if (parts.empty()) continue;
    int aggregator = plan_->realms[realm].aggregator;
    MessageHead& wish = images_->map_head(realm, round);
    int64_t wanted = 0;
    for (const WindowPart& part : parts) wanted += part.map.covered_bytes();
    wish = {wanted, wanted == total_bytes(parts), 0};
    int64_t bytes = sizeof wish;
    if (!wish.whole && wanted > 0) bytes += plan_->realms[realm].map_bytes;
    note(replies.receive({reinterpret_cast<std::byte*>(&images_->window_head(realm, round)),
                          static_cast<int64_t>(sizeof wish) + plan_->realms[realm].window_bytes, aggregator,
                          image_tag(realm)}));
    note(sends.send({reinterpret_cast<std::byte*>(&wish), bytes, aggregator, wish_tag(realm)}));
    asked.push_back(realm);
  }
  if (own_realm_ >= 0) note(serve_requests(round));
  note(replies.wait_all());
  note(sends.wait_all());
  if (!outcome) return outcome;
  for (size_t realm : asked) {
    const MessageHead& wish = images_->map_head(realm, round);
    const MessageHead& reply = images_->window_head(realm, round);
    if (!wish.whole)
      unpack_in_place(images_->parts(realm, round), images_->window(realm, round), wish.data_bytes);
    images_->header(realm, round).valid_end.store(reply.valid_end, std::memory_order_relaxed);
  }
  return {};
}

// Answers what every other node wants of the own realm's window. A request is read in one half of a staging
// message, and answered from the other.
Status Exchange::serve_requests(int64_t round) {
  auto realm = static_cast<size_t>(own_realm_);
  if (!has_round(realm, round)) return {};
  int64_t valid_end = images_->header(realm, round).valid_end.load(std::memory_order_relaxed);
  Pending requests(engine_->team.comm(), engine_->counters), answers(engine_->team.comm(), engine_->counters);
  int64_t wish_bytes = static_cast<int64_t>(sizeof(MessageHead)) + plan_->realms[realm].map_bytes;
  for (size_t i = 0; i < other_nodes_.size(); ++i) {
    int peer = carrier(realm, other_nodes_[i]);
    if (i >= 2) {
      if (auto status = answers.wait(i - 2); !status) return status;
    }
    if (auto status = requests.receive({staging(i), wish_bytes, peer, wish_tag(realm)}); !status)
      return status;
    if (auto status = requests.wait(i); !status) return status;
    const auto& wish = *reinterpret_cast<const MessageHead*>(staging(i));
    Message answer{nullptr, static_cast<int64_t>(sizeof(MessageHead)) + wish.data_bytes, peer,
                   image_tag(realm)};
    if (wish.whole) {
      MessageHead& head = images_->window_head(realm, round);
      head = {wish.data_bytes, 1, valid_end};
      answer.data = reinterpret_cast<std::byte*>(&head);
    } else {
      answer.data = staging(i) + wish_bytes;
      auto& head = *reinterpret_cast<MessageHead*>(answer.data);
      head = {wish.data_bytes, 0, valid_end};
      if (wish.data_bytes > 0) {
        auto* map = reinterpret_cast<std::uint8_t*>(staging(i) + sizeof(MessageHead));
        pack(images_->parts_at(realm, round, images_->window(realm, round), map), answer.data + sizeof head);
      }
    }
    if (auto status = answers.send(answer); !status) return status;
  }
  return answers.wait_all();
}

}  // namespace concilio
