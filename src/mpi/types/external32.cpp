// The representation "external32". The buffer's items are packed in pieces that fit into the cache, and
// converted from there.
#include "pattern/external32.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "mpi/types/representation.h"
#include "pattern/copy.h"

namespace concilio::mpi {
namespace {

constexpr int64_t piece_bytes = 16 << 10;

class External32 : public Representation {
 public:
  External32() : Representation("external32") {}

  bool needs_type() const override { return false; }

  Result<int64_t> file_bytes(const BasicType& type) const override {
    if (!external32_converts(type.item)) {
      return Error{ErrorKind::datatype, 0, fmt::format("{} has no form in external32", name_of(type.type))};
    }
    return type.item.file_bytes;
  }

  Status convert(Operation operation, const ItemRange& portion) const override {
    const bool straight = portion.memory.is_contiguous();
    alignas(64) std::array<std::byte, piece_bytes> packed;
    const pattern::Access contiguous = pattern::Access::contiguous(0);
    for (pattern::Place at = portion.begin; at.items < portion.end.items;) {
      pattern::Place next =
          straight ? portion.end
                   : portion.signature.at(&pattern::Place::native_bytes, at.native_bytes + piece_bytes);
      if (next.items > portion.end.items) next = portion.end;
      std::byte* native =
          straight ? portion.buffer + portion.memory.displacement() + at.native_bytes : packed.data();
      const pattern::Side user{&portion.memory, at.native_bytes, portion.buffer};
      const pattern::Side pack{&contiguous, 0, packed.data()};
      const int64_t bytes = next.native_bytes - at.native_bytes;
      std::byte* file = portion.file + (at.file_bytes - portion.begin.file_bytes);
      if (operation == Operation::write && !straight) copy(user, pack, bytes);
      auto status = convert_packed(operation, portion.signature, at, next, native, file);
      if (!status) return status;
      if (operation == Operation::read && !straight) copy(pack, user, bytes);
      at = next;
    }
    return {};
  }

 private:
  static Status convert_packed(Operation operation, const pattern::Signature& signature,
                               const pattern::Place& begin, const pattern::Place& end, std::byte* native,
                               std::byte* file) {
    return signature.for_each(
        begin.items, end.items, [&](const pattern::Item& item, int64_t count) -> Status {
          auto status = operation == Operation::write ? to_external32(item, count, native, file)
                                                      : from_external32(item, count, file, native);
          native += item.native_bytes * count;
          file += item.file_bytes * count;
          return status;
        });
  }
};

}  // namespace

const Representation& external32() {
  static const auto* representation = new External32;
  return *representation;
}

}  // namespace concilio::mpi
