#include "mpi/types/conversion.h"

#include <utility>

#include "mpi/types/datatype.h"

namespace concilio::mpi {

Result<Conversion> Conversion::make(MPI_Datatype type, MPI_Count count, const Representation& representation,
                                    Budget& budget) {
  auto memory = decode(type, budget);
  if (!memory) return memory.error();
  auto form = decode(type, representation, budget);
  if (!form) return form.error();
  auto signature = pattern::Signature::repeat((*form)->signature, count);
  if (!signature) return signature.error();
  Conversion made;
  made.representation_ = &representation;
  made.memory_ = pattern::Access::of(**memory, 0);
  made.signature_ = std::move(*signature);
  made.type_ = type;
  if (representation.needs_type()) {
    auto own = OwnType::with_attributes(type);
    if (!own) return own.error();
    made.own_ = std::move(*own);
    made.type_ = made.own_.get();
  }
  return made;
}

Conversion::Conversion(Conversion&& other) noexcept {
  swap(other);
}

Conversion& Conversion::operator=(Conversion&& other) noexcept {
  swap(other);
  return *this;
}

void Conversion::swap(Conversion& other) {
  std::swap(representation_, other.representation_);
  std::swap(type_, other.type_);
  std::swap(own_, other.own_);
  std::swap(memory_, other.memory_);
  std::swap(signature_, other.signature_);
}

int64_t Conversion::item_boundary(int64_t file_position) const {
  return signature_->at(&pattern::Place::file_bytes, file_position).file_bytes;
}

pattern::Interval Conversion::whole_items(pattern::Interval file_bytes) const {
  const auto before = [&](int64_t position) { return signature_->at(&pattern::Place::file_bytes, position); };
  pattern::Place begin = before(file_bytes.begin);
  if (begin.file_bytes < file_bytes.begin) begin = signature_->at(&pattern::Place::items, begin.items + 1);
  return {begin.file_bytes, before(file_bytes.end).file_bytes};
}

int64_t Conversion::native_bytes(int64_t file_position) const {
  return signature_->at(&pattern::Place::file_bytes, file_position).native_bytes;
}

ItemRange Conversion::portion(void* buffer, pattern::Interval file_bytes, std::byte* staging) const {
  return {type_,
          memory_,
          *signature_,
          signature_->at(&pattern::Place::file_bytes, file_bytes.begin),
          signature_->at(&pattern::Place::file_bytes, file_bytes.end),
          static_cast<std::byte*>(buffer),
          staging};
}

Status Conversion::to_file(const void* buffer, pattern::Interval file_bytes, std::byte* staging) const {
  return representation_->convert(Operation::write, portion(const_cast<void*>(buffer), file_bytes, staging));
}

Status Conversion::from_file(void* buffer, pattern::Interval file_bytes, const std::byte* staging) const {
  return representation_->convert(Operation::read,
                                  portion(buffer, file_bytes, const_cast<std::byte*>(staging)));
}

}  // namespace concilio::mpi
