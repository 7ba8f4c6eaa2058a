#include "blocks.h"

#include <algorithm>
#include <cstring>

#include "common/random.h"

namespace scorpio_oracle {

int64_t elements_of(const Extents& extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

Array::Array(Extents extents, int64_t bytes_each) : dims(std::move(extents)), element_bytes(bytes_each) {
  bytes.resize(static_cast<size_t>(elements_of(dims) * element_bytes));
}

void Array::each_run(const Block& block, const std::function<void(int64_t, int64_t, int64_t)>& run) const {
  if (block.elements() == 0) return;
  const size_t last = dims.size() - 1;
  const int64_t length = block.count[last] * element_bytes;
  Extents at(dims.size(), 0);
  for (int64_t dense = 0;; dense += length) {
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + block.start[d] + at[d];
    run(place * element_bytes, dense, length);
    size_t d = last;
    while (d > 0 && ++at[d - 1] == block.count[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

Bytes Array::part(const Block& block) const {
  Bytes values(static_cast<size_t>(block.elements() * element_bytes));
  each_run(block, [&](int64_t place, int64_t dense, int64_t length) {
    std::copy_n(bytes.begin() + place, length, values.begin() + dense);
  });
  return values;
}

void Array::set_part(const Block& block, const Bytes& values) {
  each_run(block, [&](int64_t place, int64_t dense, int64_t length) {
    std::copy_n(values.begin() + dense, length, bytes.begin() + place);
  });
}

int64_t Array::row_bytes() const {
  return elements_of(Extents(dims.begin() + 1, dims.end())) * element_bytes;
}

Bytes Array::rows(const std::vector<int64_t>& map) const {
  Bytes values;
  values.reserve(map.size() * static_cast<size_t>(row_bytes()));
  for (int64_t row : map) {
    const auto begin = bytes.begin() + row * row_bytes();
    values.insert(values.end(), begin, begin + row_bytes());
  }
  return values;
}

void Array::set_rows(const std::vector<int64_t>& map, const Bytes& values) {
  for (size_t i = 0; i < map.size(); ++i) {
    std::copy_n(values.begin() + static_cast<int64_t>(i) * row_bytes(), row_bytes(),
                bytes.begin() + map[i] * row_bytes());
  }
}

Bytes random_bytes(uint64_t stream, int64_t count) {
  Bytes out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); i += 8) {
    const uint64_t word = tests::mix(stream, i);
    std::memcpy(out.data() + i, &word, std::min<size_t>(8, out.size() - i));
  }
  return out;
}

std::string text_of(const Extents& extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::string text_of(const Block& block) {
  return text_of(block.count) + "@" + text_of(block.start);
}

}  // namespace scorpio_oracle
