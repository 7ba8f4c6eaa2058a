#include "settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

using testing::ElementsAre, testing::HasSubstr;

TEST(RunSettings, BecomeVariables) {
  std::vector<std::string> notes;
  const auto variables =
      check_settings({{"cb_nodes=2", "cb_nodes=3"}, "1MiB", "*.nc", true}, Environment(), notes);
  ASSERT_TRUE(variables.ok());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"CONCILIO_HINTS", "cb_nodes=2;cb_nodes=3"},
      {"CONCILIO_MEMORY_LIMIT", "1MiB"},
      {"CONCILIO_ONLY", "*.nc"},
      {"CONCILIO_THREADS", "1"}};
  EXPECT_EQ(*variables, expected);
  EXPECT_TRUE(notes.empty());
}

TEST(RunSettings, MalformedHintIsNamed) {
  for (const char* hint : {"cb_nodes", "=1", "cb_nodes=many", "concilio_nonsense=1", "cb_nodes=1;x=2"}) {
    std::vector<std::string> notes;
    const auto variables = check_settings({{hint}, "", "", false}, Environment(), notes);
    ASSERT_FALSE(variables.ok()) << hint;
    EXPECT_NE(variables.error().message.find(hint), std::string::npos) << variables.error().message;
  }
}

TEST(RunSettings, HintOfOthersIsOnlyNoted) {
  std::vector<std::string> notes;
  EXPECT_TRUE(check_settings({{"others_thing=1"}, "", "", false}, Environment(), notes).ok());
  EXPECT_EQ(notes.size(), 1u);
  // Hints of well-known libraries are recognised by their names.
  EXPECT_TRUE(check_settings({{"gpfs_thing=1"}, "", "", false}, Environment(), notes).ok());
  EXPECT_EQ(notes.size(), 1u);
}

TEST(RunSettings, UnknownHintNamesTheNearest) {
  std::vector<std::string> notes;
  const auto variables = check_settings({{"concilio_metod=list"}, "", "", false}, Environment(), notes);
  ASSERT_FALSE(variables.ok());
  EXPECT_THAT(variables.error().message, HasSubstr("did you mean concilio_method?"));
  EXPECT_TRUE(check_settings({{"cb_node=1"}, "", "", false}, Environment(), notes).ok());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("did you mean cb_nodes?")));
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
  std::vector<std::string> notes;
  environment.set("ROMIO_HINTS", "/no/such/file");
  const auto variables = check_settings({}, environment, notes);
  ASSERT_FALSE(variables.ok());
  EXPECT_NE(variables.error().message.find("/no/such/file"), std::string::npos);
  environment.set("ROMIO_HINTS", "/dev/null");
  EXPECT_TRUE(check_settings({}, environment, notes).ok());
}

}  // namespace
}  // namespace concilio::tools
