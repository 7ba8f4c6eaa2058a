#include "base/text/nearest_name.h"

#include <gtest/gtest.h>

#include <string>

namespace concilio::nearest_name_test {
namespace {

std::string meant_by(std::string_view unknown, bool any = false) {
  NearestName nearest(unknown, any);
  for (const char* known : {"cb_nodes", static_cast<const char*>(nullptr), "", "concilio_method", "method"})
    nearest.consider(known);
  return nearest.name() ? nearest.name() : "";
}

TEST(NearestName, NeedsTheFewestChanges) {
  EXPECT_EQ(meant_by("cb_node"), "cb_nodes");
  EXPECT_EQ(meant_by("cb_notes"), "cb_nodes");
  EXPECT_EQ(meant_by("cd_modes"), "");  // two letters of eight, which is the limit
  EXPECT_EQ(meant_by("bc_nodes"), "cb_nodes") << "two letters that were swapped are one change";
  EXPECT_EQ(meant_by("metohd"), "method");
  EXPECT_EQ(meant_by("methdo"), "method");
  EXPECT_EQ(meant_by("concilio_metod"), "concilio_method");
  EXPECT_EQ(meant_by("metthod"), "method");
}

TEST(NearestName, MayBeginWithWhatWasWritten) {
  EXPECT_EQ(meant_by("concilio_m"), "concilio_method");
  EXPECT_EQ(meant_by("c"), "");
}

TEST(NearestName, IsNoneIfNoNameIsNear) {
  EXPECT_EQ(meant_by("colour"), "");
  EXPECT_EQ(meant_by(""), "");
  EXPECT_EQ(meant_by("", true), "");
  EXPECT_EQ(meant_by(std::string(100'000, 'x')), "");
}

TEST(NearestName, MayBeAnyNameOfAFamily) {
  EXPECT_EQ(meant_by("concilio_memory"), "");
  EXPECT_EQ(meant_by("concilio_memory", true), "concilio_method");
  EXPECT_EQ(meant_by(std::string(256, 'x'), true), "");
}

TEST(NearestName, IsAskedFor) {
  NearestName nearest("cb_node");
  EXPECT_EQ(nearest.question(), "");
  nearest.consider("cb_nodes");
  EXPECT_EQ(nearest.question(), "; did you mean cb_nodes?");
}

}  // namespace
}  // namespace concilio::nearest_name_test
