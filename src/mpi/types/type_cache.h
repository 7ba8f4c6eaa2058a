// What is known of datatypes, kept with them: derived types hold it as an attribute, dropped with the type;
// MPI's own types, which cannot all hold one, stand in a map. Thread-safe. MPI's callbacks take no lock.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "mpi/epoch.h"

namespace concilio {

// Never destroyed: MPI may still free types when the program ends.
template <typename Value>
class TypeCache {
 public:
  using Ref = std::shared_ptr<const Value>;

  // nullptr: nothing is known.
  Ref find(MPI_Datatype type, bool permanent) {
    std::lock_guard lock(mutex_);
    return find_locked(type, permanent);
  }

  // The first to come wins, so that nobody drops what another thread is copying.
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

  static int drop_attribute(MPI_Datatype, int, void* value, void*) {
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

}  // namespace concilio
