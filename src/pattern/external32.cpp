#include "pattern/external32.h"

#include <fmt/format.h>

#include <bit>
#include <cfloat>
#include <cstring>
#include <type_traits>

namespace concilio::pattern {
namespace {

constexpr bool little = std::endian::native == std::endian::little;

// IEEE's binary128, as which external32 stores a long double.
constexpr int64_t quadruple_bytes = 16;
#if LDBL_MANT_DIG == 113
using Quadruple = long double;
constexpr bool have_quadruple = true;
#elif defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quadruple;
constexpr bool have_quadruple = true;
#else
using Quadruple = long double;
constexpr bool have_quadruple = false;
#endif

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

uint8_t swapped(uint8_t value) {
  return value;
}
uint16_t swapped(uint16_t value) {
  return __builtin_bswap16(value);
}
uint32_t swapped(uint32_t value) {
  return __builtin_bswap32(value);
}
uint64_t swapped(uint64_t value) {
  return __builtin_bswap64(value);
}

// Converts between the machine's byte order and big-endian, in either direction.
template <typename T>
T big_endian(T value) {
  if constexpr (!little) return value;
  return static_cast<T>(swapped(static_cast<std::make_unsigned_t<T>>(value)));
}

template <typename T>
void swap_items(int64_t count, const std::byte* from, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    store(to + i * static_cast<int64_t>(sizeof(T)),
          big_endian(load<T>(from + i * static_cast<int64_t>(sizeof(T)))));
  }
}

void swap_wide_items(int64_t count, const std::byte* from, std::byte* to) {
  for (int64_t i = 0; i < count; ++i, from += 16, to += 16) {
    const auto first = load<uint64_t>(from), second = load<uint64_t>(from + 8);
    store(to, little ? big_endian(second) : first);
    store(to + 8, little ? big_endian(first) : second);
  }
}

// Converts items that have the same width on both sides.
void swap(int64_t bytes, int64_t count, const std::byte* from, std::byte* to) {
  switch (bytes) {
    case 2:
      return swap_items<uint16_t>(count, from, to);
    case 4:
      return swap_items<uint32_t>(count, from, to);
    case 8:
      return swap_items<uint64_t>(count, from, to);
    case 16:
      return swap_wide_items(count, from, to);
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes * count));
  }
}

template <typename Value>
Error does_not_fit(Value value, size_t bytes) {
  return Error{ErrorKind::conversion, 0,
               fmt::format("the value {} does not fit into {} bytes", +value, bytes)};
}

// Converts integers whose widths differ. If `into_file`, To is the type in the file.
template <typename From, typename To, bool into_file>
Status change_width(int64_t count, const std::byte* from, std::byte* to) {
  for (int64_t i = 0; i < count; ++i, from += sizeof(From), to += sizeof(To)) {
    const auto value = into_file ? load<From>(from) : big_endian(load<From>(from));
    const auto changed = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): its sign is kept
    if (static_cast<From>(changed) != value) return does_not_fit(value, sizeof(To));
    store(to, into_file ? big_endian(changed) : changed);
  }
  return {};
}

// Calls work(T()) with the integer type T of that width.
template <bool is_signed, typename Work>
Status with_integer(int64_t bytes, Work&& work) {
  auto call = [&](auto value) -> Status {
    if constexpr (is_signed) {
      return work(value);
    } else {
      return work(static_cast<std::make_unsigned_t<decltype(value)>>(value));
    }
  };
  switch (bytes) {
    // NOLINTNEXTLINE(bugprone-branch-clone): each is another type
    case 1:
      return call(int8_t());
    case 2:
      return call(int16_t());
    case 4:
      return call(int32_t());
    default:
      return call(int64_t());
  }
}

template <bool is_signed, bool into_file>
Status convert_integers(int64_t from_bytes, int64_t to_bytes, int64_t count, const std::byte* from,
                        std::byte* to) {
  return with_integer<is_signed>(from_bytes, [&](auto from_type) {
    return with_integer<is_signed>(to_bytes, [&](auto to_type) {
      return change_width<decltype(from_type), decltype(to_type), into_file>(count, from, to);
    });
  });
}

void long_doubles_to_file(int64_t count, const std::byte* from, std::byte* to) {
  for (int64_t i = 0; i < count; ++i, from += sizeof(long double), to += quadruple_bytes) {
    std::byte wide[sizeof(Quadruple)];
    store(wide, static_cast<Quadruple>(load<long double>(from)));
    swap(quadruple_bytes, 1, wide, to);
  }
}

void long_doubles_from_file(int64_t count, const std::byte* from, std::byte* to) {
  for (int64_t i = 0; i < count; ++i, from += quadruple_bytes, to += sizeof(long double)) {
    std::byte wide[sizeof(Quadruple)];
    swap(quadruple_bytes, 1, from, wide);
    const auto value = static_cast<long double>(load<Quadruple>(wide));
    // An 80-bit extended number has padding bytes, which become zeros.
    std::memset(to, 0, sizeof value);
    std::memcpy(to, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
  }
}

bool is_integer_width(int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

template <bool into_file>
Status convert(const Item& item, int64_t count, const std::byte* from, std::byte* to) {
  const int64_t parts = count * item.components;
  const int64_t native = item.native_bytes / item.components, file = item.file_bytes / item.components;
  switch (item.kind) {
    case ItemKind::bytes:
      std::memcpy(to, from, static_cast<size_t>(count * item.native_bytes));
      return {};
    case ItemKind::long_double:
      if (into_file)
        long_doubles_to_file(parts, from, to);
      else
        long_doubles_from_file(parts, from, to);
      return {};
    default:
      break;
  }
  if (native == file) {
    swap(native, parts, from, to);
    return {};
  }
  const int64_t from_bytes = into_file ? native : file, to_bytes = into_file ? file : native;
  return item.kind == ItemKind::signed_integer
             ? convert_integers<true, into_file>(from_bytes, to_bytes, parts, from, to)
             : convert_integers<false, into_file>(from_bytes, to_bytes, parts, from, to);
}

}  // namespace

bool external32_converts(const Item& item) {
  const int64_t native = item.native_bytes / item.components, file = item.file_bytes / item.components;
  if (native < 1 || file < 1) return false;
  switch (item.kind) {
    case ItemKind::bytes:
      return native == file;
    case ItemKind::signed_integer:
    case ItemKind::unsigned_integer:
      return is_integer_width(native) ? is_integer_width(file) : native == 16 && file == 16;
    case ItemKind::real:
      return native == file && (native == 2 || native == 4 || native == 8 || native == 16);
    case ItemKind::long_double:
      return have_quadruple && native == sizeof(long double) && file == quadruple_bytes;
  }
  return false;
}

Status to_external32(const Item& item, int64_t count, const std::byte* native, std::byte* file) {
  return convert<true>(item, count, native, file);
}

Status from_external32(const Item& item, int64_t count, const std::byte* file, std::byte* native) {
  return convert<false>(item, count, file, native);
}

}  // namespace concilio::pattern
