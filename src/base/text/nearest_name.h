// Which known name is meant by an unknown one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace concilio {

// It allocates no memory until `question` is called, because the preloaded library uses it too.
class NearestName {
 public:
  // Known names are near if less than a third of the letters of `unknown`, and at most 3, must change, or if
  // they begin with it. If `any` is true, every name is near.
  explicit NearestName(std::string_view unknown, bool any = false);
  // `known` must outlive this object; null is no name.
  void consider(const char* known);
  // The nearest of all names considered; null if none is near.
  const char* name() const { return name_; }
  // "; did you mean NAME?", or nothing if no name is near.
  std::string question() const;

 private:
  std::string_view unknown_;
  const char* name_ = nullptr;
  size_t distance_;  // of the nearest name, or where none is near any more
};

}  // namespace concilio
