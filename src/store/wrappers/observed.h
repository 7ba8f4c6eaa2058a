// A store with somebody who sees every operation before and after it: the one body of all wrappers.
#pragma once

#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio {

// Called by all threads that use the store.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  // An error here is the operation's outcome, and the store under it is not asked.
  virtual Status before(const StoreEvent&) { return {}; }
  // Whether files may be mapped: what is done to their bytes in memory is seen by nobody.
  virtual bool lets_map() const { return true; }
  // After an operation that was asked of the store under it.
  virtual void after(const StoreEvent&, bool /*succeeded*/) {}
  // May change what the store says of the storage under it.
  virtual void describe(StorageLayout&) {}
};

std::unique_ptr<Store> make_observed_store(std::unique_ptr<Store> inner,
                                           std::shared_ptr<StoreObserver> observer);

}  // namespace concilio
