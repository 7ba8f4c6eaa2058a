#include "pattern/encoding.h"

#include <utility>

namespace concilio::pattern {
namespace {

constexpr int bits_a_byte = 7;
constexpr int most_number_bytes = 10;

Error spoilt() {
  return Error{ErrorKind::communication, 0, "the description of another rank's request cannot be read"};
}

// Takes numbers one after another, and remembers whether all of them were there.
class Numerals {
 public:
  explicit Numerals(std::span<const std::byte>& bytes) : bytes_(bytes) {}
  int64_t next() {
    const Result<int64_t> number = decode_number(bytes_);
    if (!number) good_ = false;
    return number ? *number : 0;
  }
  // The number of entries of a list, each of which takes at least a byte.
  size_t next_count() {
    const int64_t count = next();
    if (count < 0 || std::cmp_greater(count, bytes_.size())) good_ = false;
    return good_ ? static_cast<size_t>(count) : 0;
  }
  bool good() const { return good_; }

 private:
  std::span<const std::byte>& bytes_;
  bool good_ = true;
};

Result<NestRef> decode_nest(std::span<const std::byte>& bytes, int depth);

Result<NestRef> decode_run(Numerals& numbers) {
  const int64_t offset = numbers.next(), length = numbers.next(), stride = numbers.next(),
                count = numbers.next();
  if (!numbers.good() || length < 1 || count < 1) return spoilt();
  return Nest::repeat(Nest::bytes(length), count, stride, offset);
}

Result<NestRef> decode_loop(Numerals& numbers, std::span<const std::byte>& bytes, int depth) {
  const int64_t offset = numbers.next(), stride = numbers.next(), count = numbers.next();
  if (!numbers.good() || count < 1) return spoilt();
  Result<NestRef> child = decode_nest(bytes, depth + 1);
  if (!child) return child;
  return Nest::repeat(std::move(*child), count, stride, offset);
}

Result<NestRef> decode_blocks(Numerals& numbers) {
  const int64_t uniform = numbers.next();
  const size_t count = numbers.next_count();
  std::vector<int64_t> offsets(count), lengths(uniform > 0 ? 1 : count, uniform);
  int64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    offset += numbers.next();
    offsets[i] = offset;
    if (uniform <= 0) lengths[i] = numbers.next();
  }
  if (!numbers.good()) return spoilt();
  return Nest::blocks({Numbers(offsets), Numbers(lengths)});
}

Result<NestRef> decode_sequence(Numerals& numbers, std::span<const std::byte>& bytes, int depth) {
  std::vector<Nest::Part> parts(numbers.next_count());
  for (size_t i = 0; i < parts.size(); ++i) {
    Nest::Part& part = parts[i];
    part.offset = numbers.next();
    const bool repeated = numbers.next() != 0;
    if (!numbers.good() || (repeated && i == 0)) return spoilt();
    if (repeated) {
      part.child = parts[i - 1].child;
      continue;
    }
    Result<NestRef> child = decode_nest(bytes, depth + 1);
    if (!child) return child;
    part.child = std::move(*child);
  }
  if (!numbers.good()) return spoilt();
  return Nest::sequence(std::move(parts));
}

Result<NestRef> decode_nest(std::span<const std::byte>& bytes, int depth) {
  if (depth > Nest::max_depth) return spoilt();
  Numerals numbers(bytes);
  switch (static_cast<Nest::Kind>(numbers.next())) {
    case Nest::Kind::empty:
      return numbers.good() ? Result<NestRef>(Nest::empty()) : Result<NestRef>(spoilt());
    case Nest::Kind::run:
      return decode_run(numbers);
    case Nest::Kind::loop:
      return decode_loop(numbers, bytes, depth);
    case Nest::Kind::blocks:
      return decode_blocks(numbers);
    case Nest::Kind::sequence:
      return decode_sequence(numbers, bytes, depth);
  }
  return spoilt();
}

}  // namespace

void encode(int64_t number, std::vector<std::byte>& out) {
  // The sign becomes the lowest bit.
  auto left = (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63);
  while (left >> bits_a_byte != 0) {
    out.push_back(static_cast<std::byte>(left | (1u << bits_a_byte)));
    left >>= bits_a_byte;
  }
  out.push_back(static_cast<std::byte>(left));
}

Result<int64_t> decode_number(std::span<const std::byte>& bytes) {
  uint64_t number = 0;
  for (int i = 0; i < most_number_bytes && std::cmp_less(i, bytes.size()); ++i) {
    const auto byte = static_cast<uint64_t>(bytes[static_cast<size_t>(i)]);
    number |= (byte & ((1u << bits_a_byte) - 1)) << (bits_a_byte * i);
    if (byte >> bits_a_byte != 0) continue;
    bytes = bytes.subspan(static_cast<size_t>(i) + 1);
    return static_cast<int64_t>((number >> 1) ^ (~(number & 1) + 1));
  }
  return spoilt();
}

void encode(const Nest& nest, std::vector<std::byte>& out, int64_t most_bytes) {
  const auto is_full = [&] { return std::cmp_greater(out.size(), most_bytes); };
  if (is_full()) return;
  encode(static_cast<int64_t>(nest.kind()), out);
  switch (nest.kind()) {
    case Nest::Kind::empty:
      break;
    case Nest::Kind::run: {
      const Run& run = nest.run();
      for (const int64_t number : {run.offset, run.length, run.stride, run.count}) encode(number, out);
      break;
    }
    case Nest::Kind::loop:
      for (const int64_t number : {nest.loop_offset(), nest.loop_stride(), nest.loop_count()})
        encode(number, out);
      encode(*nest.child(), out, most_bytes);
      break;
    case Nest::Kind::blocks: {
      const std::span<const int64_t> offsets = nest.offsets(), positions = nest.positions();
      encode(nest.uniform_length(), out);
      encode(static_cast<int64_t>(offsets.size()), out);
      for (size_t i = 0; i < offsets.size() && !is_full(); ++i) {
        encode(i == 0 ? offsets[0] : offsets[i] - offsets[i - 1], out);
        if (nest.uniform_length() <= 0) encode(positions[i + 1] - positions[i], out);
      }
      break;
    }
    case Nest::Kind::sequence:
      encode(static_cast<int64_t>(nest.parts().size()), out);
      for (const Nest* last = nullptr; const Nest::Part& part : nest.parts()) {
        if (is_full()) break;
        encode(part.offset, out);
        const bool repeated = part.child.get() == last;
        encode(static_cast<int64_t>(repeated), out);
        if (!repeated) encode(*part.child, out, most_bytes);
        last = part.child.get();
      }
      break;
  }
}

Result<NestRef> decode_nest(std::span<const std::byte>& bytes) {
  return decode_nest(bytes, 0);
}

}  // namespace concilio::pattern
