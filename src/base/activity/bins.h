// Numbers along an axis, such as the time of a run or the bytes of a file, in few bins of equal width.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace concilio {

// Where bins lie. Each begins at a multiple of its width, which is a power of two: bin i is [i << shift,
// (i + 1) << shift). So bins that are twice as wide are pairs of these, whoever else has some.
struct BinRange {
  int64_t shift = 0;
  int64_t first = 0, used = 0;  // the bins from `first` on
};

// Where the bins of both lie together, in at most `most` bins.
BinRange around(BinRange a, BinRange b, int64_t most);

// Plain data, which may be copied at any time, also from a process that has ended. Wherever an amount is
// added, there is room: the bins get wider. Amounts are not negative, and neither are places.
template <size_t columns>
class Bins {
 public:
  static constexpr int64_t most = 64;
  using Amounts = std::array<int64_t, columns>;

  explicit Bins(int64_t least_shift) : range_{least_shift, 0, 0} {}

  const BinRange& range() const { return range_; }
  const Amounts& at(int64_t bin) const { return bins_[static_cast<size_t>(bin)]; }

  // Adds the amounts to the bins of [begin, end), spread evenly. An empty stretch counts as one of length 1.
  void add(int64_t begin, int64_t end, const Amounts& amounts) {
    const int64_t bin = (begin >> range_.shift) - range_.first;
    if (bin >= 0 && bin < range_.used && end <= (range_.first + bin + 1) << range_.shift)
      return add_to(bin, amounts);
    add_spread(begin, std::max(end, begin + 1), amounts);
  }
  // Makes them what they were made as.
  void clear(int64_t least_shift) {
    std::fill_n(bins_.begin(), range_.used, Amounts{});
    range_ = {least_shift, 0, 0};
  }
  // Makes the bins those of `range`, which holds all that are in use.
  void widen_to(const BinRange& range) {
    while (range_.shift < range.shift) double_width();
    move_begin(range_.first - range.first);
    range_ = range;
  }
  // Adds the amounts of bins that lie where these do.
  void add_all(const Bins& other) {
    for (int64_t bin = 0; bin < range_.used; ++bin) add_to(bin, other.at(bin));
  }

 private:
  void add_to(int64_t bin, const Amounts& amounts) {
    Amounts& sums = bins_[static_cast<size_t>(bin)];
    for (size_t column = 0; column < columns; ++column) sums[column] += amounts[column];
  }
  void add_spread(int64_t begin, int64_t end, const Amounts& amounts) {
    const int64_t first = begin >> range_.shift, last = (end - 1) >> range_.shift;
    if (first < range_.first || last >= range_.first + range_.used)
      widen_to(around(range_, {range_.shift, first, last - first + 1}, most));
    const double share = 1 / static_cast<double>(end - begin);
    for (size_t column = 0; column < columns; ++column) {
      if (amounts[column] > 0) spread(begin, end, column, amounts[column], share);
    }
  }
  // `share`: of the amount, for each place. All that is spread adds up to all that was given.
  void spread(int64_t begin, int64_t end, size_t column, int64_t amount, double share) {
    const double of_each = static_cast<double>(amount) * share;
    const auto amount_of = [&](int64_t places) {
      return std::min(amount, static_cast<int64_t>(static_cast<double>(places) * of_each));
    };
    const int64_t width = int64_t{1} << range_.shift;
    auto bin = static_cast<size_t>((begin >> range_.shift) - range_.first);
    const auto last = static_cast<size_t>(((end - 1) >> range_.shift) - range_.first);
    int64_t until = ((begin >> range_.shift) + 1) << range_.shift, given = 0;
    // Where each gets much, the last one may get what is lost by rounding. That takes a tenth of the time.
    constexpr int64_t much = 4096;
    const int64_t of_bin = amount_of(width);
    if (last > bin + 1 && of_bin >= much) {
      bins_[bin++][column] += given = amount_of(until - begin);
      for (; bin < last; ++bin, given += of_bin) bins_[bin][column] += of_bin;
    }
    for (; bin < last; ++bin, until += width) {
      const int64_t so_far = amount_of(until - begin);
      bins_[bin][column] += so_far - given;
      given = so_far;
    }
    bins_[last][column] += amount - given;
  }
  void double_width() {
    const int64_t first = range_.first >> 1;
    for (int64_t bin = 0; bin < range_.used; ++bin) {
      const Amounts amounts = at(bin);
      bins_[static_cast<size_t>(bin)] = {};
      add_to(((range_.first + bin) >> 1) - first, amounts);
    }
    const int64_t used = ((range_.first + range_.used + 1) >> 1) - first;
    range_ = {range_.shift + 1, first, range_.used == 0 ? 0 : used};
  }
  void move_begin(int64_t by) {
    if (by <= 0) return;
    for (int64_t bin = range_.used - 1; bin >= 0; --bin) {
      bins_[static_cast<size_t>(bin + by)] = at(bin);
      bins_[static_cast<size_t>(bin)] = {};
    }
  }

  BinRange range_;
  std::array<Amounts, static_cast<size_t>(most)> bins_{};
};

}  // namespace concilio
