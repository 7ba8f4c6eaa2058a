#include "plan/show/reason_text.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "base/text/format_seconds.h"

namespace concilio::plan {
namespace {

std::string text_of(const Quantity& quantity) {
  switch (quantity.as) {
    case Quantity::As::number:
      break;
    case Quantity::As::bytes:
      return format_bytes(quantity.value);
    case Quantity::As::pieces:
      return counted(quantity.value, "piece");
    case Quantity::As::windows:
      return counted(quantity.value, "window");
    case Quantity::As::method:
      return method_name(static_cast<Method>(quantity.value));
  }
  return fmt::format("{}", quantity.value);
}

const char* known_by(const Expected& expected) {
  return expected.measured ? "measured" : "predicted";
}

// "predicted 1 ms against 2 ms for list"; both words are given if one time is predicted and the other
// measured.
std::string text_of(const Comparison& comparison) {
  const Expected &taken = comparison.taken, &other = comparison.of_other;
  std::string text = fmt::format("{} {}", known_by(taken), format_seconds(taken.seconds));
  if (!comparison.other) return text;
  const bool alike = taken.measured == other.measured;
  return fmt::format("{}{} against {}{} for {}", comparison.trial ? "a trial, as it may be faster: " : "",
                     text, alike ? "" : fmt::format("{} ", known_by(other)), format_seconds(other.seconds),
                     method_name(*comparison.other));
}

}  // namespace

std::string text_of(const Phrase& phrase) {
  fmt::dynamic_format_arg_store<fmt::format_context> quantities;
  for (const Quantity& quantity : phrase.quantities) quantities.push_back(text_of(quantity));
  return fmt::vformat({phrase.words.data(), phrase.words.size()}, quantities);
}

std::string text_of(const Cost& cost) {
  std::string out;
  for (const Cost::Term& term : cost.terms()) {
    if (term.seconds <= 0) continue;
    if (!out.empty()) out += " + ";
    out += term.name;
    out += ' ';
    out += format_seconds(term.seconds);
  }
  return out.empty() ? "nothing to do" : out;
}

std::string text_of(const Grounds& grounds) {
  std::string why;
  const auto add = [&](const std::string& text) { why += (why.empty() ? "" : "; ") + text; };
  if (grounds.refused) {
    add(fmt::format("concilio_method={} is not possible here ({})", method_name(*grounds.refused),
                    text_of(grounds.obstacle)));
  }
  if (!grounds.wish.empty()) add(text_of(grounds.wish));
  if (!grounds.merit.empty()) add(text_of(grounds.merit));
  return fmt::format("{}: {}", method_name(grounds.method), why);
}

std::string text_of(const Reason& reason) {
  if (!reason.comparison) return text_of(reason.grounds);
  return fmt::format("{} ({})", text_of(reason.grounds), text_of(*reason.comparison));
}

std::string text_of_various(Method method) {
  return fmt::format("{}: for further reasons of the same kind", method_name(method));
}

std::string text_of(const Appraisal& appraisal) {
  return appraisal.obstacle.empty() ? text_of(appraisal.cost) : text_of(appraisal.obstacle);
}

}  // namespace concilio::plan
