// Times copy() and CoverageMap::mark() for the patterns that parallel programs' collective calls are made of.
//   g++ -std=c++20 -O3 -fno-strict-aliasing -Isrc bench/copy_bench.cpp src/pattern/*.cpp -o copy_bench
// A user's buffer of 16 MiB (beyond the cache) goes through a window of 512 KiB (within it), as in a
// collective write.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "pattern/copy.h"
#include "pattern/coverage_map.h"

using namespace concilio;

namespace {

constexpr int64_t user_bytes = 16 << 20, window_bytes = 512 << 10;

double seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

struct Buffers {
  std::vector<std::byte> user = std::vector<std::byte>(user_bytes * 4, std::byte{1});
  std::vector<std::byte> window = std::vector<std::byte>(window_bytes, std::byte{2});
  std::vector<std::uint8_t> map = std::vector<std::uint8_t>(window_bytes + 2);
};

// Copies the user's memory to or from one window after another.
void run_case(const char* name, const DataType& file_type, const DataType& memory_type, Buffers& buffers) {
  const Access file = Access::of(file_type, 0), memory = Access::of(memory_type, 0);
  const Interval span = file.bounds(0, user_bytes);
  auto pass = [&](auto&& each) {
    for (int64_t at = span.begin; at < span.end; at += window_bytes) {
      const int64_t first = file.data_before(at);
      const int64_t last = std::min(user_bytes, file.data_before(std::min(at + window_bytes, span.end)));
      if (last > first) each(at, first, last);
    }
  };
  const double scatter = seconds([&] {
    pass([&](int64_t at, int64_t first, int64_t last) {
      copy(Side{&memory, first, buffers.user.data()}, Side{&file, first, buffers.window.data(), at},
           last - first);
    });
  });
  const double gather = seconds([&] {
    pass([&](int64_t at, int64_t first, int64_t last) {
      copy(Side{&file, first, buffers.window.data(), at}, Side{&memory, first, buffers.user.data()},
           last - first);
    });
  });
  const auto granule = file.granule(0, user_bytes);
  const double mark = seconds([&] {
    pass([&](int64_t at, int64_t first, int64_t last) {
      CoverageMap(buffers.map.data(), Interval{at, at + window_bytes}, granule).mark(file, first, last);
    });
  });
  const double pieces =
      static_cast<double>(std::max(file.pieces(0, user_bytes), memory.pieces(0, user_bytes)));
  fmt::print("{:44} {:6.2f} GB/s {:7.2f} ns/piece to window | {:6.2f} {:7.2f} from | mark {:6.2f} ns/piece\n",
             name, user_bytes / scatter / 1e9, scatter / pieces * 1e9, user_bytes / gather / 1e9,
             gather / pieces * 1e9, mark / pieces * 1e9);
}

DataType tiled(int64_t length, int64_t extent) {
  return type_resized(type_bytes(length), 0, extent).value();
}

// Irregular blocks in ascending order, some of which touch the next.
DataType irregular(int64_t length, int one_in) {
  std::mt19937 random(1);
  std::vector<int64_t> at;
  for (int64_t o = 0; static_cast<int64_t>(at.size()) * length < user_bytes; o += length) {
    if (static_cast<int>(random() % static_cast<unsigned>(one_in)) == 0) at.push_back(o);
  }
  return type_hindexed_block(1, at, type_bytes(length)).value();
}

DataType cube(int64_t side, int64_t whole, int64_t element) {
  const std::vector<int64_t> sizes{whole, whole, whole}, subsizes{side, side, side}, starts{0, 0, 0};
  return type_subarray(sizes, subsizes, starts, ArrayOrder::c, type_bytes(element)).value();
}

}  // namespace

int main() {
  Buffers buffers;
  const DataType contiguous = type_bytes(1 << 20);
  run_case("contiguous", contiguous, contiguous, buffers);
  for (int64_t length : {4, 8, 12, 16, 24, 32, 64, 100, 128, 256, 512, 1024}) {
    run_case(fmt::format("{} bytes of {}", length, 2 * length).c_str(), tiled(length, 2 * length), contiguous,
             buffers);
  }
  for (int64_t extent : {192, 256, 384, 512}) {
    run_case(fmt::format("64 bytes of {}", extent).c_str(), tiled(64, extent), contiguous, buffers);
  }
  run_case("64 of 128, memory 64 of 128", tiled(64, 128), tiled(64, 128), buffers);
  run_case("8 of 16, memory 8 of 24", tiled(8, 16), tiled(8, 24), buffers);
  run_case("64 of 128, memory 8 of 16", tiled(64, 128), tiled(8, 16), buffers);
  run_case("irregular 64, half of all", irregular(64, 2), contiguous, buffers);
  run_case("irregular 64, one in eight", irregular(64, 8), contiguous, buffers);
  run_case("irregular 8, one in four", irregular(8, 4), contiguous, buffers);
  run_case("3-D block 32^3 of 64^3, 8 bytes", cube(32, 64, 8), contiguous, buffers);
  run_case("3-D block 100^3 of 200^3, 8 bytes", cube(100, 200, 8), contiguous, buffers);
  run_case("3-D block 8^3 of 16^3, 8 bytes", cube(8, 16, 8), contiguous, buffers);
  run_case("3-D block 2^3 of 4^3, 8 bytes", cube(2, 4, 8), contiguous, buffers);
  const std::vector<int64_t> lengths{1, 1, 2}, at{0, 8, 20};
  const std::vector<DataType> fields{type_bytes(4), type_bytes(8), type_bytes(2)};
  const DataType record = type_resized(type_struct(lengths, at, fields).value(), 0, 24).value();
  run_case("contiguous, memory struct 4+8+4 of 24", contiguous, record, buffers);
  return 0;
}
