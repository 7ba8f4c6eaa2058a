// JSON that is written as text, one value after another. A document in memory (nlohmann::json) would not do
// where memory may run out: it needs some even to be destroyed, and ends the process without.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace concilio {

class JsonText {
 public:
  // Each call writes a value, the next one of an array or, after name(), of an object. Bytes of a text that
  // are not UTF-8 become U+FFFD, and numbers that JSON has no form for become null.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  void value(std::integral auto number) { raw(fmt::format_int(number)); }
  void value(double number) { raw(std::isfinite(number) ? fmt::to_string(number) : "null"); }
  void null() { raw("null"); }
  // `write` writes the members, or the elements.
  template <typename Write>
  void object(Write&& write) {
    within('{', '}', write);
  }
  template <typename Write>
  void array(Write&& write) {
    within('[', ']', write);
  }
  // Names are the library's own, of characters that stand for themselves.
  void name(std::string_view plain) {
    raw("\"");
    text_ += plain;
    text_ += "\":";
    first_ = true;
  }
  template <typename T>
  void member(std::string_view its_name, const T& its_value) {
    name(its_name);
    value(its_value);
  }

  // Lets so many more bytes be written without the text being moved.
  void make_room(size_t bytes) { text_.reserve(text_.size() + bytes); }
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

 private:
  template <typename Write>
  void within(char begin, char end, Write&& write) {
    raw(std::string_view(&begin, 1));
    first_ = true;
    write();
    text_ += end;
    first_ = false;
  }
  void raw(const fmt::format_int& number) { raw(std::string_view(number.data(), number.size())); }
  void raw(std::string_view text) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += text;
  }
  std::string text_;
  bool first_ = true;  // nothing is before the next value that a comma must part it from
};

}  // namespace concilio
