#include <algorithm>
#include <cstring>

#include "objects.h"

using objects::context;
using objects::Given;
using objects::Session;

namespace {

template <typename T>
T read_simple(Session& session, const char* attr, datatype_t type, const char* object) {
  Given<T> value;
  WELL(scorpio_read_simple_attr(attr, value.untyped(), type, session.file(), object, session.group()));
  return value.data ? *value.data : T();
}

std::string read_text(Session& session, const char* attr, const char* object) {
  Given<char> value;
  WELL(scorpio_read_simple_attr(attr, value.untyped(), SCORPIO_STRING, session.file(), object,
                                session.group()));
  return value.data ? value.data : "nothing";
}

// Formats what scorpio_read_attr returns: "2 x 3: a, b, ...".
std::vector<std::string> read_texts(Session& session, const char* attr, const char* object,
                                    std::vector<int>& dims) {
  Given<char*> values;
  Given<int> extents;
  int ndims = -1;
  WELL(scorpio_read_attr(attr, values.untyped(), SCORPIO_STRING, &ndims, &extents.data, session.file(),
                         object, session.group()));
  if (ndims < 0) return {};
  dims.assign(extents.data, extents.data + ndims);
  size_t count = 1;
  for (const int n : dims) count *= static_cast<size_t>(n);
  return {values.data, values.data + count};
}

}  // namespace

SITUATION(Attributes, OneValueOfEachType) {
  Session session("attributes.h5");
  session.write("/flow/rho", {4});
  const auto put = [&](const char* name, const void* value, datatype_t type, const char* object) {
    // The values of rank 0 are written. The others may have none.
    WELL(scorpio_write_simple_attr(name, context.rank == 0 ? value : nullptr, type, session.file(), object,
                                   session.group()));
  };
  const int integer = -7;
  const double real = 0.1;
  const float single = 2.5F;
  const long wide = -(1L << 40);
  const signed char character = -3;
  const unsigned char byte = 250;
  for (const char* object : {"/", "/flow", "flow/rho"}) {
    put("integer", &integer, SCORPIO_INTEGER, object);
    put("double", &real, SCORPIO_DOUBLE, object);
    put("float", &single, SCORPIO_FLOAT, object);
    put("long", &wide, SCORPIO_LONG, object);
    put("char", &character, SCORPIO_CHAR, object);
    put("byte", &byte, SCORPIO_BYTE, object);
    put("string", "kg/m³", SCORPIO_STRING, object);
    put("empty", "", SCORPIO_STRING, object);
  }
  session.again(SCORPIO_FILE_READONLY);
  for (const char* object : {"/", "/flow", "flow/rho"}) {
    EXPECT(read_simple<int>(session, "integer", SCORPIO_INTEGER, object) == integer);
    EXPECT(read_simple<double>(session, "double", SCORPIO_DOUBLE, object) == real);
    EXPECT(read_simple<float>(session, "float", SCORPIO_FLOAT, object) == single);
    EXPECT(read_simple<long>(session, "long", SCORPIO_LONG, object) == wide);
    EXPECT(read_simple<signed char>(session, "char", SCORPIO_CHAR, object) == character);
    EXPECT(read_simple<unsigned char>(session, "byte", SCORPIO_BYTE, object) == byte);
    EXPECT(read_text(session, "string", object) == "kg/m³");
    EXPECT(read_text(session, "empty", object).empty());
    // The values are converted.
    EXPECT(read_simple<double>(session, "integer", SCORPIO_DOUBLE, object) == -7.0);
    EXPECT(read_simple<int>(session, "float", SCORPIO_INTEGER, object) == 2);
    EXPECT(read_simple<long>(session, "byte", SCORPIO_LONG, object) == 250);
  }
}

