#include "turned.h"

#include <algorithm>

#include "common/mpi_type.h"
#include "oracle_case.h"

namespace oracle {
namespace {

int keyval() {
  static const int made = [] {
    int value = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &value, nullptr);
    return value;
  }();
  return made;
}

}  // namespace

const char* name_of(Form form) {
  static const char* const names[] = {"native", "external32", "turned"};
  return names[static_cast<int>(form)];
}

TurnedType::TurnedType(const TypeSpec& spec, MPI_Datatype type)
    : items_(items_of(spec)), extent_(flatten(spec).extent()) {
  if (spec.kind != Kind::basic) MPI_Type_set_attr(type, keyval(), this);
}

struct TurnedFunctions {
  // Calls move(byte in memory or null, byte in the file) for the bytes of `count` items, beginning at the
  // given one.
  template <typename Move>
  static int for_each_byte(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                           Move move) {
    std::vector<Piece> items;
    int64_t extent = 0;
    void* known = nullptr;
    int flag = 0;
    if (const auto basic = basic_of(type)) {
      TypeSpec spec;
      spec.basic = *basic;
      items = items_of(spec);
      extent = basic_types()[*basic].extent;
    } else if (MPI_Type_get_attr(type, keyval(), &known, &flag) == MPI_SUCCESS && flag) {
      items = static_cast<TurnedType*>(known)->items_;
      extent = static_cast<TurnedType*>(known)->extent_;
    }
    if (items.empty()) return MPI_ERR_TYPE;
    auto* there = static_cast<uint8_t*>(file);
    for (int64_t i = position; i < position + count; ++i) {
      const Piece& item = items[static_cast<size_t>(i % std::ssize(items))];
      uint8_t* here = static_cast<uint8_t*>(user) + i / std::ssize(items) * extent + item.offset;
      for (int64_t byte = item.length; byte-- > 0;) move(here + byte, there++);
      move(nullptr, there++);
    }
    return MPI_SUCCESS;
  }

  static int read(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void*) {
    return for_each_byte(user, type, count, file, position, [](uint8_t* here, const uint8_t* there) {
      if (here) *here = *there;
    });
  }

  static int write(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void*) {
    return for_each_byte(user, type, count, file, position,
                         [](const uint8_t* here, uint8_t* there) { *there = here ? *here : filling; });
  }

  static int extent(MPI_Datatype type, MPI_Aint* extent, void*) {
    int size = 0;
    const int code = MPI_Type_size(type, &size);
    *extent = length_in(Form::turned, size);
    return code;
  }
};

void register_turned() {
  MPI_Register_datarep("turned", TurnedFunctions::read, TurnedFunctions::write, TurnedFunctions::extent,
                       nullptr);
}

}  // namespace oracle
