// A part of a sentence that is put together only where somebody reads it (plan/show/phrase_text.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "plan/facts/method.h"

namespace concilio {

// A number in a sentence, and how it is said.
struct Quantity {
  enum class As { number, bytes, pieces, windows, method };
  As as = As::number;
  int64_t value = 0;
  bool operator==(const Quantity&) const = default;

  static constexpr Quantity number(int64_t value) { return {As::number, value}; }    // "3"
  static constexpr Quantity bytes(int64_t value) { return {As::bytes, value}; }      // "4 KiB"
  static constexpr Quantity pieces(int64_t value) { return {As::pieces, value}; }    // "1 piece", "3 pieces"
  static constexpr Quantity windows(int64_t value) { return {As::windows, value}; }  // "3 windows"
  static constexpr Quantity name(Method method) { return {As::method, static_cast<int64_t>(method)}; }
};

// "{} of about {} are worth a request each", and what stands in its places, in order. Making one allocates
// and formats nothing; two are equal where they say the same.
struct Phrase {
  static constexpr size_t most_quantities = 5;
  std::string_view words;  // static; empty: there is nothing to say
  std::array<Quantity, most_quantities> quantities{};

  bool empty() const { return words.empty(); }
  bool operator==(const Phrase&) const = default;
};

}  // namespace concilio
