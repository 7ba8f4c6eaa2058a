// File views.
#include <fmt/format.h>

#include <cstring>

#include "base/checked.h"
#include "mpi/datatype.h"
#include "mpiio/exceptions.h"
#include "mpiio/raise.h"

namespace concilio::mpiio {
namespace {

// A handle of our own for a datatype: predefined ones are for ever, others may be freed by the program.
int own(MPI_Datatype type, MPI_Datatype* result) {
  if (is_permanent(type)) {
    *result = type;
    return MPI_SUCCESS;
  }
  return PMPI_Type_dup(type, result);
}

void disown(MPI_Datatype* type) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized && !is_permanent(*type)) PMPI_Type_free(type);
}

struct Wanted {
  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  const char* datarep;
};

// Where the shared pointer is, as a byte of the file.
Result<MPI_Offset> current_displacement(File& file) {
  auto position = file.shared_pointer().get();
  if (!position) return position.error();
  auto view = file.view();
  auto bytes = checked_multiply(*position, view->etype_bytes);
  if (!bytes) return Error{ErrorKind::count, 0, "the shared file pointer is beyond what 64 bits hold"};
  return view->access.empty() ? view->displacement : view->access.offset_of(*bytes);
}

Result<View> make_view(File& file, const Wanted& wanted) {
  auto refuse = [](ErrorKind kind, std::string why) { return Error{kind, 0, std::move(why)}; };
  const std::string datarep = wanted.datarep ? wanted.datarep : "";
  if (datarep != "native" && datarep != "internal") {
    return refuse(ErrorKind::data_representation,
                  fmt::format("no data representation \"{}\"; \"native\" is to be had", datarep));
  }
  const bool sequential = file.amode() & MPI_MODE_SEQUENTIAL;
  MPI_Offset displacement = wanted.displacement;
  if (sequential != (displacement == MPI_DISPLACEMENT_CURRENT)) {
    return refuse(ErrorKind::argument,
                  sequential ? "a file opened with MPI_MODE_SEQUENTIAL needs MPI_DISPLACEMENT_CURRENT"
                             : "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL");
  }
  if (sequential) {
    auto here = current_displacement(file);
    if (!here) return here.error();
    displacement = *here;
  }
  if (displacement < 0) return refuse(ErrorKind::argument, fmt::format("a displacement of {}", displacement));
  auto etype = decode(wanted.etype);
  if (!etype) return etype.error();
  auto filetype = decode(wanted.filetype);
  if (!filetype) return filetype.error();
  const DataType& element = **etype;
  const DataType& tile = **filetype;
  if (element.size() == 0 ? tile.size() > 0 : tile.size() % element.size() != 0) {
    return refuse(ErrorKind::datatype,
                  fmt::format("the filetype's {} bytes are no multiple of the etype's {}", tile.size(),
                              element.size()));
  }
  if (tile.size() > 0 && tile.nest->lower() < 0) {
    return refuse(ErrorKind::datatype, "the filetype begins before its displacement");
  }
  if (!tile.nest->monotone()) {
    return refuse(ErrorKind::datatype,
                  "the filetype's displacements decrease or overlap; MPI wants them in ascending order");
  }
  View view;
  view.displacement = displacement;
  view.etype_bytes = element.size() > 0 ? element.size() : 1;
  view.datarep = datarep;
  view.access = Access::of(tile, displacement);
  if (file.writes() && tile.size() > 0 && tile.extent <= 0) {
    return refuse(ErrorKind::datatype, "the filetype's extent is not positive");
  }
  return view;
}

}  // namespace

View::~View() {
  disown(&etype);
  disown(&filetype);
}

void View::swap(View& other) {
  std::swap(displacement, other.displacement);
  std::swap(etype, other.etype);
  std::swap(filetype, other.filetype);
  std::swap(etype_bytes, other.etype_bytes);
  std::swap(datarep, other.datarep);
  std::swap(access, other.access);
}

namespace {

Status change_view(File& file, const Wanted& wanted, MPI_Info info) {
  auto view = without_exceptions([&] { return make_view(file, wanted); });
  Status mine;
  if (!view) {
    mine = view.error();
  } else if (own(wanted.etype, &view->etype) != MPI_SUCCESS ||
             own(wanted.filetype, &view->filetype) != MPI_SUCCESS) {
    mine = Error{ErrorKind::datatype, 0, "cannot keep the view's datatypes"};
  }
  if (auto status = file.agree(mine); !status) return status;
  int given = info != MPI_INFO_NULL;
  PMPI_Allreduce(MPI_IN_PLACE, &given, 1, MPI_INT, MPI_MAX, file.team().comm());
  if (given) file.adopt_hints(info);
  file.set_view(std::move(*view));
  file.set_position(0);
  // All ranks have read the shared pointer, and none uses it before it is back at the start.
  if (file.team().rank() == 0) (void)file.shared_pointer().set(0);
  return file.agree({});
}

}  // namespace

int set_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* datarep, MPI_Info info) {
  const Wanted wanted{displacement, etype, filetype, datarep};
  auto status = file.in_turn([&] { return change_view(file, wanted, info); });
  return raise(file, "MPI_File_set_view", status);
}

int get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* datarep) {
  auto view = file.view();
  *displacement = view->displacement;
  std::strncpy(datarep, view->datarep.c_str(), MPI_MAX_DATAREP_STRING - 1);
  datarep[MPI_MAX_DATAREP_STRING - 1] = '\0';
  int code = own(view->etype, etype);
  return code == MPI_SUCCESS ? own(view->filetype, filetype) : code;
}

}  // namespace concilio::mpiio
