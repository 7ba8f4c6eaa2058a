#include <fstream>
#include <iterator>

#include "objects.h"

#include <sys/stat.h>
#include <unistd.h>

using objects::context;
using objects::Session;

namespace {

struct Grid : scorpio_xdmf_grid_t {
  Grid() : scorpio_xdmf_grid_t{} {}
  int add_to(Session& session) const { return scorpio_write_xdmf(this, session.file(), session.group()); }
};

int64_t grids_in(const std::string& name) {
  MPI_Barrier(MPI_COMM_WORLD);
  std::ifstream stream(context.path(name));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  int64_t count = 0;
  for (size_t at = text.find("<Time "); at != std::string::npos; at = text.find("<Time ", at + 1)) ++count;
  MPI_Barrier(MPI_COMM_WORLD);
  return count;
}

const double origin[3] = {0.1, -1, 1e-300}, spacing[3] = {0.5, 1, 1.0 / 3};

}  // namespace

SITUATION(Xdmf, UniformGridsInTime) {
  const int64_t points[3] = {5, 4, 3};
  Session session("uniform.h5");
  for (int step = 0; step < 3; ++step) {
    const std::string folder = "/step " + std::to_string(step);
    const std::string pressure = folder + "/p & <q>", velocity = folder + "/velocity", ids = folder + "/ids";
    session.write(pressure, {4, 3, 2});
    session.write(velocity, {5, 4, 3, 3});
    session.write(ids, {4, 3, 2}, SCORPIO_INTEGER);
    const scorpio_xdmf_field_t fields[3] = {
        {pressure.c_str(), nullptr, 1}, {velocity.c_str(), "\"u\"", 0}, {ids.c_str(), "i", 1}};
    Grid grid;
    grid.kind = SCORPIO_XDMF_UNIFORM;
    grid.time = step * 0.1;
    grid.ndims = 3;
    grid.points = points;
    grid.origin = origin;
    grid.spacing = spacing;
    grid.nfields = 3;
    grid.fields = fields;
    WELL(grid.add_to(session));
    EXPECT(grids_in("uniform.xmf") == step + 1);
    // The file is opened again, and the first two continue with what is there.
    if (step == 0) session.again(SCORPIO_FILE_READWRITE);
  }
}

SITUATION(Xdmf, TwoDimensionsAndOddNames) {
  const int64_t points[2] = {5, 4};
  Session session("two & dimensions.dat");
  session.write("map", {4, 3}, SCORPIO_INTEGER);
  const scorpio_xdmf_field_t field{"map", nullptr, 1};
  Grid grid;
  grid.ndims = 2;
  grid.points = points;
  grid.origin = origin;
  grid.spacing = spacing;
  grid.nfields = 1;
  grid.fields = &field;
  WELL(grid.add_to(session));
  EXPECT(grids_in("two & dimensions.dat.xmf") == 1);
}

SITUATION(Xdmf, RectilinearGrids) {
  for (const int ndims : {2, 3}) {
    const int64_t points[3] = {5, 4, 3};
    const char* coordinates[3] = {"z", "y", "x"};
    Session session("rectilinear" + std::to_string(ndims) + ".h5");
    for (int d = 0; d < ndims; ++d) session.write(coordinates[d], {points[d]});
    session.write("t", {points, points + ndims});
    const scorpio_xdmf_field_t field{"t", "temperature", 0};
    Grid grid;
    grid.kind = SCORPIO_XDMF_RECTILINEAR;
    grid.time = 1e300;
    grid.ndims = ndims;
    grid.points = points;
    grid.coordinates = coordinates;
    grid.nfields = 1;
    grid.fields = &field;
    WELL(grid.add_to(session));
  }
}

SITUATION(Xdmf, UnstructuredGrids) {
  Session session("unstructured.h5");
  session.write("points", {24, 3});
  session.write("cells", {6, 4}, SCORPIO_INTEGER);
  // A tetrahedron (6) and a pyramid (7).
  const int mixed[11] = {6, 0, 1, 2, 3, 7, 1, 2, 3, 4, 5};
  const int64_t extent = 11, start = 0, mine = context.rank == 0 ? 11 : 0;
  WELL(scorpio_write_dataset_block_64(mixed, SCORPIO_INTEGER, 1, &extent, &mine, &start, session.file(),
                                      "mixed", session.group()));
  session.write("of_cells", {6});
  session.write("of_two_cells", {2});
  session.write("of_points", {24, 3});
  const char* points = "points";
  const scorpio_xdmf_field_t fields[2] = {{"of_cells", nullptr, 1}, {"of_points", nullptr, 0}};
  Grid grid;
  grid.kind = SCORPIO_XDMF_UNSTRUCTURED;
  grid.coordinates = &points;
  grid.topology = "Tetrahedron";
  grid.connectivity = "cells";
  grid.nfields = 2;
  grid.fields = fields;
  WELL(grid.add_to(session));
  const scorpio_xdmf_field_t mixed_field{"of_two_cells", nullptr, 1};
  grid.topology = "Mixed";
  grid.connectivity = "mixed";
  grid.cells = 2;
  grid.time = 1;
  grid.nfields = 1;
  grid.fields = &mixed_field;
  WELL(grid.add_to(session));
}