SITUATION(Attributes, ArraysOfNumbersAndStrings) {
  Session session("attribute_arrays.h5");
  session.write("data", {4});
  const int numbers[6] = {1, 2, 3, 4, 5, 6}, dims[2] = {2, 3};
  WELL(scorpio_write_attr("numbers", numbers, SCORPIO_INTEGER, 2, dims, session.file(), "data",
                          session.group()));
  const char* texts[3] = {"a", "", "the longest, with ü"};
  const int three = 3, none = 0;
  WELL(
      scorpio_write_attr("texts", texts, SCORPIO_STRING, 1, &three, session.file(), "data", session.group()));
  WELL(scorpio_write_attr("scalar", texts + 2, SCORPIO_STRING, 0, nullptr, session.file(), "data",
                          session.group()));
  WELL(scorpio_write_attr("nothing", nullptr, SCORPIO_DOUBLE, 1, &none, session.file(), "data",
                          session.group()));
  session.again(SCORPIO_FILE_READONLY);
  Given<double> values;
  Given<int> extents;
  int ndims = 0;
  WELL(scorpio_read_attr("numbers", values.untyped(), SCORPIO_DOUBLE, &ndims, &extents.data, session.file(),
                         "data", session.group()));
  EXPECT(ndims == 2 && extents.data[0] == 2 && extents.data[1] == 3);
  EXPECT(std::equal(numbers, numbers + 6, values.data));
  std::vector<int> found;
  const auto read = read_texts(session, "texts", "data", found);
  EXPECT(found == std::vector<int>{3});
  EXPECT((read == std::vector<std::string>{"a", "", "the longest, with ü"}));
  EXPECT(read_texts(session, "scalar", "data", found) == std::vector<std::string>{"the longest, with ü"});
  EXPECT(found.empty());
  EXPECT(read_text(session, "scalar", "data") == "the longest, with ü");
  Given<double> empty;
  Given<int> empty_extents;
  WELL(scorpio_read_attr("nothing", empty.untyped(), SCORPIO_DOUBLE, &ndims, &empty_extents.data,
                         session.file(), "data", session.group()));
  EXPECT(ndims == 1 && empty_extents.data[0] == 0);
  Given<int> simple;
  FAILS(scorpio_read_simple_attr("numbers", simple.untyped(), SCORPIO_INTEGER, session.file(), "data",
                                 session.group()),
        "6 values");
  FAILS(scorpio_read_simple_attr("nothing", simple.untyped(), SCORPIO_INTEGER, session.file(), "data",
                                 session.group()),
        "0 values");
}

SITUATION(Attributes, ReplacedByOthers) {
  Session session("replaced.h5");
  const int integer = 5, dims[1] = {3};
  const double real = 1.5, three[3] = {1, 2, 3};
  const auto simple = [&](const void* value, datatype_t type) {
    WELL(scorpio_write_simple_attr("it", value, type, session.file(), "/", session.group()));
  };
  simple(&integer, SCORPIO_INTEGER);
  simple(&real, SCORPIO_DOUBLE);
  EXPECT(read_simple<double>(session, "it", SCORPIO_DOUBLE, "/") == 1.5);
  simple(&three[2], SCORPIO_DOUBLE);
  EXPECT(read_simple<double>(session, "it", SCORPIO_DOUBLE, "/") == 3);
  simple("text", SCORPIO_STRING);
  EXPECT(read_text(session, "it", "/") == "text");
  simple("a longer text", SCORPIO_STRING);
  EXPECT(read_text(session, "it", "/") == "a longer text");
  WELL(scorpio_write_attr("it", three, SCORPIO_DOUBLE, 1, dims, session.file(), "/", session.group()));
  Given<double> values;
  Given<int> extents;
  int ndims = 0;
  WELL(scorpio_read_attr("it", values.untyped(), SCORPIO_DOUBLE, &ndims, &extents.data, session.file(), "/",
                         session.group()));
  EXPECT(ndims == 1 && std::equal(three, three + 3, values.data));
}

