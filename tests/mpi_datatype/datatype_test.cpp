// Decodes random datatypes, and compares them with the result of MPI_Pack for a buffer whose bytes tell their
// place.
#include <fmt/format.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "common/mpi_type.h"
#include "made_type.h"
#include "mpi/types/datatype.h"
#include "pattern/access.h"

using concilio::mpi::decode;
using concilio::mpi::Reuse;
using concilio::pattern::Access;
using concilio::pattern::DataType;

namespace {

concilio::Budget budget(1 << 20);

constexpr int64_t most_bytes = 1 << 19;

// The place of each byte in the stream of `elements` elements. All places are in [lower, upper).
std::vector<int64_t> offsets_by_pack(MPI_Datatype type, int elements, int64_t lower, int64_t upper) {
  const int64_t size = bounds_of(type).size * elements;
  std::vector<int64_t> offsets(size, lower);
  std::vector<unsigned char> buffer(upper - lower), packed(size + 1);
  for (int shift = 0; shift < 24; shift += 8) {
    for (int64_t i = 0; i < upper - lower; ++i) buffer[i] = static_cast<unsigned char>(i >> shift);
    int position = 0;
    MPI_Pack(buffer.data() - lower, elements, type, packed.data(), static_cast<int>(size), &position,
             MPI_COMM_SELF);
    for (int64_t i = 0; i < size; ++i) offsets[i] += static_cast<int64_t>(packed[i]) << shift;
  }
  return offsets;
}

std::vector<int64_t> offsets_by_pattern(const DataType& type, int64_t size) {
  Access access(type.nest, 0, type.extent);
  std::vector<int64_t> offsets;
  if (size == 0) return offsets;
  concilio::pattern::Cursor cursor(access);
  while (std::ssize(offsets) < size) {
    auto chunk = cursor.next(size - std::ssize(offsets));
    for (int64_t i = 0; i < chunk.count; ++i)
      for (int64_t byte = 0; byte < chunk.length; ++byte) offsets.push_back(chunk.offset(i) + byte);
  }
  return offsets;
}

// Returns what is wrong, or an empty text.
std::string compare(const MadeType& made) {
  MPI_Datatype type = made.type;
  auto decoded = decode(type, budget);
  if (!decoded) return decoded.error().message;
  const DataType& ours = **decoded;
  MPI_Count lower = 0, extent = 0;
  MPI_Type_get_extent_x(type, &lower, &extent);
  const Bounds bounds = bounds_of(type);
  if (ours.size() != bounds.size) return fmt::format("size {}, MPI has {}", ours.size(), bounds.size);
  if (ours.lower_bound != lower || ours.extent != extent)
    return fmt::format("bounds {} + {}, MPI has {} + {}", ours.lower_bound, ours.extent,
                       static_cast<int64_t>(lower), static_cast<int64_t>(extent));
  if (bounds.size == 0) return {};
  if (made.exact_bounds && (ours.nest->lower() != bounds.lower || ours.nest->upper() != bounds.upper))
    return fmt::format("true bounds {} to {}, MPI has {} to {}", ours.nest->lower(), ours.nest->upper(),
                       bounds.lower, bounds.upper);
  const int elements = made.one_element ? 1 : 3;
  const int64_t reach = static_cast<int64_t>(extent) * (elements - 1);
  const int64_t first = bounds.lower + std::min<int64_t>(reach, 0);
  const int64_t last = bounds.upper + std::max<int64_t>(reach, 0);
  const auto expected = offsets_by_pack(type, elements, first, last);
  const auto actual = offsets_by_pattern(ours, bounds.size * elements);
  for (size_t i = 0; i < expected.size(); ++i)
    if (actual[i] != expected[i])
      return fmt::format("byte {} of the stream lies at {}, MPI has it at {}", i, actual[i], expected[i]);
  return {};
}

// MPI_Pack need not copy the bytes of a long double that hold no part of the number, so these two types are
// not compared by packing.
std::string check_long_double() {
  auto plain = decode(MPI_LONG_DOUBLE, budget), pair = decode(MPI_LONG_DOUBLE_INT, budget);
  if (!plain || !pair) return "long double was not decoded";
  struct Pair {
    long double value;
    int index;
  };
  const DataType &a = **plain, &b = **pair;
  if (a.size() != sizeof(long double) || a.extent != sizeof(long double)) return "long double";
  if (b.size() != sizeof(long double) + sizeof(int) || b.extent != sizeof(Pair) ||
      Access::of(b, 0).offset_of(sizeof(long double)) != offsetof(Pair, index))
    return "long double and int";
  return {};
}

// A datatype is decoded once. Threads and duplicates share the description, which is dropped with the last
// handle.
std::string check_cache() {
  MPI_Datatype inner, outer, copy;
  MPI_Type_vector(3, 2, 5, MPI_INT, &inner);
  MPI_Type_create_resized(inner, -4, 100, &outer);
  MPI_Type_commit(&inner);
  MPI_Type_commit(&outer);
  std::weak_ptr<const DataType> inner_decoded = *decode(inner, budget), outer_decoded;
  {
    std::vector<std::shared_ptr<const DataType>> results(4);
    std::vector<std::thread> threads;
    for (auto& result : results) threads.emplace_back([&result, outer] { result = *decode(outer, budget); });
    for (auto& thread : threads) thread.join();
    for (auto& result : results)
      if (result != results[0]) return "threads decoded one datatype to several";
    outer_decoded = results[0];
  }
  if (inner_decoded.expired() || outer_decoded.expired()) return "nothing was cached";
  MPI_Type_dup(outer, &copy);
  if (*decode(copy, budget) != outer_decoded.lock()) return "a duplicate was decoded anew";
  MPI_Type_free(&inner);
  MPI_Type_free(&outer);
  if (outer_decoded.expired()) return "dropped with the original though the duplicate lives";
  MPI_Type_free(&copy);
  if (!outer_decoded.expired()) return "not dropped with the datatype";
  if (!inner_decoded.expired()) return "a reference to the inner datatype was left behind";
  if (*decode(MPI_DOUBLE, budget) != *decode(MPI_DOUBLE, budget)) return "a named datatype was decoded twice";
  if (decode(MPI_DATATYPE_NULL, budget).ok()) return "MPI_DATATYPE_NULL was decoded";
  return {};
}

// A datatype for one use is kept only when it comes again and again. Datatypes with its handle that come
// after it are not taken for it.
std::string check_unlikely_reuse() {
  const auto make = [](int stride) {
    MPI_Datatype type;
    MPI_Type_vector(3, 2, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
  };
  const auto use = [](MPI_Datatype type) { return *decode(type, budget, Reuse::unlikely); };
  MPI_Datatype often = make(5);
  if (std::weak_ptr<const DataType> first = use(often); !first.expired()) return "kept after one use";
  std::shared_ptr<const DataType> last;
  for (int uses = 2; uses <= 4; ++uses) last = use(often);
  if (use(often) != last) return "not kept after several uses";
  if (*decode(often, budget) != last) return "what was kept was decoded anew";
  MPI_Type_free(&often);
  for (int stride = 2; stride < 100; ++stride) {
    MPI_Datatype next = make(stride);
    const int64_t upper = (2 * stride + 2) * static_cast<int64_t>(sizeof(int));
    for (int uses = 0; uses < 1 + stride % 6; ++uses)
      if (use(next)->nest->upper() != upper) return "a datatype was taken for one that is gone";
    MPI_Type_free(&next);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(
        stderr,
        "datatype SEED CASES: compares decoded datatypes with MPI_Pack, from this seed on one seed a case\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const uint64_t cases = std::strtoull(argv[2], nullptr, 10);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  // If this MPI cannot make a datatype, the datatype is made in another way.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int64_t failed = 0;
  for (const std::string& wrong : {check_cache(), check_unlikely_reuse(), check_long_double()}) {
    if (wrong.empty()) continue;
    fmt::print("{}\n", wrong);
    ++failed;
  }
  for (uint64_t now = seed; now < seed + cases && failed < 10; ++now) {
    tests::Random random(tests::mix(now));
    MadeType made = make_type(random, static_cast<int>(random.between(0, 4)), most_bytes);
    if (std::string wrong = compare(made); !wrong.empty()) {
      fmt::print("{} {} 1: {}: {}\n", argv[0], now, wrong, made.description);
      ++failed;
    }
    tests::free_type(&made.type);
  }
  MPI_Finalize();
  return failed ? 1 : 0;
}
