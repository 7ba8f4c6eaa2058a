#include "mpi/types/representation.h"

#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <map>
#include <mutex>

#include "mpi/epoch.h"

namespace concilio::mpi {
namespace {

// A representation that a program registered with MPI_Register_datarep.
class FromUser : public Representation {
 public:
  explicit FromUser(UserRepresentation wanted) : Representation(wanted.name), functions_(std::move(wanted)) {}

  bool converts(Operation operation) const override { return static_cast<bool>(function(operation).call); }

  Result<int64_t> file_bytes(const BasicType& type) const override {
    MPI_Aint bytes = 0;
    const int code = functions_.extent(type.type, &bytes, functions_.extra_state);
    if (code != MPI_SUCCESS) return failed("extent function", code);
    if (bytes > 0) return bytes;
    return Error{ErrorKind::conversion, 0,
                 fmt::format("the extent function of \"{}\" gives {} bytes for {}", name(),
                             static_cast<int64_t>(bytes), name_of(type.type))};
  }

  Status convert(Operation operation, const ItemRange& portion) const override {
    const UserConversion& conversion = function(operation);
    std::byte* file = portion.file;
    for (pattern::Place at = portion.begin; at.items < portion.end.items;) {
      pattern::Place next = portion.end;
      if (next.items - at.items > conversion.most_items)
        next = portion.signature.at(&pattern::Place::items, at.items + conversion.most_items);
      const int code = conversion.call(portion.buffer, portion.type, next.items - at.items, file, at.items,
                                       functions_.extra_state);
      if (code != MPI_SUCCESS)
        return failed(operation == Operation::read ? "read conversion function" : "write conversion function",
                      code);
      file += next.file_bytes - at.file_bytes;
      at = next;
    }
    return {};
  }

 private:
  const UserConversion& function(Operation operation) const {
    return operation == Operation::read ? functions_.read : functions_.write;
  }

  Error failed(const char* what, int code) const {
    return {ErrorKind::conversion, 0, fmt::format("the {} of \"{}\" returned {}", what, name(), code)};
  }

  const UserRepresentation functions_;
};

struct Registry {
  std::mutex mutex;
  OfEpoch<std::map<std::string, const Representation*>> representations;
};

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

bool is_predefined(const std::string& name) {
  return name == "native" || name == "internal" || name == external32().name();
}

}  // namespace

UserConversion UserConversion::of(MPI_Datarep_conversion_function* function) {
  if (function == MPI_CONVERSION_FN_NULL) return {};
  return {[function](void* user, MPI_Datatype type, MPI_Count items, void* file, MPI_Offset position,
                     void* extra) {
            return function(user, type, static_cast<int>(items), file, position, extra);
          },
          INT_MAX};
}

#if MPI_VERSION >= 4
UserConversion UserConversion::of(MPI_Datarep_conversion_function_c* function) {
  if (function == MPI_CONVERSION_FN_NULL_C) return {};
  return {function, INT64_MAX};
}
#endif

std::string standard_name(const std::string& name) {
  if (name == "NATIVE") return "native";
  if (name == "INTERNAL") return "internal";
  if (name == "EXTERNAL32") return external32().name();
  return name;
}

Result<const Representation*> find_representation(const std::string& name) {
  if (name == external32().name()) return &external32();
  if (is_predefined(name)) return static_cast<const Representation*>(nullptr);
  Registry& known = registry();
  std::lock_guard lock(known.mutex);
  auto found = known.representations->find(name);
  if (found != known.representations->end()) return found->second;
  return Error{ErrorKind::data_representation, 0,
               fmt::format("no data representation \"{}\": neither native, internal, external32 nor one that "
                           "was registered",
                           name)};
}

Status register_representation(UserRepresentation wanted) {
  if (wanted.name.empty() || wanted.name.size() >= MPI_MAX_DATAREP_STRING) {
    return Error{ErrorKind::argument, 0,
                 fmt::format("the name of a data representation has 1 to {} characters, not {}",
                             MPI_MAX_DATAREP_STRING - 1, wanted.name.size())};
  }
  if (!wanted.extent)
    return Error{ErrorKind::argument, 0,
                 fmt::format("the data representation \"{}\" has no extent function", wanted.name)};
  Registry& known = registry();
  std::lock_guard lock(known.mutex);
  if (is_predefined(standard_name(wanted.name)) || known.representations->contains(wanted.name)) {
    return Error{ErrorKind::duplicate_representation, 0,
                 fmt::format("there is a data representation \"{}\" already", wanted.name)};
  }
  const std::string name = wanted.name;
  known.representations->emplace(name, new FromUser(std::move(wanted)));
  return {};
}

}  // namespace concilio::mpi