SITUATION(Attributes, Large) {
  Session session("large_attributes.h5");
  session.write("data", {4});
  // 60 kB fit in every object.
  const int count = 7500;
  std::vector<double> many(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) many[static_cast<size_t>(i)] = i * 0.5;
  WELL(scorpio_write_attr("many", many.data(), SCORPIO_DOUBLE, 1, &count, session.file(), "data",
                          session.group()));
  // 80 kB do not fit. The call fails, and the attribute does not change.
  const int more = 10000;
  many.resize(static_cast<size_t>(more));
  FAILS(scorpio_write_attr("many", many.data(), SCORPIO_DOUBLE, 1, &more, session.file(), "data",
                           session.group()),
        "attribute many of data");
  Given<double> values;
  Given<int> extents;
  int ndims = 0;
  WELL(scorpio_read_attr("many", values.untyped(), SCORPIO_DOUBLE, &ndims, &extents.data, session.file(),
                         "data", session.group()));
  EXPECT(ndims == 1 && extents.data && extents.data[0] == count);
  EXPECT(values.data && std::equal(values.data, values.data + count, many.data()));
}

SITUATION(Attributes, AsOthersWriteThem) {
  objects::with_plain_hdf5("foreign_attributes.h5", [](hid_t file) {
    const hid_t variable = H5Tcopy(H5T_C_S1), padded = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    H5Tset_cset(variable, H5T_CSET_UTF8);
    H5Tset_size(padded, 4);
    H5Tset_strpad(padded, H5T_STR_SPACEPAD);
    const hsize_t two = 2;
    const hid_t scalar = H5Screate(H5S_SCALAR), pair = H5Screate_simple(1, &two, nullptr),
                null = H5Screate(H5S_NULL);
    const auto put = [&](const char* name, hid_t type, hid_t space, const void* value) {
      const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
      EXPECT(attribute >= 0);
      if (value) EXPECT(H5Awrite(attribute, type, value) >= 0);
      H5Aclose(attribute);
    };
    const char* texts[2] = {"Höhe", "x"};
    put("h5py text", variable, scalar, texts);
    put("h5py texts", variable, pair, texts);
    put("fortran text", padded, scalar, "ab  ");
    put("full text", padded, pair, "abcdefgh");
    put("no value", variable, null, nullptr);
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    const int8_t no = 0, yes = 1;
    H5Tenum_insert(truth, "FALSE", &no);
    H5Tenum_insert(truth, "TRUE", &yes);
    put("h5py bool", truth, scalar, &yes);
    const int big = 3;
    put("big endian", H5T_STD_I16BE, scalar, "\x01\x02");
    put("array of one", H5T_NATIVE_INT, H5Screate_simple(1, std::vector<hsize_t>{1}.data(), nullptr), &big);
  });
  Session session("foreign_attributes.h5", SCORPIO_FILE_READWRITE);
  EXPECT(read_text(session, "h5py text", "/") == "Höhe");
  std::vector<int> dims;
  EXPECT((read_texts(session, "h5py texts", "/", dims) == std::vector<std::string>{"Höhe", "x"}));
  EXPECT(read_text(session, "fortran text", "/") == "ab");
  EXPECT((read_texts(session, "full text", "/", dims) == std::vector<std::string>{"abcd", "efgh"}));
  EXPECT(read_text(session, "no value", "/").empty());
  EXPECT(read_simple<int>(session, "h5py bool", SCORPIO_INTEGER, "/") == 1);
  EXPECT(read_simple<int>(session, "big endian", SCORPIO_INTEGER, "/") == 258);
  EXPECT(read_simple<int>(session, "array of one", SCORPIO_INTEGER, "/") == 3);
  // It is replaced by an attribute of another kind.
  WELL(scorpio_write_simple_attr("h5py text", "new", SCORPIO_STRING, session.file(), "/", session.group()));
  EXPECT(read_text(session, "h5py text", "/") == "new");
}

