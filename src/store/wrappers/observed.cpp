#include "store/wrappers/observed.h"

#include <optional>
#include <vector>

namespace concilio::store {

namespace {

// Calls before() of the observer, `call`, and after().
template <typename Call>
auto observe(StoreObserver& observer, const StoreEvent& event, Call call) -> decltype(call()) {
  if (Status status = observer.before(event); !status) return status.error();
  auto result = call();
  observer.after(event, result.ok());
  return result;
}

// The same for each request of a batch. Requests that the observer fails are withheld, and the others are
// made. The error is that of the first one that failed. after() gets the outcome of the whole batch for each
// request that was made.
template <typename Call>
auto observe_each(StoreObserver& observer, StoreOperation operation, std::string_view path,
                  std::span<const Transfer> transfers, Call call) -> decltype(call(transfers)) {
  if (Status status = check_transfers(transfers); !status) return status.error();
  const int64_t requests = event_of(operation, path, transfers).requests;
  const auto event_at = [&](std::span<const Transfer> request, int64_t turn) {
    StoreEvent event = event_of(operation, path, request);
    event.at_once = requests;
    event.turn = turn;
    return event;
  };
  std::vector<Transfer> passed;
  std::optional<Error> failure;
  int64_t turn = 0;
  for (auto left = transfers; !left.empty();) {
    const auto request = first_request(left);
    left = left.subspan(request.size());
    if (event_of(operation, path, request).requests == 0) continue;
    if (Status status = observer.before(event_at(request, turn++)); status) {
      passed.insert(passed.end(), request.begin(), request.end());
    } else if (!failure) {
      failure = status.error();
    }
  }
  auto result = call(std::span<const Transfer>(passed));
  turn = 0;
  for (auto left = std::span<const Transfer>(passed); !left.empty();) {
    const auto request = first_request(left);
    left = left.subspan(request.size());
    observer.after(event_at(request, turn++), result.ok());
  }
  if (failure) return *failure;
  return result;
}

class ObservedFile : public StoreFile {
 public:
  ObservedFile(std::unique_ptr<StoreFile> inner, std::string path, std::shared_ptr<StoreObserver> observer)
      : inner_(std::move(inner)), path_(std::move(path)), observer_(std::move(observer)) {}

  Result<int64_t> read(std::span<const Transfer> transfers) override {
    return observe(*observer_, event_of(StoreOperation::read, path_, transfers),
                   [&] { return inner_->read(transfers); });
  }
  Status write(std::span<const Transfer> transfers) override {
    return observe(*observer_, event_of(StoreOperation::write, path_, transfers),
                   [&] { return inner_->write(transfers); });
  }
  Result<int64_t> read_at_once(std::span<const Transfer> transfers) override {
    return observe_each(*observer_, StoreOperation::read, path_, transfers,
                        [&](std::span<const Transfer> passed) { return inner_->read_at_once(passed); });
  }
  Status write_at_once(std::span<const Transfer> transfers) override {
    return observe_each(*observer_, StoreOperation::write, path_, transfers,
                        [&](std::span<const Transfer> passed) { return inner_->write_at_once(passed); });
  }
  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) override {
    return observe(*observer_, {StoreOperation::lock, path_, offset, length},
                   [&] { return inner_->lock(offset, length, mode, timeout_ms); });
  }
  Status unlock(int64_t offset, int64_t length) override {
    return observe(*observer_, {StoreOperation::unlock, path_, offset, length},
                   [&] { return inner_->unlock(offset, length); });
  }
  Status sync() override {
    return observe(*observer_, {StoreOperation::sync, path_}, [&] { return inner_->sync(); });
  }
  Status flush() override { return inner_->flush(); }
  Status refresh(int64_t offset, int64_t length) override { return inner_->refresh(offset, length); }
  Result<int64_t> size() override {
    return observe(*observer_, {StoreOperation::size, path_}, [&] { return inner_->size(); });
  }
  Status resize(int64_t size) override {
    return observe(*observer_, {StoreOperation::resize, path_, 0, size},
                   [&] { return inner_->resize(size); });
  }
  Status preallocate(int64_t size) override {
    return observe(*observer_, {StoreOperation::preallocate, path_, 0, size},
                   [&] { return inner_->preallocate(size); });
  }
  bool can_map(bool write) override { return observer_->lets_map() && inner_->can_map(write); }
  Status make_space(int64_t offset, int64_t length) override {
    return observe(*observer_, {StoreOperation::preallocate, path_, offset, length},
                   [&] { return inner_->make_space(offset, length); });
  }
  Result<Mapping> map(int64_t offset, int64_t length, bool write) override {
    return observe(*observer_, {StoreOperation::map, path_, offset, length}, [&]() -> Result<Mapping> {
      if (!observer_->lets_map()) return StoreFile::map(offset, length, write);
      return inner_->map(offset, length, write);
    });
  }
  bool reaches(const DeviceStream& stream) override { return inner_->reaches(stream); }
  Result<int64_t> move_directly(Operation operation, const DeviceStream& stream,
                                const Transfer& transfer) override {
    const auto same = operation == Operation::read ? StoreOperation::read : StoreOperation::write;
    return observe(*observer_, event_of(same, path_, {&transfer, 1}),
                   [&] { return inner_->move_directly(operation, stream, transfer); });
  }
  Result<StorageLayout> layout() override {
    Result<StorageLayout> layout =
        observe(*observer_, {StoreOperation::layout, path_}, [&] { return inner_->layout(); });
    if (layout) observer_->describe(*layout);
    return layout;
  }
  // The file is closed even if the observer fails the operation.
  Status close() override {
    const StoreEvent event{StoreOperation::close, path_};
    const Status injected = observer_->before(event);
    const Status closed = inner_->close();
    observer_->after(event, closed.ok());
    return injected ? closed : injected;
  }
  FileIdentity identity() override { return inner_->identity(); }
  int descriptor() override { return inner_->descriptor(); }

 private:
  const std::unique_ptr<StoreFile> inner_;
  const std::string path_;
  const std::shared_ptr<StoreObserver> observer_;
};

class ObservedStore : public Store {
 public:
  ObservedStore(std::unique_ptr<Store> inner, std::shared_ptr<StoreObserver> observer)
      : inner_(std::move(inner)), observer_(std::move(observer)) {}

  Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) override {
    Result<std::unique_ptr<StoreFile>> file =
        observe(*observer_, {StoreOperation::open, path}, [&] { return inner_->open(path, mode); });
    if (!file) return file;
    return std::unique_ptr<StoreFile>(std::make_unique<ObservedFile>(std::move(*file), path, observer_));
  }
  Status remove(const std::string& path, const FileIdentity& same_as) override {
    return observe(*observer_, {StoreOperation::remove, path}, [&] { return inner_->remove(path, same_as); });
  }

 private:
  const std::unique_ptr<Store> inner_;
  const std::shared_ptr<StoreObserver> observer_;
};

}  // namespace

std::unique_ptr<Store> make_observed_store(std::unique_ptr<Store> inner,
                                           std::shared_ptr<StoreObserver> observer) {
  return std::make_unique<ObservedStore>(std::move(inner), std::move(observer));
}

}  // namespace concilio::store
