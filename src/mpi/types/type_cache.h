// Keeps values that were computed for datatypes. A derived type holds the value as an attribute, which goes
// away with the type. MPI's own types cannot all hold attributes, so their values are in a map. Thread-safe.
// The callbacks that MPI calls take no lock.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "mpi/epoch.h"
#include "mpi/types/contiguous_types.h"

namespace concilio::mpi {

// Never destroyed, because MPI may still free types when the program ends.
template <typename Value>
class TypeCache {
 public:
  using Ref = std::shared_ptr<const Value>;

  // Returns nullptr if nothing is known of the type.
  Ref find(MPI_Datatype type, bool permanent) {
    std::lock_guard lock(mutex_);
    return find_locked(type, permanent);
  }

  // Returns the value that is kept. If another thread was first, its value stays, so that no value is dropped
  // that another thread is copying.
  Ref keep(MPI_Datatype type, bool permanent, Ref value) {
    std::lock_guard lock(mutex_);
    if (Ref found = find_locked(type, permanent)) return found;
    if (permanent) {
      known_->permanent.emplace(type, value);
    } else if (have_keyval()) {
      auto* attribute = new Ref(value);
      if (PMPI_Type_set_attr(type, known_->keyval, attribute) != MPI_SUCCESS) delete attribute;
    }
    return value;
  }

 private:
  // The attribute's value is a Ref of its own.
  static int copy_attribute(MPI_Datatype, int, void*, void* value, void* copy, int* flag) {
    auto* duplicate = new (std::nothrow) Ref(*static_cast<Ref*>(value));
    *static_cast<void**>(copy) = duplicate;
    *flag = duplicate != nullptr;
    return MPI_SUCCESS;
  }

  static int drop_attribute(MPI_Datatype type, int, void* value, void*) {
    forget_contiguous(type);
    delete static_cast<Ref*>(value);
    return MPI_SUCCESS;
  }

  bool have_keyval() {
    int& keyval = known_->keyval;
    if (keyval == MPI_KEYVAL_INVALID &&
        PMPI_Type_create_keyval(copy_attribute, drop_attribute, &keyval, nullptr) != MPI_SUCCESS)
      keyval = MPI_KEYVAL_INVALID;
    return keyval != MPI_KEYVAL_INVALID;
  }

  Ref find_locked(MPI_Datatype type, bool permanent) {
    if (permanent) {
      auto found = known_->permanent.find(type);
      return found == known_->permanent.end() ? nullptr : found->second;
    }
    void* value = nullptr;
    int flag = 0;
    if (!have_keyval() || PMPI_Type_get_attr(type, known_->keyval, &value, &flag) != MPI_SUCCESS || !flag)
      return nullptr;
    return *static_cast<Ref*>(value);
  }

  struct Known {
    int keyval = MPI_KEYVAL_INVALID;
    std::map<MPI_Datatype, Ref> permanent;
  };
  std::mutex mutex_;
  OfEpoch<Known> known_;
};

}  // namespace concilio::mpi
