#include "settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::Not;

TEST(RunSettings, BecomeVariables) {
  const auto variables = check_settings({{"cb_nodes=2", "cb_nodes=3"}, "1MiB", "*.nc", true}, Environment());
  ASSERT_TRUE(variables.ok());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"CONCILIO_HINTS", "cb_nodes=2;cb_nodes=3"},
      {"CONCILIO_MEMORY_LIMIT", "1MiB"},
      {"CONCILIO_ONLY", "*.nc"},
      {"CONCILIO_THREADS", "1"}};
  EXPECT_EQ(*variables, expected);
}

TEST(RunSettings, MalformedHintIsNamed) {
  for (const char* hint : {"cb_nodes", "=1", "cb_nodes=many", "concilio_nonsense=1", "cb_nodes=1;x=2"}) {
    const auto variables = check_settings({{hint}, "", "", false}, Environment());
    ASSERT_FALSE(variables.ok()) << hint;
    EXPECT_NE(variables.error().message.find(hint), std::string::npos) << variables.error().message;
  }
}

TEST(RunSettings, UnknownHintsAreRefusedButThoseOfOthersAreNot) {
  EXPECT_FALSE(check_settings({{"others_thing=1"}, "", "", false}, Environment()).ok());
  // Hints of well-known libraries are recognised by their names.
  EXPECT_TRUE(check_settings({{"gpfs_thing=1"}, "", "", false}, Environment()).ok());
}

TEST(RunSettings, UnknownHintNamesTheNearest) {
  for (const auto& [hint, nearest] :
       {std::pair{"concilio_metod=list", "concilio_method"}, std::pair{"cb_node=1", "cb_nodes"}}) {
    const auto variables = check_settings({{hint}, "", "", false}, Environment());
    ASSERT_FALSE(variables.ok());
    EXPECT_THAT(variables.error().message, HasSubstr(std::string("did you mean ") + nearest + "?"));
    EXPECT_THAT(variables.error().message, Not(HasSubstr("ignored")));
  }
}

TEST(RunSettings, UnknownVariablesAreNamed) {
  Environment environment;
  for (const char* known : {"CONCILIO_LOG", "CONCILIO_LIBDIR", "ROMIO_HINTS", "HOME"})
    environment.set(known, "1");
  EXPECT_TRUE(unknown_variables(environment).empty());
  environment.set("CONCILIO_METOD", "list");
  environment.set("CONCILIO_UNHEARD_OF", "1");
  EXPECT_THAT(unknown_variables(environment),
              ElementsAre("the environment variable CONCILIO_METOD is unknown and ignored; did you mean "
                          "CONCILIO_METHOD?",
                          "the environment variable CONCILIO_UNHEARD_OF is unknown and ignored"));
}

TEST(RunSettings, HintsFileThatCannotBeRead) {
  Environment environment;
  environment.set("ROMIO_HINTS", "/no/such/file");
  const auto variables = check_settings({}, environment);
  ASSERT_FALSE(variables.ok());
  EXPECT_NE(variables.error().message.find("/no/such/file"), std::string::npos);
  environment.set("ROMIO_HINTS", "/dev/null");
  EXPECT_TRUE(check_settings({}, environment).ok());
}

}  // namespace
}  // namespace concilio::tools
