// This compiles and links if src/base/fmt_once.cpp suits the {fmt} that is installed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

int main(int count, char** words) {
  const std::vector<std::string> all(words, words + count);
  fmt::print("{} {:.3f} {:<9} {:x} {:.1e} {}\n", count, 1.5 * count, words[0], count, 1.5F,
             fmt::join(all, ", "));
  return fmt::format("{:L} {}", count, 1.5L).empty();
}
