// A store with an observer, which is called before and after every operation. All wrappers are made with it.
#pragma once

#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio::store {

// All threads that use the store call it.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  // An error becomes the operation's outcome, and the store below is not called.
  virtual Status before(const StoreEvent&) { return {}; }
  // Whether files may be mapped. What is done to their bytes in mapped memory, the observer does not see.
  virtual bool lets_map() const { return true; }
  // Called after an operation that the store below was asked for.
  virtual void after(const StoreEvent&, bool /*succeeded*/) {}
  // May change what the store tells of the storage below it.
  virtual void describe(StorageLayout&) {}
};

std::unique_ptr<Store> make_observed_store(std::unique_ptr<Store> inner,
                                           std::shared_ptr<StoreObserver> observer);

}  // namespace concilio::store
