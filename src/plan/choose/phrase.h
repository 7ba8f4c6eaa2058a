// A part of a sentence. Planning makes phrases; they become text only if somebody reads them
// (plan/show/reason_text.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "plan/facts/method.h"

namespace concilio::plan {

// A number in a sentence, and how the sentence writes it.
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

// Words such as "{} of about {} are worth a request each", and the quantities that stand in the places of the
// braces, in order. Making a phrase needs no allocation and no formatting.
struct Phrase {
  static constexpr size_t most_quantities = 5;
  std::string_view words;  // static text; empty if there is nothing to say
  std::array<Quantity, most_quantities> quantities{};

  bool empty() const { return words.empty(); }
  bool operator==(const Phrase&) const = default;
};

}  // namespace concilio::plan
