// XDMF for Fortran. A program begins a grid, adds fields, and then writes it. Only the last call is
// collective.
#include <fmt/format.h>

#include <utility>

#include "scorpio/fortran/fortran.h"

namespace concilio::scorpio {
namespace {

// Returns a draft of a structured grid. If the grid cannot be, stores an error and returns null;
// fscorpio_write_xdmf then fails on all ranks.
XdmfDraft* begin_structured(Entry& entry, double time, int ndims, const int64_t* points) {
  entry.draft = {};
  if (ndims != 2 && ndims != 3) {
    fail(Error{ErrorKind::argument, 0, fmt::format("XDMF: a grid has 2 or 3 dimensions, not {}", ndims)});
    return nullptr;
  }
  entry.draft.begun = true;
  entry.draft.time = time;
  entry.draft.points.assign(points, points + ndims);
  return &entry.draft;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

int write(const XdmfDraft& draft, int file, iogroup_t* group) {
  if (!draft.begun) return scorpio_write_xdmf(nullptr, file, group);
  std::vector<const char*> coordinates = pointers_to(draft.coordinates);
  std::vector<scorpio_xdmf_field_t> fields;
  for (const XdmfDraft::Field& field : draft.fields) {
    fields.push_back(
        {field.dataset.c_str(), field.name.empty() ? nullptr : field.name.c_str(), field.on_cells ? 1 : 0});
  }
  scorpio_xdmf_grid_t grid{};
  grid.kind = draft.kind;
  grid.time = draft.time;
  grid.ndims = static_cast<int>(draft.points.size());
  grid.points = draft.points.data();
  grid.origin = draft.origin.data();
  grid.spacing = draft.spacing.data();
  grid.coordinates = coordinates.data();
  grid.topology = draft.topology.c_str();
  grid.connectivity = draft.connectivity.c_str();
  grid.cells = draft.cells;
  grid.nfields = static_cast<int>(fields.size());
  grid.fields = fields.data();
  return scorpio_write_xdmf(&grid, file, group);
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

FSCORPIO fscorpio_xdmf_begin_uniform_(const double* time, const int* ndims, const int64_t* points,
                                      const double* origin, const double* spacing, const int* gid,
                                      int* ierr) {
  on_entry(gid, ierr, [&](Entry& entry) {
    XdmfDraft* draft = begin_structured(entry, *time, *ndims, points);
    if (!draft) return FAILURE;
    draft->kind = SCORPIO_XDMF_UNIFORM;
    draft->origin.assign(origin, origin + *ndims);
    draft->spacing.assign(spacing, spacing + *ndims);
    return 0;
  });
}

FSCORPIO fscorpio_xdmf_begin_rectilinear_(const double* time, const int* ndims, const int64_t* points,
                                          const char* coordinates, const int* gid, int* ierr,
                                          size_t coordinates_length) {
  on_entry(gid, ierr, [&](Entry& entry) {
    XdmfDraft* draft = begin_structured(entry, *time, *ndims, points);
    if (!draft) return FAILURE;
    draft->kind = SCORPIO_XDMF_RECTILINEAR;
    for (int at = 0; at < *ndims; ++at) {
      draft->coordinates.push_back(fortran_text(coordinates + at * coordinates_length, coordinates_length));
    }
    return 0;
  });
}

FSCORPIO fscorpio_xdmf_begin_unstructured_(const double* time, const char* coordinates, const char* topology,
                                           const char* connectivity, const int64_t* cells, const int* gid,
                                           int* ierr, size_t coordinates_length, size_t topology_length,
                                           size_t connectivity_length) {
  on_entry(gid, ierr, [&](Entry& entry) {
    XdmfDraft& draft = entry.draft = {};
    draft.kind = SCORPIO_XDMF_UNSTRUCTURED;
    draft.time = *time;
    draft.coordinates.push_back(fortran_text(coordinates, coordinates_length));
    draft.topology = fortran_text(topology, topology_length);
    draft.connectivity = fortran_text(connectivity, connectivity_length);
    draft.cells = *cells;
    draft.begun = true;
    return 0;
  });
}

FSCORPIO fscorpio_xdmf_add_field_(const char* dataset, const char* name, const int* on_cells, const int* gid,
                                  int* ierr, size_t dataset_length, size_t name_length) {
  on_entry(gid, ierr, [&](Entry& entry) {
    if (!entry.draft.begun) {
      return fail(
          {ErrorKind::argument, 0, "XDMF: a field without a grid: call fscorpio_xdmf_begin_... first"});
    }
    entry.draft.fields.push_back(
        {fortran_text(dataset, dataset_length), fortran_text(name, name_length), *on_cells != 0});
    return 0;
  });
}

FSCORPIO fscorpio_write_xdmf_(const int* fid, const int* gid, int* ierr) {
  on_entry(gid, ierr,
           [&](Entry& entry) { return write(std::exchange(entry.draft, {}), *fid, &entry.group); });
}
