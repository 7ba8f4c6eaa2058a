// Data representations without files: the external32 form of every predefined type, compared with bytes
// worked out by hand and with the MPI's own packing; layouts; and how a program's conversion functions are
// called.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/expect.h"
#include "common/mpi_type.h"
#include "made_type.h"
#include "mpi/types/conversion.h"

using namespace concilio;

namespace {

Budget budget(1 << 20);

template <typename... Args>
void fail(fmt::format_string<Args...> text, Args&&... args) {
  note_failure(nullptr, 0, fmt::format(text, std::forward<Args>(args)...));
}

using Bytes = std::vector<std::byte>;

Bytes of_hex(const std::string& hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string hex_of(const Bytes& bytes) {
  std::string hex;
  for (std::byte byte : bytes) hex += fmt::format("{:02x}", static_cast<int>(byte));
  return hex;
}

// One value of a predefined type, and its bytes in external32.
struct Sample {
  const char* name;
  MPI_Datatype type;
  Bytes native;
  std::string external32;
};

template <typename T>
Bytes native(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename First>
Bytes pair(First first, int second) {
  struct Pair {
    First first;
    int second;
  };
  // The last bytes of an extended number hold no part of it.
  constexpr size_t first_bytes =
      std::numeric_limits<First>::digits == 64 && sizeof(First) == 16 ? 10 : sizeof(First);
  Bytes bytes(sizeof(Pair));
  std::memcpy(bytes.data(), &first, first_bytes);
  std::memcpy(bytes.data() + offsetof(Pair, second), &second, sizeof second);
  return bytes;
}

// The extended number 1.5, whose last bytes hold no part of the number.
Bytes extended(int copies = 1) {
  Bytes bytes(sizeof(long double) * static_cast<size_t>(copies));
  const long double value = 1.5L;
  for (int i = 0; i < copies; ++i)
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof value, &value,
                LDBL_MANT_DIG == 64 ? 10 : sizeof value);
  return bytes;
}

const std::string quadruple = "3fff8000000000000000000000000000";

std::vector<Sample> samples() {
  const auto c = [](float re, float im) { return native(std::complex<float>(re, im)); };
  const auto z = [](double re, double im) { return native(std::complex<double>(re, im)); };
  const std::string float_hex = "3fc00000", double_hex = "3ff8000000000000";
  Bytes sixteen(16);
  for (size_t i = 0; i < 16; ++i) sixteen[i] = static_cast<std::byte>(16 - i);
  Bytes thirty_two = sixteen;
  thirty_two.insert(thirty_two.end(), sixteen.begin(), sixteen.end());
  const std::string sixteen_hex = "0102030405060708090a0b0c0d0e0f10";
  return {
      {"PACKED", MPI_PACKED, native('p'), "70"},
      {"BYTE", MPI_BYTE, native('b'), "62"},
      {"CHAR", MPI_CHAR, native('c'), "63"},
      {"SIGNED_CHAR", MPI_SIGNED_CHAR, native<signed char>(-2), "fe"},
      {"UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, native<unsigned char>(0xFD), "fd"},
      {"WCHAR", MPI_WCHAR, native<wchar_t>(0x20AC), "20ac"},
      {"SHORT", MPI_SHORT, native<short>(-2), "fffe"},
      {"UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, native<unsigned short>(0xFEDC), "fedc"},
      {"INT", MPI_INT, native(0x01020304), "01020304"},
      {"UNSIGNED", MPI_UNSIGNED, native(0xFEDCBA98U), "fedcba98"},
      {"LONG", MPI_LONG, native(-3L), "fffffffd"},
      {"UNSIGNED_LONG", MPI_UNSIGNED_LONG, native(0xFEDCBA98UL), "fedcba98"},
      {"LONG_LONG_INT", MPI_LONG_LONG_INT, native(-3LL), "fffffffffffffffd"},
      {"LONG_LONG", MPI_LONG_LONG, native(0x0102030405060708LL), "0102030405060708"},
      {"UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, native(0xFEDCBA9876543210ULL), "fedcba9876543210"},
      {"FLOAT", MPI_FLOAT, native(1.5F), float_hex},
      {"DOUBLE", MPI_DOUBLE, native(1.5), double_hex},
      {"LONG_DOUBLE", MPI_LONG_DOUBLE, extended(), quadruple},
      {"C_BOOL", MPI_C_BOOL, native(true), "01"},
      {"INT8_T", MPI_INT8_T, native<int8_t>(-2), "fe"},
      {"INT16_T", MPI_INT16_T, native<int16_t>(0x0102), "0102"},
      {"INT32_T", MPI_INT32_T, native<int32_t>(0x01020304), "01020304"},
      {"INT64_T", MPI_INT64_T, native<int64_t>(0x0102030405060708), "0102030405060708"},
      {"UINT8_T", MPI_UINT8_T, native<uint8_t>(0xFE), "fe"},
      {"UINT16_T", MPI_UINT16_T, native<uint16_t>(0xFEDC), "fedc"},
      {"UINT32_T", MPI_UINT32_T, native<uint32_t>(0xFEDCBA98), "fedcba98"},
      {"UINT64_T", MPI_UINT64_T, native<uint64_t>(0xFEDCBA9876543210), "fedcba9876543210"},
      {"AINT", MPI_AINT, native<MPI_Aint>(-3), "fffffffffffffffd"},
      {"COUNT", MPI_COUNT, native<MPI_Count>(0x0102030405060708), "0102030405060708"},
      {"OFFSET", MPI_OFFSET, native<MPI_Offset>(-3), "fffffffffffffffd"},
      {"C_COMPLEX", MPI_C_COMPLEX, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, z(1.5, -2.0), "3ff8000000000000c000000000000000"},
      {"C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, extended(2), quadruple + quadruple},
      {"CXX_BOOL", MPI_CXX_BOOL, native(true), "01"},
      {"CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, z(1.5, -2.0), "3ff8000000000000c000000000000000"},
      {"CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX, extended(2), quadruple + quadruple},
      {"CHARACTER", MPI_CHARACTER, native('f'), "66"},
      {"LOGICAL", MPI_LOGICAL, native(1), "00000001"},
      {"INTEGER", MPI_INTEGER, native(-2), "fffffffe"},
      {"REAL", MPI_REAL, native(1.5F), float_hex},
      {"DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, native(1.5), double_hex},
      {"COMPLEX", MPI_COMPLEX, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, z(1.5, -2.0), "3ff8000000000000c000000000000000"},
#ifdef MPI_LOGICAL1
      {"LOGICAL1", MPI_LOGICAL1, native<int8_t>(1), "01"},
#endif
#ifdef MPI_LOGICAL8
      {"LOGICAL8", MPI_LOGICAL8, native<int64_t>(1), "0000000000000001"},
#endif
      {"INTEGER1", MPI_INTEGER1, native<int8_t>(-2), "fe"},
      {"INTEGER2", MPI_INTEGER2, native<int16_t>(-2), "fffe"},
      {"INTEGER4", MPI_INTEGER4, native<int32_t>(-2), "fffffffe"},
      {"INTEGER8", MPI_INTEGER8, native<int64_t>(-2), "fffffffffffffffe"},
#ifdef MPI_INTEGER16
      {"INTEGER16", MPI_INTEGER16, sixteen, sixteen_hex},
#endif
      {"REAL4", MPI_REAL4, native(1.5F), float_hex},
      {"REAL8", MPI_REAL8, native(1.5), double_hex},
#ifdef MPI_REAL16
      {"REAL16", MPI_REAL16, sixteen, sixteen_hex},
#endif
      {"COMPLEX8", MPI_COMPLEX8, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"COMPLEX16", MPI_COMPLEX16, z(1.5, -2.0), "3ff8000000000000c000000000000000"},
#ifdef MPI_COMPLEX32
      {"COMPLEX32", MPI_COMPLEX32, thirty_two, sixteen_hex + sixteen_hex},
#endif
      {"FLOAT_INT", MPI_FLOAT_INT, pair(1.5F, -2), float_hex + "fffffffe"},
      {"DOUBLE_INT", MPI_DOUBLE_INT, pair(1.5, -2), double_hex + "fffffffe"},
      {"LONG_INT", MPI_LONG_INT, pair(-3L, -2), "fffffffdfffffffe"},
      {"SHORT_INT", MPI_SHORT_INT, pair<short>(-3, -2), "fffdfffffffe"},
      {"2INT", MPI_2INT, pair(-3, -2), "fffffffdfffffffe"},
      {"LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, pair(1.5L, -2), quadruple + "fffffffe"},
      {"2REAL", MPI_2REAL, c(1.5F, -2.0F), "3fc00000c0000000"},
      {"2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, z(1.5, -2.0), "3ff8000000000000c000000000000000"},
      {"2INTEGER", MPI_2INTEGER, pair(-3, -2), "fffffffdfffffffe"},
  };
}

// Types that are selected by Fortran's precision and range, if the MPI has them.
void add_parameterised(std::vector<Sample>& all) {
  auto integer = [&](int range, Bytes value, const char* hex) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_Type_create_f90_integer(range, &type) == MPI_SUCCESS)
      all.push_back({"f90_integer", type, std::move(value), hex});
  };
  integer(2, native<int8_t>(-2), "fe");
  integer(4, native<int16_t>(-2), "fffe");
  integer(9, native<int32_t>(-2), "fffffffe");
  integer(18, native<int64_t>(-2), "fffffffffffffffe");
  auto real = [&](int precision, int range, Bytes value, const std::string& hex) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_Type_create_f90_real(precision, range, &type) == MPI_SUCCESS)
      all.push_back({"f90_real", type, std::move(value), hex});
  };
  real(6, 37, native(1.5F), "3fc00000");
  real(15, MPI_UNDEFINED, native(1.5), "3ff8000000000000");
  real(18, MPI_UNDEFINED, extended(), quadruple);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_complex(14, 200, &type) == MPI_SUCCESS)
    all.push_back(
        {"f90_complex", type, native(std::complex<double>(1.5, -2.0)), "3ff8000000000000c000000000000000"});
}

Bytes convert(const mpi::Conversion& conversion, const Bytes& memory) {
  Bytes file(static_cast<size_t>(conversion.file_bytes()));
  auto status = conversion.to_file(memory.data(), {0, conversion.file_bytes()}, file.data());
  if (!status) fail("{}", status.error().message);
  return file;
}

// Types for which MPI_Pack_external of Debian 12's MPIs gives other bytes than the standard, or ends the
// program.
bool mpi_is_wrong(std::string_view name) {
  std::vector<std::string_view> wrong = {"WCHAR", "REAL16", "COMPLEX32", "f90_integer", "f90_real"};
#ifdef MPICH_VERSION
  wrong.insert(wrong.end(), {"COMPLEX", "DOUBLE_COMPLEX", "f90_complex"});
  if (name.ends_with("_INT") || name.starts_with("2")) return true;
#endif
  return name.find("LONG_DOUBLE") != name.npos || std::find(wrong.begin(), wrong.end(), name) != wrong.end();
}

void check_sample(const Sample& sample) {
  auto conversion = mpi::Conversion::make(sample.type, 1, mpi::external32(), budget);
  if (!conversion) return fail("{}: {}", sample.name, conversion.error().message);
  int size = 0;
  MPI_Type_size(sample.type, &size);
  const Bytes file = convert(*conversion, sample.native);
  if (hex_of(file) != sample.external32)
    fail("{}: {} and not {}", sample.name, hex_of(file), sample.external32);
  auto form = decode(sample.type, mpi::external32(), budget);
  EXPECT((*form)->layout.extent == std::ssize(file) && (*form)->layout.lower_bound == 0);
  if (conversion->native_bytes(conversion->file_bytes()) != size)
    fail("{}: {} bytes in memory, not {}", sample.name, conversion->native_bytes(conversion->file_bytes()),
         size);
  Bytes back(sample.native.size());
  const Bytes expected = of_hex(sample.external32);
  auto status = conversion->from_file(back.data(), {0, conversion->file_bytes()}, expected.data());
  if (!status || back != sample.native) fail("{}: comes back as {}", sample.name, hex_of(back));
  if (mpi_is_wrong(sample.name)) return;
  MPI_Aint position = 0;
  Bytes packed(64);
  if (MPI_Pack_external("external32", sample.native.data(), 1, sample.type, packed.data(), 64, &position) !=
      MPI_SUCCESS)
    return fail("{}: MPI_Pack_external fails", sample.name);
  packed.resize(static_cast<size_t>(position));
  if (hex_of(packed) != sample.external32)
    fail("{}: MPI_Pack_external gives {}", sample.name, hex_of(packed));
}

void check_predefined() {
  auto all = samples();
  add_parameterised(all);
  for (const Sample& sample : all) {
    if (sample.type != MPI_DATATYPE_NULL) check_sample(sample);
  }
}

// Layouts in a file: elements are one extent of the file apart, and bytes stay bytes.
void check_layouts() {
  auto expect = [](MPI_Datatype type, std::vector<int64_t> offsets, int64_t lower, int64_t extent, int line) {
    auto form = decode(type, mpi::external32(), budget);
    if (!form) return fail("line {}: {}", line, form.error().message);
    const pattern::DataType& layout = (*form)->layout;
    if (layout.lower_bound != lower || layout.extent != extent)
      fail("line {}: bounds {} + {}", line, layout.lower_bound, layout.extent);
    const pattern::Access access(layout.nest, 0, layout.extent);
    int64_t position = 0;
    auto status =
        (*form)->signature->for_each(0, std::ssize(offsets), [&](const pattern::Item& item, int64_t count) {
          for (; count > 0; --count, position += item.file_bytes) {
            const auto at = (*form)->signature->at(&pattern::Place::file_bytes, position).items;
            if (access.offset_of(position) != offsets[static_cast<size_t>(at)])
              fail("line {}: item {} lies at {}", line, at, access.offset_of(position));
          }
          return Status();
        });
    EXPECT(status && (*form)->signature->total().items == std::ssize(offsets));
    MPI_Type_free(&type);
  };
  MPI_Datatype type;
  MPI_Type_vector(2, 2, 3, MPI_LONG, &type);
  expect(type, {0, 4, 12, 16}, 0, 20, __LINE__);
  MPI_Type_create_hvector(2, 2, 24, MPI_LONG, &type);
  expect(type, {0, 4, 24, 28}, 0, 32, __LINE__);
  int lengths[] = {1, 2};
  MPI_Aint places[] = {0, 8};
  MPI_Datatype types[] = {MPI_CHAR, MPI_LONG};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  expect(type, {0, 8, 12}, 0, 16, __LINE__);
  MPI_Type_contiguous(2, MPI_SHORT_INT, &type);
  expect(type, {0, 2, 6, 8}, 0, 12, __LINE__);
  int displacements[] = {4, 1};
  MPI_Type_indexed(2, lengths, displacements, MPI_LONG_DOUBLE, &type);
  expect(type, {64, 16, 32}, 16, 64, __LINE__);
  int size = 6, part = 3, start = 2;
  MPI_Type_create_subarray(1, &size, &part, &start, MPI_ORDER_C, MPI_WCHAR, &type);
  expect(type, {4, 6, 8}, 0, 12, __LINE__);
  // A set bound takes precedence over one that is found, and a structure has no padding.
  MPI_Datatype set;
  MPI_Type_create_resized(MPI_LONG, 0, 100, &set);
  MPI_Datatype with_set[] = {MPI_CHAR, set};
  MPI_Type_create_struct(2, lengths, places, with_set, &type);
  MPI_Type_free(&set);
  expect(type, {0, 8, 108}, 8, 200, __LINE__);
}

// Whether no byte of `bytes` of the access's data occurs twice.
bool disjoint(const pattern::Access& access, int64_t bytes, pattern::Interval span) {
  std::vector<bool> seen(static_cast<size_t>(span.length()));
  for (int64_t position = 0; position < bytes; ++position) {
    auto mark = seen[static_cast<size_t>(access.offset_of(position) - span.begin)];
    if (mark) return false;
    mark = true;
  }
  return true;
}

// A representation that this test defines: the bytes of every item in reverse order, and one byte more than
// in memory.
std::byte checksum(const std::byte* bytes, int64_t count) {
  std::byte sum{0x7E};
  for (int64_t i = 0; i < count; ++i) sum ^= bytes[i];
  return sum;
}

void set_checksums(const mpi::Conversion& conversion, Bytes& file) {
  for (int64_t begin = 0, end = 1; begin < std::ssize(file); begin = end) {
    while (conversion.item_boundary(end) == begin) ++end;
    file[static_cast<size_t>(end - 1)] = checksum(file.data() + begin, end - begin - 1);
  }
}

// Converts all at once or in parts, in both directions.
void check_random(uint64_t seed, const mpi::Representation& representation) {
  tests::Random random(tests::mix(seed));
  MadeType made = make_type(random, static_cast<int>(random.between(0, 4)), 1 << 13);
  const int64_t bytes = bounds_of(made.type).size, count = random.between(0, 5);
  auto memory = mpi::decode(made.type, budget);
  auto conversion = mpi::Conversion::make(made.type, count, representation, budget);
  tests::free_type(&made.type);  // the conversion holds copies of what it needs
  if (!memory || !conversion)
    return fail("seed {}: {}", seed, (!memory ? memory.error() : conversion.error()).message);
  const pattern::Access access = pattern::Access::of(**memory, 0);
  const pattern::Interval span = bytes * count > 0 ? access.bounds(0, bytes * count) : pattern::Interval{};
  if (!disjoint(access, bytes * count, span)) return;
  Bytes file(static_cast<size_t>(conversion->file_bytes()));
  for (std::byte& byte : file) byte = static_cast<std::byte>(random.between(0, 255));
  if (representation.name() != mpi::external32().name()) set_checksums(*conversion, file);
  Bytes whole(static_cast<size_t>(span.length()), std::byte{0xEE}), parts = whole, again(file.size());
  const int64_t end = conversion->file_bytes();
  bool good = conversion->from_file(whole.data() - span.begin, {0, end}, file.data()).ok();
  for (int64_t at = 0, next; at < end; at = next) {
    next = conversion->item_boundary(
        std::min(end, at + conversion->widest_item_bytes() + random.between(0, 999)));
    good = good && next > at;
    good = good && conversion->from_file(parts.data() - span.begin, {at, next}, file.data() + at);
    good = good && conversion->to_file(whole.data() - span.begin, {at, next}, again.data() + at);
    if (!good) break;
  }
  if (!good || whole != parts || again != file)
    fail("seed {}: {}", seed, !good ? "fails" : whole != parts ? "parts differ" : "comes back differently");
  // The bytes between the pieces must not change.
  Bytes touched = whole;
  for (int64_t position = 0; position < bytes * count; ++position)
    touched[static_cast<size_t>(access.offset_of(position) - span.begin)] = std::byte{0xEE};
  EXPECT(touched == Bytes(touched.size(), std::byte{0xEE}));
  EXPECT(conversion->native_bytes(end) == bytes * count);
}

struct Calls {
  int reads = 0, writes = 0, extents = 0;
  int64_t items = 0, next_position = 0;
  bool in_order = true;
  int fails_after = -1;
};

int turn(bool into_file, std::byte* user, MPI_Datatype type, int64_t count, std::byte* file,
         MPI_Offset position, Calls& calls) {
  if (calls.fails_after >= 0 && calls.items + count > calls.fails_after) return MPI_ERR_OTHER;
  if (position == 0) calls.next_position = 0;
  calls.in_order = calls.in_order && position == calls.next_position;
  calls.next_position = position + count;
  calls.items += count;
  auto memory = mpi::decode(type, budget);
  // The items of the type; only their widths in memory count here.
  auto form = decode(type, mpi::external32(), budget);
  if (!memory || !form || (*form)->signature->total().items == 0) return MPI_ERR_TYPE;
  const pattern::Access access = pattern::Access::of(**memory, 0);
  auto tiled = pattern::Signature::repeat((*form)->signature,
                                          (position + count) / (*form)->signature->total().items + 1);
  int64_t at = (*tiled)->at(&pattern::Place::items, position).native_bytes;
  auto status =
      (*tiled)->for_each(position, position + count, [&](const pattern::Item& item, int64_t run) -> Status {
        for (; run > 0; --run) {
          for (int64_t i = item.native_bytes; i-- > 0;) {
            std::byte& in_memory = user[access.offset_of(at++)];
            (into_file ? file[i] : in_memory) = into_file ? in_memory : file[i];
          }
          if (into_file) file[item.native_bytes] = checksum(file, item.native_bytes);
          file += item.native_bytes + 1;
        }
        return {};
      });
  return status ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int extent_plus_one(MPI_Datatype type, MPI_Aint* extent, void* extra) {
  ++static_cast<Calls*>(extra)->extents;
  int size = 0;
  MPI_Type_size(type, &size);
  *extent = size + 1;
  return MPI_SUCCESS;
}

mpi::UserConversion turning(bool into_file, int64_t most_items) {
  mpi::UserConversion conversion;
  conversion.most_items = most_items;
  conversion.call = [into_file](void* user, MPI_Datatype type, MPI_Count count, void* file,
                                MPI_Offset position, void* extra) {
    auto& calls = *static_cast<Calls*>(extra);
    ++(into_file ? calls.writes : calls.reads);
    return turn(into_file, static_cast<std::byte*>(user), type, count, static_cast<std::byte*>(file),
                position, calls);
  };
  return conversion;
}

const mpi::Representation* registered(const std::string& name, Calls& calls, int64_t most_items) {
  auto status = mpi::register_representation(
      {name, turning(false, most_items), turning(true, most_items), extent_plus_one, &calls});
  if (!status) fail("{}", status.error().message);
  auto found = mpi::find_representation(name);
  return found ? *found : nullptr;
}

void check_user_calls() {
  Calls calls;
  const mpi::Representation* turned = registered("turned", calls, 5);
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE_INT, &type);
  auto conversion = mpi::Conversion::make(type, 4, *turned, budget);
  MPI_Type_free(&type);
  if (!conversion) return fail("{}", conversion.error().message);
  EXPECT(calls.extents == 2);  // one of double and one of int
  EXPECT(conversion->file_bytes() == 4 * 3 * (9 + 5));
  EXPECT(conversion->item_boundary(8) == 0 && conversion->item_boundary(9) == 9 &&
         conversion->item_boundary(13) == 9 && conversion->item_boundary(14) == 14);
  EXPECT(conversion->native_bytes(13) == 8 && conversion->native_bytes(14) == 12);
  EXPECT(conversion->whole_items({9, 28}) == (pattern::Interval{9, 28}));
  EXPECT(conversion->whole_items({1, 27}) == (pattern::Interval{9, 23}));
  EXPECT(conversion->whole_items({1, 13}).empty() && conversion->whole_items({9, 9}).empty());
  Bytes user(1000, std::byte{1}), file(static_cast<size_t>(conversion->file_bytes()));
  EXPECT(conversion->to_file(user.data(), {0, 70}, file.data()));
  EXPECT(calls.writes == 2 && calls.items == 10);  // 10 items, at most 5 in a call
  EXPECT(conversion->to_file(user.data(), {70, std::ssize(file)}, file.data() + 70));
  EXPECT(calls.writes == 5 && calls.items == 24 && calls.in_order && calls.reads == 0);
  EXPECT(file[8] == std::byte{0x7E} && file[13] == std::byte{0x7E} && file[0] == std::byte{1});
  calls.items = 0;
  calls.fails_after = 7;
  auto status = conversion->from_file(user.data(), {0, std::ssize(file)}, file.data());
  EXPECT(!status && status.error().kind == ErrorKind::conversion);
  EXPECT(calls.reads == 2 && calls.items == 5);
}

void check_registration() {
  Calls calls;
  auto attempt = [&](const std::string& name) {
    auto status =
        mpi::register_representation({name, turning(false, 1), turning(true, 1), extent_plus_one, &calls});
    return status ? ErrorKind::none : status.error().kind;
  };
  EXPECT(attempt("first") == ErrorKind::none);
  for (const char* taken : {"first", "native", "internal", "external32"})
    EXPECT(attempt(taken) == ErrorKind::duplicate_representation);
  EXPECT(attempt("") == ErrorKind::argument);
  EXPECT(attempt(std::string(MPI_MAX_DATAREP_STRING, 'x')) == ErrorKind::argument);
  EXPECT(attempt(std::string(MPI_MAX_DATAREP_STRING - 1, 'x')) == ErrorKind::none);
  auto unknown = mpi::find_representation("unheard-of");
  EXPECT(!unknown && unknown.error().kind == ErrorKind::data_representation);
  EXPECT(*mpi::find_representation("native") == nullptr && *mpi::find_representation("internal") == nullptr);
  EXPECT(*mpi::find_representation("external32") == &mpi::external32());
  mpi::UserRepresentation write_only{"write-only", {}, turning(true, 9), extent_plus_one, &calls};
  EXPECT(register_representation(write_only));
  const mpi::Representation& half = **mpi::find_representation("write-only");
  EXPECT(half.converts(Operation::write) && !half.converts(Operation::read));
}

void check_errors() {
  const long values[] = {1, 1L << 40};
  auto conversion = mpi::Conversion::make(MPI_LONG, 2, mpi::external32(), budget);
  std::byte file[8];
  auto status = conversion->to_file(values, {0, 8}, file);
  EXPECT(!status && status.error().kind == ErrorKind::conversion);
  EXPECT(conversion->to_file(values, {0, 4}, file));
  auto none = mpi::Conversion::make(MPI_DATATYPE_NULL, 1, mpi::external32(), budget);
  EXPECT(!none && none.error().kind == ErrorKind::datatype);
  auto many = mpi::Conversion::make(MPI_LONG_DOUBLE, MPI_Count{1} << 61, mpi::external32(), budget);
  EXPECT(!many && many.error().kind == ErrorKind::count);
  // An extent function that fails, and one that sets no extent.
  for (int wrong : {0, 1}) {
    mpi::UserRepresentation made{fmt::format("wrong-{}", wrong), turning(false, 9), turning(true, 9), nullptr,
                                 nullptr};
    made.extent = wrong ? [](MPI_Datatype, MPI_Aint* extent, void*) { return *extent = 0, MPI_SUCCESS; }
                        : [](MPI_Datatype, MPI_Aint*, void*) { return MPI_ERR_OTHER; };
    EXPECT(register_representation(made));
    auto failed = mpi::Conversion::make(MPI_INT, 1, **mpi::find_representation(made.name), budget);
    EXPECT(!failed && failed.error().kind == ErrorKind::conversion);
  }
}

// A datatype is decoded once for each representation. The description is dropped with the datatype.
void check_cache() {
  MPI_Datatype type, copy;
  MPI_Type_vector(3, 1, 2, MPI_LONG, &type);
  std::weak_ptr<const mpi::FileForm> form = *decode(type, mpi::external32(), budget);
  EXPECT(!form.expired() && *decode(type, mpi::external32(), budget) == form.lock());
  MPI_Type_dup(type, &copy);
  EXPECT(*decode(copy, mpi::external32(), budget) == form.lock());
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  EXPECT(form.expired());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  check_predefined();
  check_layouts();
  check_user_calls();
  check_registration();
  check_errors();
  check_cache();
  for (uint64_t seed = 1; seed <= 1500; ++seed) check_random(seed, mpi::external32());
  Calls calls;
  const mpi::Representation* turned = registered("turned-random", calls, 7);
  for (uint64_t seed = 1; seed <= 500; ++seed) check_random(seed, *turned);
  MPI_Finalize();
  return noted_failures ? 1 : 0;
}
