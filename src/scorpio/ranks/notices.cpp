#include "scorpio/ranks/notices.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/system/core_offer.h"

namespace concilio::scorpio {
namespace {

constexpr int tag = 2;
// Longer texts are cut, so that MPI sends a notice at once, whether or not it is received.
constexpr size_t most_text_bytes = 700;

struct Header {
  int64_t calls;
  int64_t kind;  // an ErrorKind, or:
  static constexpr int64_t well = -1;
  int64_t value, stays, group, call_bytes;
};

std::string shortened(const std::string& text) {
  if (text.size() <= most_text_bytes) return text;
  return fmt::format("{}... ({:x})", text.substr(0, most_text_bytes), std::hash<std::string>{}(text));
}

std::vector<char> packed(Header header, const std::string& call, const std::string& message) {
  header.call_bytes = static_cast<int64_t>(call.size());
  std::vector<char> bytes(sizeof(Header));
  std::memcpy(bytes.data(), &header, sizeof(Header));
  bytes.insert(bytes.end(), call.begin(), call.end());
  bytes.insert(bytes.end(), message.begin(), message.end());
  return bytes;
}

// Pauses before the next look for a message. The more `looks` there have been, the longer the pause.
void rest(int looks) {
  if (looks < 100 && offer_core()) return;
  const timespec pause{0, std::min(1000, looks) * 1000L};
  nanosleep(&pause, nullptr);
}

}  // namespace

void Notices::send(MPI_Comm local, std::vector<char> bytes) {
  int ranks = 1;
  MPI_Comm_size(local, &ranks);
  Sent& sent = sent_.emplace_back();
  sent.bytes = std::move(bytes);
  for (int other = 1; other < ranks; ++other) {
    sent.requests.emplace_back();
    MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, other, tag, local,
              &sent.requests.back());
  }
  ++sent_count_;
  std::erase_if(sent_, [](Sent& one) {
    int done = 0;
    MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

void Notices::post(MPI_Comm local, const Notice& notice) {
  const int64_t kind = notice.outcome ? Header::well : static_cast<int64_t>(notice.outcome.error().kind);
  const std::string message = notice.outcome ? "" : shortened(notice.outcome.error().message);
  send(local,
       packed({calls_, kind, notice.value, notice.stays, notice.group, 0}, shortened(notice.call), message));
}

void Notices::mark(MPI_Comm local) {
  send(local, packed({calls_, Header::well, 0, 0, 0, 0}, "", ""));
}

bool Notices::receive(MPI_Comm local, Received& next) {
  int there = 0, count = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(0, tag, local, &there, &message, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_BYTE, &count);
  std::vector<char> bytes(static_cast<size_t>(count));
  MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  ++received_count_;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const char* call = bytes.data() + sizeof header;
  const char* text = call + header.call_bytes;
  const char* end = bytes.data() + bytes.size();
  next.calls = root_calls_ = header.calls;
  next.notice = {{call, text}, {}, header.value, header.stays != 0, static_cast<int>(header.group)};
  if (header.kind >= 0)
    next.notice.outcome = Error{static_cast<ErrorKind>(header.kind), 0, std::string(text, end)};
  return true;
}

Notices::Received Notices::receive_next(MPI_Comm local, FunctionRef<void()> waiting) {
  Received next;
  for (int looks = 0; !receive(local, next); ++looks) {
    rest(looks);
    waiting();
  }
  return next;
}

Result<Notice> Notices::await(MPI_Comm local, const std::string& call, FunctionRef<void()> waiting) {
  const std::string wanted = shortened(call);
  if (auto kept = passed_.extract(wanted)) return std::move(kept.mapped());
  std::string others;
  while (root_calls_ <= calls_) {
    Received next = receive_next(local, waiting);
    const bool in_time = next.calls == calls_;
    if (next.notice.call == wanted && (in_time || next.notice.stays)) return std::move(next.notice);
    if (in_time) others = next.notice.call;
    keep(std::move(next.notice));
  }
  return Error{ErrorKind::not_same, 0,
               fmt::format("the ranks' calls differ: this rank {}, but its I/O group's root {}", call,
                           others.empty() ? "does not" : others)};
}

void Notices::keep(Notice notice) {
  if (!notice.stays) return;
  std::string call = notice.call;
  passed_[std::move(call)] = std::move(notice);
}

void Notices::discard(MPI_Comm local) {
  for (Received next; receive(local, next);) keep(std::move(next.notice));
}

void Notices::receive_all(MPI_Comm local) {
  int rank = 0;
  MPI_Comm_rank(local, &rank);
  int64_t all = sent_count_;
  MPI_Bcast(&all, 1, MPI_INT64_T, 0, local);
  while (rank != 0 && received_count_ < all) keep(receive_next(local, [] {}).notice);
}

void Notices::forget(MPI_Comm local, int group) {
  receive_all(local);
  std::erase_if(passed_, [&](const auto& kept) { return kept.second.group == group; });
}

void Notices::end(MPI_Comm local) {
  receive_all(local);
  for (Sent& sent : sent_)
    MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
  sent_.clear();
}

}  // namespace concilio::scorpio
