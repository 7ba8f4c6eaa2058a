#include <algorithm>

#include "objects.h"

using objects::context;
using objects::Given;
using objects::Session;

namespace {

void write(Session& session, const char* name, const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  WELL(scorpio_write_str_array(context.rank == 0 ? pointers.data() : nullptr,
                               static_cast<int>(strings.size()), session.file(), name, session.group()));
}

std::vector<std::string> read(Session& session, const char* name) {
  Given<char*> strings;
  int n = -1;
  WELL(scorpio_read_str_array(&strings.data, &n, session.file(), name, session.group()));
  if (n < 0) return {"nothing"};
  std::vector<std::string> read(strings.data, strings.data + n);
  for (int i = 0; i < n; ++i) std::free(strings.data[i]);
  return read;
}

// 1.6 MB, which are written in several pieces.
std::vector<std::string> many_strings() {
  std::vector<std::string> many;
  for (int i = 0; i < 20000; ++i) many.push_back("number " + std::to_string(i) + std::string(i % 64, '.'));
  return many;
}

const std::vector<std::string> few = {"limestone", "", "Ton und Lehm: ä", "x"};

void arrays_of(file_mode_t mode, const char* name) {
  Session session(name, mode);
  write(session, "/names/few", few);
  write(session, "none", {});
  write(session, "empty", {"", "", ""});
  write(session, "many", many_strings());
  session.again(SCORPIO_FILE_READWRITE);
  EXPECT(read(session, "names/few") == few);
  EXPECT(read(session, "none").empty());
  EXPECT(read(session, "empty") == std::vector<std::string>(3));
  EXPECT(read(session, "many") == many_strings());
  // They are written again: as many strings, none longer than the dataset has room for.
  write(session, "names/few", {"a", "b", "cc", "dddd"});
  EXPECT((read(session, "names/few") == std::vector<std::string>{"a", "b", "cc", "dddd"}));
  write(session, "names/few", few);
  char* longer[4];
  std::string text = "much longer than any that was there at first";
  std::fill(longer, longer + 4, text.data());
  FAILS(scorpio_write_str_array(longer, 4, session.file(), "names/few", session.group()), "room");
  FAILS(scorpio_write_str_array(longer, 3, session.file(), "names/few", session.group()), "4 strings, not 3");
  EXPECT(read(session, "names/few") == few);
}

}  // namespace

SITUATION(Strings, Arrays) {
  arrays_of(SCORPIO_FILE_CREATE, "strings.h5");
}

SITUATION(Strings, ArraysOfNetcdfFiles) {
  arrays_of(SCORPIO_FILE_CREATE_NETCDF4, "strings.nc");
}

SITUATION(Strings, AsOthersWriteThem) {
  objects::with_plain_hdf5("foreign_strings.h5", [](hid_t file) {
    const auto put = [&](const char* name, hid_t type, std::vector<hsize_t> dims, const void* data) {
      const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
      const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      EXPECT(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
      H5Dclose(dataset);
      H5Sclose(space);
    };
    const auto string_type = [](size_t size, H5T_str_t padding) {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, size);
      if (size != H5T_VARIABLE) H5Tset_strpad(type, padding);
      return type;
    };
    const char* texts[3] = {"one", "", "three"};
    put("h5py", string_type(H5T_VARIABLE, H5T_STR_NULLTERM), {3}, texts);
    put("fortran", string_type(3, H5T_STR_SPACEPAD), {2}, "a  bcd");
    put("numpy", string_type(3, H5T_STR_NULLPAD), {2}, "a\0\0bcd");
    put("characters", H5T_C_S1, {2, 3}, "xy\0abc");
    put("square", string_type(3, H5T_STR_NULLPAD), {1, 1}, "abc");
    const int number = 1;
    put("number", H5T_NATIVE_INT, {1}, &number);
    const hid_t one = H5Screate(H5S_SCALAR), type = string_type(5, H5T_STR_NULLPAD);
    const hid_t dataset = H5Dcreate2(file, "one", type, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, "alone") >= 0);
    H5Dclose(dataset);
  });
  Session session("foreign_strings.h5", SCORPIO_FILE_READWRITE);
  using Strings = std::vector<std::string>;
  EXPECT((read(session, "h5py") == Strings{"one", "", "three"}));
  EXPECT((read(session, "fortran") == Strings{"a", "bcd"}));
  EXPECT((read(session, "numpy") == Strings{"a", "bcd"}));
  EXPECT((read(session, "characters") == Strings{"xy", "abc"}));
  EXPECT((read(session, "one") == Strings{"alone"}));
  Given<char*> strings;
  int n = 0;
  FAILS(scorpio_read_str_array(&strings.data, &n, session.file(), "number", session.group()),
        "/number holds no strings");
  FAILS(scorpio_read_str_array(&strings.data, &n, session.file(), "square", session.group()), "2 dimensions");
  std::string text = "abc";
  char* three[3] = {text.data(), text.data(), text.data()};
  FAILS(scorpio_write_str_array(three, 3, session.file(), "h5py", session.group()), "variable length");
  // There is room for three letters, since strings need not end with NUL.
  write(session, "numpy", {"xyz", ""});
  write(session, "fortran", {"xyz", "u"});
  EXPECT((read(session, "numpy") == Strings{"xyz", ""}));
  EXPECT((read(session, "fortran") == Strings{"xyz", "u"}));
}

SITUATION(Strings, WhatFails) {
  Session session("string_failures.h5");
  std::string text = "abc";
  char* strings[2] = {text.data(), nullptr};
  char** found = nullptr;
  int n = 0;
  FAILS(scorpio_write_str_array(strings, 2, session.file(), "s", session.group()), "string 1");
  FAILS(scorpio_write_str_array(nullptr, 2, session.file(), "s", session.group()), "null");
  FAILS(scorpio_write_str_array(strings, -2, session.file(), "s", session.group()), "-2");
  FAILS(scorpio_write_str_array(strings, 1, session.file(), nullptr, session.group()), "no name");
  FAILS(scorpio_read_str_array(&found, &n, session.file(), "s", session.group()), "no dataset /s");
  FAILS(scorpio_read_str_array(nullptr, &n, session.file(), "s", session.group()), "null");
  if (session.group()->numIOgroups > 1 && session.group()->localrank == 0) {
    FAILS(scorpio_write_str_array(strings, context.rank == 0 ? 1 : 0, session.file(), "t", session.group()),
          "differ");
  }
  WELL(scorpio_write_str_array(strings, 1, session.file(), "s", session.group()));
  session.again(SCORPIO_FILE_READONLY);
  FAILS(scorpio_write_str_array(strings, 1, session.file(), "s", session.group()), "read only");
  EXPECT(read(session, "s") == std::vector<std::string>{"abc"});
}
