// Measures the requests of one client by size: sequential and scattered, reads and writes; overwriting,
// growing and synced.
#include <sys/statvfs.h>

#include <fmt/format.h>
#include <algorithm>

#include "base/checked.h"
#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "mpi/nodes/node_facts.h"
#include "probe/measure/places.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

using Order = Places::Order;

constexpr int64_t chunk_bytes = 1 << 20;
constexpr int64_t synced_chunks = 8;
constexpr int64_t least_file_bytes = 4 << 20;
constexpr int64_t most_buffer_bytes = 64 << 20;
// This many requests in places apart are handed over together, as the library does with the pieces of a call.
constexpr int64_t list_requests = 64;
constexpr double slow_request_seconds = 1e-3;

// The part of the free space that the probe may use for a while.
int64_t share_of_free_space(Session& session) {
  struct statvfs facts;
  const std::string folder = session.data_path.substr(0, session.data_path.rfind('/'));
  if (statvfs(folder.c_str(), &facts) != 0) return session.most_file_bytes;
  return static_cast<int64_t>(facts.f_bavail) * static_cast<int64_t>(facts.f_frsize) / 10;
}

void make_buffer(Session& session) {
  const int64_t share = mpi::free_memory_bytes() / (int64_t{8} * session.team.local_size());
  const int64_t bytes = std::clamp<int64_t>(align_down(share, chunk_bytes), 8 << 20, most_buffer_bytes);
  session.buffer.assign(static_cast<size_t>(bytes), std::byte{0x5a});
}

// Makes the file as large as free space and time allow.
Status fill_file(Session& session) {
  const int64_t share = share_of_free_space(session);
  const int64_t most = std::min(session.most_file_bytes, std::max(share, least_file_bytes));
  if (share < least_file_bytes)
    session.notes.push_back(
        fmt::format("hardly any space is free; the measurement uses {} all the same", format_bytes(most)));
  else if (share < session.most_file_bytes)
    session.notes.push_back(fmt::format("little space is free; the measurement uses a file of at most {}",
                                        format_bytes(align_down(most, chunk_bytes))));
  const double end = now_seconds() + session.seconds;
  Places places(Order::adjoining, chunk_bytes, 0, most, session.buffer);
  // The file is synced part by part. So a lack of space shows now, and slow storage is noticed.
  while (session.file_bytes + chunk_bytes <= most &&
         (session.file_bytes < least_file_bytes || now_seconds() < end)) {
    for (int64_t i = 0; i < synced_chunks && session.file_bytes + chunk_bytes <= most; ++i) {
      if (Status status = session.file->write(places.next()); !status) return status;
      session.file_bytes += chunk_bytes;
    }
    if (Status status = session.file->sync(); !status) return status;
  }
  return {};
}

Work requests_of(Session& session, Operation operation, Places& places) {
  return [&session, operation, &places](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      const store::Transfer transfer = places.next();
      if (operation == Operation::write) {
        if (Status status = session.file->write(transfer); !status) return status;
      } else if (auto got = session.file->read(transfer); !got) {
        return got.error();
      }
    }
    return {};
  };
}

// The same requests handed over as lists; the last list may be shorter.
Work lists_of(Session& session, Operation operation, Places& places) {
  return [&session, operation, &places](int64_t count) -> Status {
    std::vector<store::Transfer> list;
    while (count > 0) {
      list.clear();
      for (; count > 0 && static_cast<int64_t>(list.size()) < std::min(list_requests, places.slots());
           --count)
        list.push_back(places.next());
      std::sort(list.begin(), list.end(),
                [](const store::Transfer& a, const store::Transfer& b) { return a.offset < b.offset; });
      if (operation == Operation::write) {
        if (Status status = session.file->write(list); !status) return status;
      } else if (auto got = session.file->read(list); !got) {
        return got.error();
      }
    }
    return {};
  };
}

// The time of one of many requests that are handed over together. Whole lists are timed unless that takes too
// long.
Result<double> seconds_of_one_in_lists(Session& session, Operation operation, Places& places,
                                       double seconds) {
  const Work lists = lists_of(session, operation, places);
  Batch batch = requests_at(places.slots(), operation, session);
  const auto alone = seconds_of_one(seconds / 8, lists, {.most = 1, .before = batch.before});
  if (!alone || *alone > slow_request_seconds) return seconds_of_one(seconds, lists, batch);
  const int64_t whole = std::min(list_requests, places.slots());
  batch.most /= whole;
  auto list = seconds_of_one(
      seconds, [&](int64_t count) { return lists(count * whole); }, batch);
  if (list) *list /= static_cast<double>(whole);
  return list;
}

