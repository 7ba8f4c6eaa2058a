// Writes two files, which readable.py reads with other tools: readable plain.h5 netcdf.h5
#include <cstdlib>

#include "checks.h"

using namespace scorpio_checks;

namespace {

// Element i of a dataset is i * factor + offset, as in readable.py.
template <typename T>
void write(const char* name, datatype_t type, const std::vector<int64_t>& global, double factor, int handle,
           iogroup_t* group) {
  const int64_t rows = global[0],
                mine = rows * (context.rank + 1) / context.ranks - rows * context.rank / context.ranks;
  std::vector<int64_t> local = global;
  local[0] = mine;
  int64_t row = 1;
  for (size_t d = 1; d < global.size(); ++d) row *= global[d];
  const int64_t first = rows * context.rank / context.ranks * row;
  std::vector<T> data;
  for (int64_t i = 0; i < mine * row; ++i)
    data.push_back(static_cast<T>(static_cast<double>(first + i) * factor));
  OK(scorpio_write_dataset_64(data.data(), type, static_cast<int>(global.size()), global.data(), local.data(),
                              handle, name, group, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE));
}

void name_dimensions(const char* names, int handle, iogroup_t* group, int deflate = 0) {
  const scorpio_creation_t creation = {0, nullptr, deflate, deflate, names};
  OK(scorpio_set_creation(&creation, handle, group));
}

void write_file(const std::string& path, file_mode_t mode) {
  Group group(context.ranks > 2 ? 2 : 1);
  const int handle = scorpio_open_file(path.c_str(), group, mode);
  OK(handle);
  name_dimensions("z,y,x", handle, group);
  write<double>("temperature", SCORPIO_DOUBLE, {6, 5, 4}, 0.5, handle, group);
  write<float>("pressure", SCORPIO_FLOAT, {6, 5, 4}, 0.25, handle, group);
  name_dimensions("x", handle, group);
  // A coordinate, made after the variables that use it.
  write<double>("x", SCORPIO_DOUBLE, {4}, 10, handle, group);
  name_dimensions("time", handle, group);
  write<double>("time", SCORPIO_DOUBLE, {3}, 60, handle, group);  // a coordinate that was made before
  name_dimensions("time,x", handle, group, 4);
  write<int>("series", SCORPIO_INTEGER, {3, 4}, 1, handle, group);
  name_dimensions(nullptr, handle, group);
  write<int>("ids", SCORPIO_INTEGER, {7}, 3, handle, group);
  write<int>("more ids", SCORPIO_INTEGER, {7, 2}, 3, handle, group);
  write<long>("g/deep/longs", SCORPIO_LONG, {6, 2}, 1000000, handle, group);
  write<signed char>("g/chars", SCORPIO_CHAR, {9}, -1, handle, group);
  write<unsigned char>("g/bytes", SCORPIO_BYTE, {250}, 1, handle, group);
  name_dimensions("z", handle, group);
  write<float>("g/profile", SCORPIO_FLOAT, {6}, 1, handle, group);
  char first[] = "first", second[] = "the second", third[] = "";
  char* names[] = {first, second, third};
  OK(scorpio_write_str_array(names, 3, handle, "names", group));
  OK(scorpio_write_simple_attr("units", "K", SCORPIO_STRING, handle, "temperature", group));
  const double range[] = {0, 59.5};
  const int two[] = {2}, level = 3;
  OK(scorpio_write_attr("valid_range", range, SCORPIO_DOUBLE, 1, two, handle, "temperature", group));
  OK(scorpio_write_simple_attr("level", &level, SCORPIO_INTEGER, handle, "g", group));
  OK(scorpio_write_simple_attr("title", "A title", SCORPIO_STRING, handle, "/", group));
  OK(scorpio_create_link("/g/deep/longs", 0, "link", handle, group));
  OK(scorpio_close_file(handle, group));
}

}  // namespace

SITUATION(Readable, Files) {
  const char* folder = std::getenv("SCORPIO_READABLE_DIR");
  const std::string where = folder ? folder : context.folder;
  write_file(where + "/plain.h5", SCORPIO_FILE_CREATE);
  write_file(where + "/netcdf.nc", SCORPIO_FILE_CREATE_NETCDF4);
}
