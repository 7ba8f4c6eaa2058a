// File views.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "base/checked.h"
#include "base/exceptions.h"
#include "mpi/types/contiguous_types.h"
#include "mpi/types/datatype.h"
#include "mpiio/calls/raise.h"
#include "mpiio/file/call_record.h"

namespace concilio::mpiio {
namespace {

struct Wanted {
  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  const char* datarep;
};

// Where the shared pointer is, as an offset in the file in bytes.
Result<MPI_Offset> current_displacement(File& file) {
  auto position = file.shared_pointer().get();
  if (!position) return position.error();
  auto view = file.view();
  const Shown& shown = view->shown();
  if (shown.access.empty()) return view->displacement;
  auto bytes = checked_multiply(*position, shown.etype_bytes);
  auto byte = bytes ? shown.access.exact_offset_of(*bytes) : std::nullopt;
  if (!byte) return Error{ErrorKind::argument, 0, "the shared file pointer is larger than 64 bits can hold"};
  return *byte;
}

Error refuse(ErrorKind kind, std::string why) {
  return {kind, 0, std::move(why)};
}

// The layout of a datatype in the file.
Result<std::shared_ptr<const pattern::DataType>> decode_for_file(MPI_Datatype type,
                                                                 const mpi::Representation* representation,
                                                                 Budget& budget) {
  if (!representation) return mpi::decode(type, budget, mpi::Reuse::unlikely);
  auto form = decode(type, *representation, budget);
  if (!form) return form.error();
  return std::shared_ptr<const pattern::DataType>(*form, &(*form)->layout);
}

// Every byte from the displacement on, as most views that are set back to.
std::optional<Shown> show_contiguous(const Wanted& wanted) {
  const int64_t element_bytes = mpi::contiguous_bytes(wanted.etype),
                tile_bytes = mpi::contiguous_bytes(wanted.filetype);
  if (element_bytes == 0 || tile_bytes == 0 || tile_bytes % element_bytes != 0) return std::nullopt;
  return Shown{element_bytes, pattern::Access::contiguous(wanted.displacement)};
}

Result<Shown> show(File& file, const Wanted& wanted, const mpi::Representation* representation) {
  if (!representation) {
    if (auto shown = show_contiguous(wanted)) return *shown;
  }
  for (const auto& [type, what] : {std::pair{wanted.etype, "etype"}, {wanted.filetype, "filetype"}}) {
    if (Status committed = mpi::check_committed(type, what, file.team().comm()); !committed)
      return committed.error();
  }
  auto etype = decode_for_file(wanted.etype, representation, file.descriptions());
  if (!etype) return etype.error();
  auto filetype = decode_for_file(wanted.filetype, representation, file.descriptions());
  if (!filetype) return filetype.error();
  const pattern::DataType& element = **etype;
  const pattern::DataType& tile = **filetype;
  // Open MPI and MPICH give this class themselves.
  if (element.size() == 0 ? tile.size() > 0 : tile.size() % element.size() != 0) {
    return refuse(ErrorKind::argument,
                  fmt::format("the filetype's {} bytes are not a multiple of the etype's {}", tile.size(),
                              element.size()));
  }
  // The class of these three is ROMIO's.
  if (tile.size() > 0 && tile.nest->lower() < 0) {
    return refuse(ErrorKind::io, "the filetype has data before its displacement");
  }
  if (!tile.nest->monotone()) {
    if (!tile.nest->ascending()) {
      return refuse(ErrorKind::io,
                    "the filetype's displacements decrease; MPI requires them in ascending order");
    }
    if (file.writes()) {
      return refuse(ErrorKind::io,
                    "the filetype has bytes twice, which MPI allows only in files opened for reading");
    }
  }
  if (file.writes() && tile.size() > 0 && tile.extent <= 0) {
    return refuse(ErrorKind::datatype, "the filetype's extent is not positive");
  }
  return Shown{element.size() > 0 ? element.size() : 1, pattern::Access::of(tile, wanted.displacement),
               representation};
}

// Everything but where a view of a sequential file begins, which is not known before all ranks have come.
Status make_view(File& file, Wanted wanted, View& view) {
  view.datarep = mpi::standard_name(wanted.datarep ? wanted.datarep : "");
  auto representation = mpi::find_representation(view.datarep);
  if (!representation) return representation.error();
  view.representation = *representation;
  const bool sequential = file.amode() & MPI_MODE_SEQUENTIAL;
  if (sequential != (wanted.displacement == MPI_DISPLACEMENT_CURRENT)) {
    return refuse(
        ErrorKind::argument,
        sequential ? "a file opened with MPI_MODE_SEQUENTIAL needs MPI_DISPLACEMENT_CURRENT"
                   : "MPI_DISPLACEMENT_CURRENT can only be given for files opened with MPI_MODE_SEQUENTIAL");
  }
  if (sequential) wanted.displacement = 0;
  view.displacement = wanted.displacement;
  if (view.displacement < 0)
    return refuse(ErrorKind::argument, fmt::format("a displacement of {}", view.displacement));
  const auto form_of = [&](Operation operation) {
    return view.representation && view.representation->converts(operation) ? view.representation : nullptr;
  };
  auto reads = show(file, wanted, form_of(Operation::read));
  if (!reads) return reads.error();
  view.reads = std::move(*reads);
  if (form_of(Operation::write) == view.reads.representation) {
    view.writes = view.reads;
  } else {
    auto writes = show(file, wanted, form_of(Operation::write));
    if (!writes) return writes.error();
    view.writes = std::move(*writes);
  }
  const pattern::Nest &read = *view.reads.access.nest(), &written = *view.writes.access.nest();
  view.charge = file.describes(read.memory_bytes() + (&read == &written ? 0 : written.memory_bytes()));
  auto etype = mpi::OwnType::of(wanted.etype);
  if (!etype) return etype.error();
  auto filetype = mpi::OwnType::of(wanted.filetype);
  if (!filetype) return filetype.error();
  view.etype = std::move(*etype);
  view.filetype = std::move(*filetype);
  return {};
}

// Moves a view of a sequential file to where the shared pointer is in the view before.
Status move_to_shared_pointer(File& file, View& view) {
  auto here = current_displacement(file);
  if (!here) return here.error();
  view.displacement = *here;
  for (Shown* shown : {&view.reads, &view.writes}) shown->access.move(*here);
  return {};
}

// Why ranks that set a view need more than one meeting, and what they do about their next calls.
constexpr uint64_t gives_hints = 1, moved_shared_pointer = 2, looks_different = 4;

// Calls with a conversion take other steps than calls without, so all ranks must give the same
// representation, here as a number.
void tell_of_view(File& file, const View& view, MPI_Info info, exec::Terms& terms) {
  auto name = static_cast<int64_t>(std::hash<std::string>()(view.datarep) >> 3);
  name = name * 4 + (view.reads.representation ? 2 : 0) + (view.writes.representation ? 1 : 0);
  terms.least = terms.most = name;
  if (file.gives_new_hints(info)) terms.flags |= gives_hints;
  if (file.shared_pointer().moved_here()) terms.flags |= moved_shared_pointer;
  if (!file.collective().looks_as_before(view.reads.access, view.writes.access))
    terms.flags |= looks_different;
}

// As a rule, the meeting in which the ranks have come is the only one: each has made its view before.
Status change_view(File& file, std::shared_ptr<View> view, MPI_Info info, const exec::Terms& all) {
  if (all.least != all.most)
    return error_with(ErrorKind::not_same, 0, [] { return "the ranks give different data representations"; });
  if (file.amode() & MPI_MODE_SEQUENTIAL) {
    const auto move = [&] { return move_to_shared_pointer(file, *view); };
    if (auto moved = file.agree(without_exceptions(move)); !moved) return moved;
  }
  Status settled;
  if (all.flags & gives_hints) {
    settled = file.settle();
    if (auto adopted = file.adopt_hints(info); !adopted) return adopted;
  }
  file.set_view(std::move(view));
  file.set_position(0);
  file.collective().apart().views_changed(!(all.flags & looks_different));
  if (all.flags & moved_shared_pointer) {
    // No rank uses the shared pointer before it is back at the start.
    if (file.team().rank() == 0) (void)file.shared_pointer().set(0);
    file.shared_pointer().is_zero();
    if (auto met = file.agree({}); !met) return met;
  }
  return settled;
}

}  // namespace

int set_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* datarep, MPI_Info info) {
  const CallRecord::Timing timing(file.record());
  std::shared_ptr<View> view;
  Status made = without_exceptions([&]() -> Status {
    view = std::make_shared<View>();
    return make_view(file, {displacement, etype, filetype, datarep}, *view);
  });
  const auto prepare = [&](exec::Terms& terms) {
    if (made) tell_of_view(file, *view, info, terms);
    return made;
  };
  const auto change = [&](const exec::Terms& all) { return change_view(file, view, info, all); };
  const Status status = file.in_turn(exec::CallKind::set_view, prepare, change);
  if (file.record() && status) file.record()->viewed(file, timing);
  return raise(file, "MPI_File_set_view", status);
}

int get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* datarep) {
  auto view = file.view();
  *displacement = view->displacement;
  // Not a byte more: the Fortran wrappers of the MPIs pass a string that is only as long as the program's
  // variable.
  std::memcpy(datarep, view->datarep.c_str(), view->datarep.size() + 1);
  auto own_etype = mpi::OwnType::committed(view->etype.get());
  auto own_filetype = mpi::OwnType::committed(view->filetype.get());
  if (!own_etype) return raise(file, "MPI_File_get_view", own_etype.error());
  if (!own_filetype) return raise(file, "MPI_File_get_view", own_filetype.error());
  *etype = own_etype->release();
  *filetype = own_filetype->release();
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