SITUATION(Attributes, WhatFails) {
  Session session("attribute_failures.h5");
  session.write("data", {4});
  const int one = 1, dims[2] = {2, context.rank == 0 ? 2 : 3}, bad[1] = {-1};
  const int numbers[6] = {};
  Given<int> value;
  Given<int> extents;
  int ndims = 0;
  void** data = value.untyped();
  WELL(scorpio_write_simple_attr("one", &one, SCORPIO_INTEGER, session.file(), "data", session.group()));
  WELL(scorpio_write_simple_attr("text", "t", SCORPIO_STRING, session.file(), "data", session.group()));
  FAILS(scorpio_read_simple_attr("none", data, SCORPIO_INTEGER, session.file(), "data", session.group()),
        "attribute none of data");
  FAILS(scorpio_read_simple_attr("one", data, SCORPIO_INTEGER, session.file(), "nowhere", session.group()),
        "there is no /nowhere");
  FAILS(scorpio_write_simple_attr("one", &one, SCORPIO_INTEGER, session.file(), "nowhere", session.group()),
        "attribute_failures.h5");
  FAILS(scorpio_read_simple_attr("text", data, SCORPIO_INTEGER, session.file(), "data", session.group()),
        "is a string");
  FAILS(scorpio_read_simple_attr("one", data, SCORPIO_STRING, session.file(), "data", session.group()),
        "no string");
  FAILS(scorpio_read_simple_attr("one", data, static_cast<datatype_t>(77), session.file(), "data",
                                 session.group()),
        "datatype_t");
  FAILS(scorpio_read_simple_attr("one", nullptr, SCORPIO_INTEGER, session.file(), "data", session.group()),
        "null");
  FAILS(scorpio_read_attr("one", data, SCORPIO_INTEGER, nullptr, &extents.data, session.file(), "data",
                          session.group()),
        "null");
  FAILS(scorpio_read_attr(nullptr, data, SCORPIO_INTEGER, &ndims, &extents.data, session.file(), "data",
                          session.group()),
        "no name");
  FAILS(scorpio_write_simple_attr("one", &one, SCORPIO_INTEGER, session.file(), nullptr, session.group()),
        "no name");
  FAILS(scorpio_write_simple_attr("one", nullptr, SCORPIO_INTEGER, session.file(), "data", session.group()),
        "null");
  FAILS(scorpio_write_simple_attr("text", nullptr, SCORPIO_STRING, session.file(), "data", session.group()),
        "null");
  FAILS(scorpio_write_attr("n", numbers, SCORPIO_INTEGER, 1, bad, session.file(), "data", session.group()),
        "negative");
  FAILS(
      scorpio_write_attr("n", numbers, SCORPIO_INTEGER, 1, nullptr, session.file(), "data", session.group()),
      "dims");
  FAILS(scorpio_write_attr("n", numbers, SCORPIO_INTEGER, 99, dims, session.file(), "data", session.group()),
        "dimensions");
  const char* strings[2] = {"a", nullptr};
  const int two = 2;
  FAILS(scorpio_write_attr("n", strings, SCORPIO_STRING, 1, &two, session.file(), "data", session.group()),
        "string 1");
  if (context.ranks > 1) {
    // Roots must pass the same arguments. Those of the other ranks are ignored.
    if (session.group()->numIOgroups > 1 && session.group()->localrank == 0)
      FAILS(
          scorpio_write_attr("n", numbers, SCORPIO_INTEGER, 2, dims, session.file(), "data", session.group()),
          "differ");
    // Only one rank has no memory for what is read.
    FAILS(scorpio_read_simple_attr("one", context.rank == context.ranks - 1 ? nullptr : data, SCORPIO_INTEGER,
                                   session.file(), "data", session.group()),
          "null");
  }
  session.again(SCORPIO_FILE_READONLY);
  FAILS(scorpio_write_simple_attr("one", &one, SCORPIO_INTEGER, session.file(), "data", session.group()),
        "read only");
  EXPECT(read_simple<int>(session, "one", SCORPIO_INTEGER, "data") == 1);
}
