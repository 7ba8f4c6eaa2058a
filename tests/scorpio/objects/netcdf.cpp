#include "objects.h"

using objects::context;
using objects::Session;

namespace {

void name_dimensions(Session& session, const char* names) {
  scorpio_creation_t creation{0, nullptr, 0, 0, names};
  WELL(scorpio_set_creation(&creation, session.file(), session.group()));
}

// A write of doubles that must fail.
void fails(Session& session, const char* name, std::vector<int64_t> extents, const char* why) {
  const std::vector<int64_t> none(extents.size(), 0);
  const double nothing = 0;
  FAILS(scorpio_write_dataset_block_64(&nothing, SCORPIO_DOUBLE, static_cast<int>(extents.size()),
                                       extents.data(), none.data(), none.data(), session.file(), name,
                                       session.group()),
        why);
  EXPECT(scorpio_dataset_exists(name, session.file(), session.group()) == 0);
}

}  // namespace

// check_objects.py compares it with what ncdump says.
SITUATION(Netcdf, NamedAndMadeUpDimensions) {
  Session session("dimensions.nc", SCORPIO_FILE_CREATE_NETCDF4);
  name_dimensions(session, "z");
  session.write("z", {6});  // the coordinates of a dimension
  name_dimensions(session, "z,y,x");
  session.write("rho", {6, 4, 2});
  session.write("flow/u", {6, 4, 2});
  session.write("flow/ids", {5}, SCORPIO_INTEGER);
  WELL(scorpio_set_creation(nullptr, session.file(), session.group()));
  session.write("/square", {4, 4});
  session.write("/again", {4, 5});
  session.write("/dim_7", {7});
  const double scale = 0.5;
  WELL(scorpio_write_simple_attr("scale_factor", &scale, SCORPIO_DOUBLE, session.file(), "rho",
                                 session.group()));
  WELL(scorpio_write_simple_attr("units", "kg/m3", SCORPIO_STRING, session.file(), "rho", session.group()));
  WELL(scorpio_write_simple_attr("title", "a test", SCORPIO_STRING, session.file(), "/", session.group()));
  const char* words[2] = {"two", "words"};
  const int two = 2;
  WELL(scorpio_write_attr("words", words, SCORPIO_STRING, 1, &two, session.file(), "/", session.group()));
  char soil[] = "soil", rock[] = "rock salt";
  char* names[2] = {soil, rock};
  WELL(scorpio_write_str_array(names, 2, session.file(), "materials", session.group()));
}

SITUATION(Netcdf, OpenedAgain) {
  Session session("again.nc", SCORPIO_FILE_CREATE_NETCDF4);
  name_dimensions(session, "y,x");
  session.write("first", {3, 2});
  session.again(SCORPIO_FILE_READWRITE);
  name_dimensions(session, "y,x");
  session.write("second", {3, 2});
  WELL(scorpio_set_creation(nullptr, session.file(), session.group()));
  const int64_t id = scorpio_create_dataset_group("deep/er", session.file(), session.group());
  session.write("third", {3, 8});
  WELL(scorpio_close_dataset_group(id, session.file(), session.group()));
}

SITUATION(Netcdf, CompressedAndEmpty) {
  Session session("compressed.nc", SCORPIO_FILE_CREATE_NETCDF4);
  const int64_t chunk[2] = {8, 8};
  scorpio_creation_t creation{2, chunk, 4, 1, "row,column"};
  WELL(scorpio_set_creation(&creation, session.file(), session.group()));
  session.write("packed", {32, 16});
  session.write("empty", {0});
}

SITUATION(Netcdf, NamesThatCannotBe) {
  Session session("conflicts.nc", SCORPIO_FILE_CREATE_NETCDF4);
  name_dimensions(session, "y,x");
  session.write("rho", {3, 2});
  fails(session, "other", {3, 5}, "dimension x has extent 2, not 5");
  name_dimensions(session, "rho");
  fails(session, "line", {3}, "/rho is there and is no dimension");
  name_dimensions(session, "square,x");
  fails(session, "square", {3, 2}, "/square");
  name_dimensions(session, "y,x");
  session.write("other", {3, 2});
  // The dimension x has extent 2.
  const int64_t three = 3, zero = 0;
  const double value[3] = {1, 2, 3};
  FAILS(scorpio_write_dataset_block_64(value, SCORPIO_DOUBLE, 1, &three, &zero, &zero, session.file(), "x",
                                       session.group()),
        "extent 2");
}

SITUATION(Netcdf, CoordinatesAfterwards) {
  Session session("coordinates.nc", SCORPIO_FILE_CREATE_NETCDF4);
  name_dimensions(session, "y,x");
  session.write("rho", {3, 2});
  session.write("deep/u", {3, 2});
  session.write("x", {2});
  session.again(SCORPIO_FILE_READWRITE);
  session.write("y", {3}, SCORPIO_INTEGER);
  session.write("y", {3}, SCORPIO_INTEGER);  // and again
  name_dimensions(session, "y,x");
  session.write("v", {3, 2});
}

// HDF5 refuses chunks of 4 GiB. The dimension is then what it was.
SITUATION(Netcdf, CoordinatesThatCannotBeMade) {
  Session session("no_coordinates.nc", SCORPIO_FILE_CREATE_NETCDF4);
  const int64_t many = int64_t{1} << 29, none = 0;
  const double nothing = 0;
  const auto write = [&](const char* name, datatype_t type) {
    return scorpio_write_dataset_block_64(&nothing, type, 1, &many, &none, &none, session.file(), name,
                                          session.group());
  };
  name_dimensions(session, "x");
  WELL(write("line", SCORPIO_CHAR));
  const scorpio_creation_t chunked{1, &many, 0, 0, "x"};
  WELL(scorpio_set_creation(&chunked, session.file(), session.group()));
  FAILS(write("x", SCORPIO_DOUBLE), "4GB");
  EXPECT(scorpio_dataset_exists("x", session.file(), session.group()) == 1);
  name_dimensions(session, "x");
  WELL(write("line again", SCORPIO_CHAR));
  EXPECT(scorpio_dataset_exists("dim_536870912", session.file(), session.group()) == 0);
  WELL(write("x", SCORPIO_CHAR));
}
