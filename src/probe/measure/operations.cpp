// Measures operations that transfer no bytes, namely opening and locking, and small requests in places apart
// that are handed over as a list or at once.
#include <algorithm>

#include "probe/measure/places.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr int64_t operation_bytes = 4096;
constexpr int64_t operation_depths[] = {1, 2, 4, 8, 16, 32, 64};
constexpr int64_t lock_timeout_ms = 1000;

Status measure_open(Session& session, double seconds) {
  const auto one = seconds_of_one(seconds, [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      if (auto file = session.store.open(session.data_path, {.read = true, .write = true}); !file)
        return file.error();
    }
    return {};
  });
  if (!one) return one.error();
  session.found[Quantity::open] = {{1, *one}};
  return {};
}

// Storage without locks is not a failure.
Status measure_lock(Session& session, double seconds) {
  int64_t offset = 0;
  const auto one = seconds_of_one(seconds, [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i, offset = (offset + operation_bytes) % session.file_bytes) {
      if (Status status =
              session.file->lock(offset, operation_bytes, store::LockMode::exclusive, lock_timeout_ms);
          !status)
        return status;
      if (Status status = session.file->unlock(offset, operation_bytes); !status) return status;
    }
    return {};
  });
  if (one)
    session.found[Quantity::lock] = {{1, *one}};
  else
    session.notes.push_back("no locks on this storage: " + one.error().message);
  return {};
}

Status move(store::StoreFile& file, Operation operation, bool at_once,
            std::span<const store::Transfer> list) {
  if (operation == Operation::write) return at_once ? file.write_at_once(list) : file.write(list);
  const auto got = at_once ? file.read_at_once(list) : file.read(list);
  return got ? Status() : got.error();
}

Status measure_lists(Session& session, double seconds) {
  struct Row {
    Quantity quantity;
    Operation operation;
    bool at_once;
  };
  constexpr Row rows[] = {{Quantity::read_list, Operation::read, false},
                          {Quantity::write_list, Operation::write, false},
                          {Quantity::read_at_once, Operation::read, true},
                          {Quantity::write_at_once, Operation::write, true}};
  const double of_one = seconds / static_cast<double>(std::size(rows) * std::size(operation_depths));
  for (const Row& row : rows) {
    for (const int64_t depth : operation_depths) {
      Places places(Places::Order::apart, operation_bytes, 0, session.file_bytes, session.buffer);
      std::vector<store::Transfer> list(static_cast<size_t>(depth));
      const auto lists = [&](int64_t count) -> Status {
        for (int64_t i = 0; i < count; ++i) {
          for (store::Transfer& transfer : list) transfer = places.next();
          std::sort(list.begin(), list.end(),
                    [](const store::Transfer& a, const store::Transfer& b) { return a.offset < b.offset; });
          if (Status status = move(*session.file, row.operation, row.at_once, list); !status) return status;
        }
        return {};
      };
      const auto one =
          seconds_of_one(of_one, lists, requests_at(places.slots() / depth, row.operation, session));
      if (!one) return one.error();
      session.found[row.quantity].push_back({static_cast<double>(depth), *one / static_cast<double>(depth)});
    }
  }
  return {};
}

}  // namespace

Status measure_operations(Session& session) {
  if (Status status = measure_open(session, 0.05 * session.seconds); !status) return status;
  if (Status status = measure_lock(session, 0.05 * session.seconds); !status) return status;
  return measure_lists(session, 0.9 * session.seconds);
}

}  // namespace concilio::probe