// Writes to a new file that grows, and is emptied again and again.
Status measure_growing(Session& session, double seconds) {
  constexpr int64_t sizes[] = {4096, 65536, 1 << 20};
  store::OpenMode mode{.read = true, .write = true, .create = true};
  auto file = session.store.open(session.new_path, mode);
  if (!file) return file.error();
  const int64_t most_bytes = std::min<int64_t>(session.file_bytes / 2, 64 << 20);
  for (const int64_t bytes : sizes) {
    int64_t offset = 0, memory = 0;
    const auto work = [&](int64_t count) -> Status {
      for (int64_t i = 0; i < count; ++i, offset += bytes, memory += bytes) {
        if (memory + bytes > static_cast<int64_t>(session.buffer.size())) memory = 0;
        if (Status status = (*file)->write(store::Transfer{offset, session.buffer.data() + memory, bytes});
            !status)
          return status;
      }
      return {};
    };
    const auto empty = [&]() -> Status {
      offset = 0;
      return (*file)->resize(0);
    };
    const auto one =
        seconds_of_one(seconds / std::size(sizes), work, {.most = most_bytes / bytes, .before = empty});
    if (!one) return one.error();
    session.found[Quantity::write_growing].push_back({static_cast<double>(bytes), *one});
  }
  file->reset();
  return session.store.remove(session.new_path);
}

Status measure_synced(Session& session, double seconds) {
  constexpr int64_t sizes[] = {4096, 65536, 1 << 20};
  for (const int64_t bytes : sizes) {
    Places places(Order::adjoining, bytes, 0, session.file_bytes, session.buffer);
    const auto one = seconds_of_one(seconds / std::size(sizes), [&](int64_t count) -> Status {
      for (int64_t i = 0; i < count; ++i) {
        if (Status status = session.file->write(places.next()); !status) return status;
        if (Status status = session.file->sync(); !status) return status;
      }
      return {};
    });
    if (!one) return one.error();
    session.found[Quantity::write_synced].push_back({static_cast<double>(bytes), *one});
  }
  return {};
}

}  // namespace

Status make_file(Session& session) {
  make_buffer(session);
  Status status;
  store::OpenMode mode{.read = true, .write = true};
  if (session.first()) {
    mode.create = true;
    auto opened = session.store.open(session.data_path, mode);
    if (!opened) {
      status = opened.error();
    } else {
      session.file = std::move(*opened);
      status = fill_file(session);
    }
  }
  if (Status all = agree_at_rest(session.team, status); !all) return all;
  if (!session.first()) {
    auto opened = session.store.open(session.data_path, mode);
    if (!opened) return opened.error();
    session.file = std::move(*opened);
  }
  auto size = session.file->size();
  if (!size) return size.error();
  session.file_bytes = session.found.file_bytes = *size;
  const auto layout = session.file->layout();
  session.forgets_pages = layout && layout->client_cache != store::ClientCache::coherent;
  return {};
}

Status measure_requests(Session& session) {
  struct Row {
    Quantity quantity;
    Operation operation;
    Order order;
  };
  constexpr Row rows[] = {{Quantity::write_adjoining, Operation::write, Order::adjoining},
                          {Quantity::read_adjoining, Operation::read, Order::adjoining},
                          {Quantity::write_scattered, Operation::write, Order::apart},
                          {Quantity::read_scattered, Operation::read, Order::apart}};
  const double parts = static_cast<double>(std::size(rows) * std::size(request_sizes)) + 8;
  const double seconds = session.seconds / parts;
  for (const int64_t bytes : request_sizes) {
    if (bytes > session.file_bytes) break;
    for (const Row& row : rows) {
      Places places(row.order, bytes, 0, session.file_bytes, session.buffer);
      const auto one = row.order == Order::apart
                           ? seconds_of_one_in_lists(session, row.operation, places, seconds)
                           : seconds_of_one(seconds, requests_of(session, row.operation, places),
                                            requests_at(places.slots(), row.operation, session));
      if (!one) return one.error();
      session.found[row.quantity].push_back({static_cast<double>(bytes), *one});
    }
  }
  if (Status status = measure_growing(session, 4 * seconds); !status) return status;
  return measure_synced(session, 4 * seconds);
}

}  // namespace concilio::probe