SITUATION(Xdmf, WhatIsBesideAlready) {
  Session session("beside.h5");
  session.write("map", {4, 3});
  const int64_t points[2] = {4, 3};
  const scorpio_xdmf_field_t field{"map", nullptr, 0};
  Grid grid;
  grid.ndims = 2;
  grid.points = points;
  grid.origin = origin;
  grid.spacing = spacing;
  grid.nfields = 1;
  grid.fields = &field;
  WELL(grid.add_to(session));
  session.again(SCORPIO_FILE_READONLY);  // a description can be made for a file that is open for reading
  grid.time = 1;
  WELL(grid.add_to(session));
  EXPECT(grids_in("beside.xmf") == 2);
  // The description of another file is replaced, not extended.
  session.again(SCORPIO_FILE_READWRITE);
  if (context.rank == 0) std::ofstream(context.path("beside.xmf")) << "<Xdmf><Time /><Time /><Time /></Xdmf>";
  MPI_Barrier(MPI_COMM_WORLD);
  WELL(grid.add_to(session));
  EXPECT(grids_in("beside.xmf") == 1);
  // A new file does not inherit older descriptions.
  session.again(SCORPIO_FILE_CREATE);
  session.write("map", {4, 3});
  WELL(grid.add_to(session));
  EXPECT(grids_in("beside.xmf") == 1);
}

SITUATION(Xdmf, WhatFails) {
  Session session("xdmf_failures.h5");
  session.write("map", {4, 3});
  session.write("flat", {12});
  session.write("points", {24, 3});
  session.write("cells", {6, 4}, SCORPIO_INTEGER);
  char word[] = "word";
  char* words[1] = {word};
  WELL(scorpio_write_str_array(words, 1, session.file(), "words", session.group()));
  const int64_t points[3] = {4, 3, 0}, others[2] = {4, 4};
  const scorpio_xdmf_field_t field{"map", nullptr, 0}, none{"none", nullptr, 0}, text{"words", nullptr, 0},
      flat{"flat", nullptr, 0}, nameless{nullptr, nullptr, 0};
  const double inf[2] = {1.0 / 0.0, 0};
  Grid good;
  good.ndims = 2;
  good.points = points;
  good.origin = origin;
  good.spacing = spacing;
  good.nfields = 1;
  good.fields = &field;
  const auto fails = [&](const char* why, auto change) {
    Grid grid = good;
    change(grid);
    FAILS(grid.add_to(session), why);
  };
  WELL(good.add_to(session));
  fails("/none", [&](Grid& grid) { grid.fields = &none; });
  fails("/map has extents 4 x 3, the grid has 4 x 4 points", [&](Grid& grid) { grid.points = others; });
  fails("/flat has extents 12, the grid has 4 x 3 points", [&](Grid& grid) { grid.fields = &flat; });
  fails("/words", [&](Grid& grid) { grid.fields = &text; });
  fails("no name", [&](Grid& grid) { grid.fields = &nameless; });
  fails("null", [&](Grid& grid) { grid.fields = nullptr; });
  fails("-1", [&](Grid& grid) { grid.nfields = -1; });
  fails("2 or 3", [&](Grid& grid) { grid.ndims = 1; });
  fails("at least 1 point", [&](Grid& grid) { grid.ndims = 3; });
  fails("origin", [&](Grid& grid) { grid.origin = nullptr; });
  fails("spacing has inf", [&](Grid& grid) { grid.spacing = inf; });
  fails("time is inf", [&](Grid& grid) { grid.time = inf[0]; });
  fails("no kind", [&](Grid& grid) { grid.kind = static_cast<scorpio_xdmf_kind_t>(9); });
  fails("coordinates", [&](Grid& grid) { grid.kind = SCORPIO_XDMF_RECTILINEAR; });
  const char* coordinates[2] = {"map", "map"};
  const auto unstructured = [&](Grid& grid) {
    grid.kind = SCORPIO_XDMF_UNSTRUCTURED;
    grid.coordinates = coordinates;
    coordinates[0] = "points";
    grid.topology = "Tetrahedron";
    grid.connectivity = "cells";
    grid.nfields = 0;
  };
  fails("/map has 4 x 3 coordinates", [&](Grid& grid) {
    grid.kind = SCORPIO_XDMF_RECTILINEAR;
    grid.coordinates = coordinates;
  });
  fails("for \"Triangle\"", [&](Grid& grid) { unstructured(grid), grid.topology = "Triangle"; });
  fails("no topology \"Cube\"", [&](Grid& grid) { unstructured(grid), grid.topology = "Cube"; });
  fails("no topology", [&](Grid& grid) { unstructured(grid), grid.topology = nullptr; });
  fails("no integers", [&](Grid& grid) { unstructured(grid), grid.connectivity = "points"; });
  fails("one dimension", [&](Grid& grid) { unstructured(grid), grid.topology = "Mixed"; });
  fails("points are", [&](Grid& grid) {
    unstructured(grid), coordinates[0] = "cells";
    (void)grid;
  });
  FAILS(scorpio_write_xdmf(nullptr, session.file(), session.group()), "null");
  if (context.ranks > 1) {
    fails("differ", [&](Grid& grid) { grid.time = context.rank; });
  }
  // The description cannot be written there.
  if (context.rank == 0) mkdir(context.path("xdmf_failures.xmf.new").c_str(), 0755);
  MPI_Barrier(MPI_COMM_WORLD);
  FAILS(good.add_to(session), "xdmf_failures.xmf.new");
  MPI_Barrier(MPI_COMM_WORLD);
  if (context.rank == 0) rmdir(context.path("xdmf_failures.xmf.new").c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  good.time = 1;
  WELL(good.add_to(session));
  EXPECT(grids_in("xdmf_failures.xmf") == 2);
}
