#include "scorpio/ranks/notices.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace concilio::scorpio {
namespace {

constexpr int tag = 2;
// Longer texts are cut, so that MPI sends a notice at once, whether or not it is received.
constexpr size_t most_text_bytes = 700;

struct Header {
  int64_t kind;  // an ErrorKind, or one of the constants below
  int64_t value, stays, call_bytes;
  static constexpr int64_t well = -1, mark = -2;
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
  if (looks < 100) {
    sched_yield();
    return;
  }
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
  ++posted_;
  std::erase_if(sent_, [](Sent& one) {
    int done = 0;
    MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

void Notices::post(MPI_Comm local, const Notice& notice) {
  const int64_t kind = notice.outcome ? Header::well : static_cast<int64_t>(notice.outcome.error().kind);
  const std::string message = notice.outcome ? "" : shortened(notice.outcome.error().message);
  send(local, packed({kind, notice.value, notice.stays, 0}, shortened(notice.call), message));
  marked_ = false;
}

void Notices::mark(MPI_Comm local) {
  if (marked_) return;
  send(local, packed({Header::mark, 0, 0, 0}, "", ""));
  marked_ = true;
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
  ++seen_;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const char* call = bytes.data() + sizeof header;
  const char* text = call + header.call_bytes;
  const char* end = bytes.data() + bytes.size();
  next.mark = header.kind == Header::mark;
  next.notice = {{call, text}, {}, header.value, header.stays != 0};
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
  for (std::string others;;) {
    Received next;
    if (!root_is_ahead_) next = receive_next(local, waiting);
    root_is_ahead_ = root_is_ahead_ || next.mark;
    if (root_is_ahead_)
      return Error{ErrorKind::not_same, 0,
                   fmt::format("the ranks' calls differ: this rank {}, but its I/O group's root {}", call,
                               others.empty() ? "does not" : others)};
    if (next.notice.call == wanted) return std::move(next.notice);
    others = next.notice.call;
    if (next.notice.stays) passed_[others] = std::move(next.notice);
  }
}

void Notices::pass(MPI_Comm local, int64_t posted) {
  root_is_ahead_ = false;
  while (seen_ < posted) {
    Received next = receive_next(local, [] {});
    if (next.notice.stays) passed_[next.notice.call] = std::move(next.notice);
  }
}

void Notices::end(MPI_Comm local) {
  int rank = 0;
  MPI_Comm_rank(local, &rank);
  int64_t posted = posted_;
  MPI_Bcast(&posted, 1, MPI_INT64_T, 0, local);
  if (rank != 0) pass(local, posted);
  for (Sent& sent : sent_)
    MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
  sent_.clear();
}

}  // namespace concilio::scorpio
