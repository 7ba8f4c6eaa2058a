// Data representations (MPI 4.1, section 14.5): how the items of a datatype are stored in a file, and how
// they are converted. "native" and "internal" need no object of this class: their files hold the bytes of
// memory.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "base/operation.h"
#include "base/result.h"
#include "mpi/types/basic_types.h"
#include "mpi/types/datatype.h"
#include "mpi/types/type_cache.h"
#include "pattern/access.h"
#include "pattern/signature.h"

namespace concilio::mpi {

// The items of one transfer from boundary `begin` to boundary `end` of its signature.
struct ItemRange {
  MPI_Datatype type;              // the type in memory, tiled from `buffer` on
  const pattern::Access& memory;  // the same type, decoded
  const pattern::Signature& signature;
  pattern::Place begin, end;
  std::byte* buffer;  // the user's buffer, from its beginning
  std::byte* file;    // the items' bytes in the file, one behind another; file[0] belongs to item begin.items
};

// An object is never destroyed once it is made.
class Representation {
 public:
  explicit Representation(std::string name) : name_(std::move(name)) {}
  Representation(const Representation&) = delete;
  virtual ~Representation() = default;

  const std::string& name() const { return name_; }
  // Whether that direction is converted. If not, it reads or writes what "native" would.
  virtual bool converts(Operation) const { return true; }
  // Whether convert() needs the datatype itself, and not only its pattern.
  virtual bool needs_type() const { return true; }
  // How many bytes an item takes in a file; more than 0.
  virtual Result<int64_t> file_bytes(const BasicType& type) const = 0;
  // Converts from `portion.file` to the buffer if the operation is a read, and the other way for a write.
  // Returns an error of kind `conversion` if a value cannot be converted. Thread-safe.
  virtual Status convert(Operation operation, const ItemRange& portion) const = 0;

  // The forms of datatypes in files of this representation.
  TypeCache<FileForm>& forms() const { return forms_; }

 private:
  std::string name_;
  mutable TypeCache<FileForm> forms_;
};

// The name that MPI gives a representation: ROMIO and OMPIO also take predefined ones in capitals, "NATIVE",
// and Fortran programs rely on that.
std::string standard_name(const std::string& name);

// Returns nullptr for "native" and "internal", and an error of kind `data_representation` for a name that
// nobody registered.
Result<const Representation*> find_representation(const std::string& name);

const Representation& external32();

// A conversion function of MPI_Register_datarep. Its int and large-count forms differ in the type of the
// count.
struct UserConversion {
  std::function<int(void* user, MPI_Datatype, MPI_Count items, void* file, MPI_Offset position, void* extra)>
      call;  // empty: MPI_CONVERSION_FN_NULL
  int64_t most_items = 0;

  static UserConversion of(MPI_Datarep_conversion_function* function);
#if MPI_VERSION >= 4
  static UserConversion of(MPI_Datarep_conversion_function_c* function);
#endif
};
struct UserRepresentation {
  std::string name;
  UserConversion read, write;
  std::function<int(MPI_Datatype, MPI_Aint* bytes, void* extra)> extent;
  void* extra_state = nullptr;
};
// Returns an error of kind `argument` for a name that is empty or too long, and of kind
// `duplicate_representation` for a name that is taken.
Status register_representation(UserRepresentation wanted);

}  // namespace concilio::mpi
