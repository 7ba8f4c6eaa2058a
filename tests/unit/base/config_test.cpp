#include "base/settings/config.h"
#include "base/text/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "base/settings/foreign_hints.h"

namespace concilio::config_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Origin = Config::Origin;

// Environment variables and a hints file for one test.
class ConfigFromEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    for (const Setting& setting : settings()) {
      if (setting.environment) unsetenv(setting.environment);
    }
    path_ = testing::TempDir() + "concilio_hints_" + std::to_string(getpid());
  }
  void TearDown() override {
    SetUp();
    unlink(path_.c_str());
  }
  void hints_file(const std::string& text) {
    std::ofstream(path_) << text;
    setenv("ROMIO_HINTS", path_.c_str(), 1);
  }
  std::string path_;
};

TEST(Settings, EveryDefaultIsAValueOfItsOwnHint) {
  Config config = Config::defaults();
  for (const Setting& setting : settings()) {
    if (!setting.hint) continue;
    const Status set = config.set(setting.hint, setting.default_value, Origin::info);
    EXPECT_TRUE(set) << set.error().message;
  }
}

TEST(Settings, NamesAreUsedOnce) {
  std::map<std::string, int> uses;
  for (const Setting& setting : settings()) {
    if (setting.hint) ++uses[setting.hint];
    if (setting.environment) ++uses[setting.environment];
    EXPECT_TRUE(setting.hint || setting.environment);
    EXPECT_EQ(std::string(setting.help).back(), '.');
  }
  for (const auto& [name, count] : uses) EXPECT_EQ(count, 1) << name;
}

TEST(Aliases, AreNoSettingsOwnNameAndNotPassedOver) {
  for (const Alias& alias : aliases()) {
    for (const Setting& setting : settings()) {
      EXPECT_FALSE(setting.hint && std::string(setting.hint) == alias.name) << alias.name;
    }
    EXPECT_NE(settings()[static_cast<size_t>(alias.key)].hint, nullptr);
    EXPECT_FALSE(is_foreign_hint(alias.name)) << alias.name;
  }
  for (const Setting& setting : settings()) EXPECT_FALSE(setting.hint && is_foreign_hint(setting.hint));
}

TEST(ConfigDefaults, TheValuesTheManualStates) {
  const Config config = Config::defaults();
  EXPECT_EQ(config.integer(Key::memory_limit), 8 << 20);
  EXPECT_EQ(config.integer(Key::ind_rd_buffer_size), 1 << 20);
  EXPECT_EQ(config.integer(Key::ind_wr_buffer_size), 512 << 10);
  EXPECT_EQ(config.integer(Key::cb_buffer_size), 0);
  EXPECT_EQ(config.integer(Key::cb_config_list), 0);
  EXPECT_EQ(config.integer(Key::romio_cb_write), 0);
  EXPECT_EQ(config.text(Key::romio_cb_write), "automatic");
  EXPECT_EQ(config.text(Key::method), "auto");
  EXPECT_EQ(config.integer(Key::lock_timeout_ms), 600000);
  EXPECT_EQ(config.text(Key::log_level), "warning");
  EXPECT_FALSE(config.boolean(Key::disable));
  EXPECT_EQ(config.origin(Key::method), Origin::default_value);
  EXPECT_THAT(config.complaints(), IsEmpty());
}

TEST(ConfigSet, BytesAreKeptAsAPlainNumber) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("cb_buffer_size", " 4MiB ", Origin::info));
  EXPECT_EQ(config.integer(Key::cb_buffer_size), 4 << 20);
  EXPECT_EQ(config.text(Key::cb_buffer_size), "4194304");
  EXPECT_EQ(config.origin(Key::cb_buffer_size), Origin::info);
}

TEST(ConfigSet, ChoicesAndBooleansInAnyCase) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("romio_cb_read", "DISABLE", Origin::info));
  EXPECT_EQ(config.integer(Key::romio_cb_read), 2);
  EXPECT_EQ(config.text(Key::romio_cb_read), "disable");
  ASSERT_TRUE(config.set("romio_no_indep_rw", "True", Origin::info));
  EXPECT_TRUE(config.boolean(Key::romio_no_indep_rw));
  ASSERT_TRUE(config.set("concilio_method", "two_phase", Origin::info));
  EXPECT_EQ(config.integer(Key::method), 4);
}

TEST(ConfigSet, MalformedValueLeavesTheOldOne) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("cb_nodes", "3", Origin::info));
  for (const char* bad : {"", "three", "3x", "-1", "99999999999999999999", "0x3", "3 4"}) {
    const Status set = config.set("cb_nodes", bad, Origin::info);
    ASSERT_FALSE(set) << bad;
    EXPECT_EQ(set.error().kind, ErrorKind::info_value);
    EXPECT_THAT(set.error().message, HasSubstr("cb_nodes"));
    EXPECT_THAT(set.error().message, HasSubstr(bad));
    EXPECT_THAT(set.error().message, HasSubstr("give 0 to 1000000000"));
  }
  EXPECT_EQ(config.integer(Key::cb_nodes), 3);
}

TEST(ConfigSet, ErrorOfAChoiceListsTheChoices) {
  Config config = Config::defaults();
  const Status set = config.set("concilio_flush", "never", Origin::info);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("auto|rmw|list"));
}

TEST(ConfigSet, MemoryLimitBelowAPage) {
  Config config = Config::defaults();
  const Status set = config.set("concilio_memory_limit", "100", Origin::info);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("4096"));
}

TEST(ConfigSet, ConfigListInRomiosForm) {
  const std::vector<std::pair<const char*, int64_t>> lists = {
      {"*:2", 2},     {"*:0", 0},     {"*:*", 0},   {"*", 1},       {"host", 1},
      {"a:2,b:3", 3}, {"a:9,*:2", 2}, {"a:1-4", 4}, {"a:*,b:2", 0}, {" a : 2 , * : 3 ", 3}};
  for (const auto& [text, number] : lists) {
    Config config = Config::defaults();
    const Status set = config.set("cb_config_list", text, Origin::info);
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(config.integer(Key::cb_config_list), number) << text;
  }
}

TEST(ConfigSet, MalformedConfigList) {
  for (const char* bad : {"", ":2", "*:x", "*:-1", "*:2-1", "*:2-", "a b:1", "a\nb:1", "a:1,,b:2"}) {
    Config config = Config::defaults();
    const Status set = config.set("cb_config_list", bad, Origin::info);
    ASSERT_FALSE(set) << bad;
    EXPECT_EQ(set.error().kind, ErrorKind::info_value);
    EXPECT_EQ(config.text(Key::cb_config_list), "*:*");
  }
}

TEST(ConfigSet, HintsOfOthersAreTakenWithoutAWord) {
  Config config = Config::defaults();
  for (const char* hint : {"access_style", "num_io_nodes", "romio_lustre_co_ratio", "ind_wr_lock", "sharedfp",
                           "nc_header_align_size", "start_iodevice"}) {
    EXPECT_TRUE(config.set(hint, "whatever", Origin::info)) << hint;
  }
}

TEST(ConfigSet, OtherNamesOfAHint) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("num_aggregators", "3", Origin::info));
  ASSERT_TRUE(config.set("stripe_size", "1M", Origin::info));
  ASSERT_TRUE(config.set("stripe_width", "4", Origin::info));
  ASSERT_TRUE(config.set("cb_block_size", "64K", Origin::info));
  EXPECT_EQ(config.integer(Key::cb_nodes), 3);
  EXPECT_EQ(config.integer(Key::striping_unit), 1 << 20);
  EXPECT_EQ(config.integer(Key::striping_factor), 4);
  EXPECT_EQ(config.integer(Key::romio_cb_fr_alignment), 64 << 10);
}

TEST(ConfigSet, CollectiveBufferingIsForReadsAndWrites) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("collective_buffering", "true", Origin::info));
  EXPECT_EQ(config.text(Key::romio_cb_read), "enable");
  EXPECT_EQ(config.text(Key::romio_cb_write), "enable");
  ASSERT_TRUE(config.set("collective_buffering", "False", Origin::info));
  EXPECT_EQ(config.text(Key::romio_cb_read), "disable");
  EXPECT_EQ(config.text(Key::romio_cb_write), "disable");
  const Status set = config.set("collective_buffering", "perhaps", Origin::info);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("collective_buffering: 'perhaps'"));
  EXPECT_EQ(config.text(Key::romio_cb_write), "disable");
}

TEST(ConfigRead, MeaningsInCanonicalForm) {
  const auto own = Config::read("cb_buffer_size", "1M");
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 1u);
  EXPECT_EQ(own->front().key, Key::cb_buffer_size);
  EXPECT_EQ(own->front().value, "1048576");
  EXPECT_FALSE(own->front().by_alias);
  const auto alias = Config::read("collective_buffering", "1");
  ASSERT_TRUE(alias);
  ASSERT_EQ(alias->size(), 2u);
  EXPECT_TRUE(alias->front().by_alias);
  const auto foreign = Config::read("access_style", "read_once");
  ASSERT_TRUE(foreign);
  EXPECT_TRUE(foreign->empty());
  for (const char* name :
       {"nc_var_align_size", "pnetcdf_subfiling", "cray_cb_nodes_multiplier", "IBM_largeblock_io",
        "panfs_layout_type", "romio_lustre_co_ratio", "overstriping_factor", "mca_io_ompio"}) {
    EXPECT_TRUE(Config::read(name, "1")) << name;
  }
  EXPECT_FALSE(Config::read("nobody_knows_it", "1"));
}

TEST(ConfigSet, PermissionsAreOctal) {
  Config config = Config::defaults();
  EXPECT_EQ(config.integer(Key::file_perm), 0666);
  ASSERT_TRUE(config.set("file_perm", "0640", Origin::info));
  EXPECT_EQ(config.integer(Key::file_perm), 0640);
  EXPECT_EQ(config.text(Key::file_perm), "640");
  for (const char* bad : {"", "rw-r--r--", "888", "1000", "-7", "64 0"}) {
    const Status set = config.set("file_perm", bad, Origin::info);
    ASSERT_FALSE(set) << bad;
    EXPECT_THAT(set.error().message, HasSubstr("such as 640"));
  }
  EXPECT_EQ(config.integer(Key::file_perm), 0640);
}

TEST(ConfigSet, SievingThresholdIsAPercentageOrBytes) {
  Config config = Config::defaults();
  EXPECT_EQ(config.integer(Key::romio_cb_ds_threshold), 0);
  for (const auto& [text, value] : {std::pair("50", 50), std::pair("16K", 16384), std::pair("101", 101)}) {
    EXPECT_TRUE(config.set("romio_cb_ds_threshold", text, Origin::info)) << text;
    EXPECT_EQ(config.integer(Key::romio_cb_ds_threshold), value);
  }
  for (const char* bad : {"-1", "many", "2T", "16KK"}) {
    EXPECT_EQ(config.set("romio_cb_ds_threshold", bad, Origin::info).error().kind, ErrorKind::info_value)
        << bad;
  }
  EXPECT_EQ(config.integer(Key::romio_cb_ds_threshold), 101);
}

TEST(ConfigTell, WhatConcilioSaysIsNotTheProgramsToSet) {
  Config config = Config::defaults();
  config.tell(Key::filesystem_type, "Concilio on ext4");
  config.tell(Key::visibility_immediate, "false");
  EXPECT_TRUE(config.set("romio_filesystem_type", "LUSTRE", Origin::info));
  EXPECT_TRUE(config.set("romio_visibility_immediate", "true", Origin::environment));
  EXPECT_EQ(config.text(Key::filesystem_type), "Concilio on ext4");
  EXPECT_EQ(config.text(Key::visibility_immediate), "false");
}

TEST(ConfigHasHintsOf, TellsValuesAndWhoSetThem) {
  const Config plain = Config::defaults();
  Config by_program = plain, by_user = plain, another = plain;
  ASSERT_TRUE(by_program.set("cb_nodes", "3", Origin::info));
  ASSERT_TRUE(by_user.set("cb_nodes", "3", Origin::environment));
  ASSERT_TRUE(another.set("cb_nodes", "4", Origin::info));
  const Config all[] = {plain, by_program, by_user, another};
  for (const Config& one : all) {
    for (const Config& other : all) {
      EXPECT_EQ(one.has_hints_of(other), &one == &other);
      EXPECT_EQ(one.hints_hash() == other.hints_hash(), &one == &other);
    }
  }
}

TEST(ConfigAdoptHints, AnotherRanksHintsAndWhoSetThem) {
  Config config = Config::defaults(), other = Config::defaults();
  ASSERT_TRUE(config.set("cb_nodes", "3", Origin::environment));
  ASSERT_TRUE(config.set("cb_config_list", "a:1,*:2", Origin::info));
  ASSERT_TRUE(other.set("romio_cb_read", "enable", Origin::environment));
  other.adopt_hints(config.hints_as_text());
  EXPECT_EQ(other.hints_as_text(), config.hints_as_text());
  EXPECT_TRUE(other.has_hints_of(config));
  EXPECT_EQ(other.hints_hash(), config.hints_hash());
  EXPECT_EQ(other.text(Key::romio_cb_read), "automatic");
  EXPECT_TRUE(other.fixed_by_user(Key::cb_nodes));
  EXPECT_FALSE(other.fixed_by_user(Key::cb_config_list));
  EXPECT_EQ(other.integer(Key::cb_config_list), 2);
}

TEST(ConfigSet, UnknownHintOfOursNamesTheNearest) {
  Config config = Config::defaults();
  const Status set = config.set("concilio_memory", "1M", Origin::info);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(set.error().message, HasSubstr("did you mean concilio_memory_limit?"));
}

TEST(ConfigSet, MisspeltHintOfRomioNamesTheNearest) {
  Config config = Config::defaults();
  const Status set = config.set("cb_bufer_size", "1M", Origin::info);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(set.error().message, HasSubstr("did you mean cb_buffer_size?"));
}

TEST(ConfigSet, UnknownHintThatResemblesNothing) {
  Config config = Config::defaults();
  for (const std::string& hint : {std::string("colour"), std::string(100'000, 'x'), std::string()}) {
    const Status set = config.set(hint, "1", Origin::info);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(set.error().message.find("did you mean"), std::string::npos);
    EXPECT_THAT(set.error().message, HasSubstr("`concilio hints` lists them all"));
  }
}

TEST(ConfigSet, SettingsOfTheProcessAreNoHints) {
  Config config = Config::defaults();
  EXPECT_FALSE(config.set("disable", "true", Origin::info));
  EXPECT_FALSE(config.boolean(Key::disable));
}

TEST(ConfigEffectiveHints, EverySettingThatIsAHint) {
  Config config = Config::defaults();
  ASSERT_TRUE(config.set("cb_nodes", "5", Origin::info));
  std::map<std::string, std::string> hints;
  config.for_each_hint([&](const char* name, const std::string& value) { hints[name] = value; });
  EXPECT_EQ(hints["cb_nodes"], "5");
  EXPECT_EQ(hints["concilio_memory_limit"], "8388608");
  EXPECT_EQ(hints["romio_ds_write"], "automatic");
  EXPECT_EQ(hints["file_perm"], "666");
  EXPECT_EQ(hints["romio_visibility_immediate"], "true");
  EXPECT_EQ(hints["romio_cb_pfr"], "disable");
  EXPECT_EQ(hints["concilio_realms"], "auto");
  EXPECT_EQ(hints["concilio_combine_nodes"], Config::defaults().text(Key::combine));
  EXPECT_EQ(hints["concilio_pipelining"], "auto");
  EXPECT_EQ(hints.size(), 40u);
}

TEST_F(ConfigFromEnvironment, NothingSetGivesTheDefaults) {
  const Config config = Config::from_environment();
  for (const Setting& setting : settings()) {
    EXPECT_EQ(config.text(setting.key), Config::defaults().text(setting.key));
    EXPECT_EQ(config.origin(setting.key), Origin::default_value);
  }
  EXPECT_THAT(config.complaints(), IsEmpty());
}

TEST_F(ConfigFromEnvironment, EmptyVariableIsAsIfUnset) {
  setenv("CONCILIO_DISABLE", "", 1);
  setenv("ROMIO_HINTS", "", 1);
  const Config config = Config::from_environment();
  EXPECT_FALSE(config.boolean(Key::disable));
  EXPECT_THAT(config.complaints(), IsEmpty());
}

TEST_F(ConfigFromEnvironment, OneSettingIsAskedForAlone) {
  EXPECT_FALSE(asked_in_environment(Key::threads));
  setenv("ROMIO_HINTS", "/nonexistent/hints", 1);
  setenv("CONCILIO_THREADS", " On ", 1);
  EXPECT_TRUE(asked_in_environment(Key::threads));
  for (const char* no : {"0", "false", "perhaps", ""}) {
    setenv("CONCILIO_THREADS", no, 1);
    EXPECT_FALSE(asked_in_environment(Key::threads)) << no;
  }
}

// As in ROMIO.
TEST_F(ConfigFromEnvironment, OfHintsThatAFileGivesTwiceTheFirstCounts) {
  hints_file("ind_rd_buffer_size 49\nind_rd_buffer_size 60\nromio_no_indep_rw true\n");
  const Config config = Config::from_environment();
  EXPECT_EQ(config.integer(Key::ind_rd_buffer_size), 49);
  EXPECT_TRUE(config.boolean(Key::romio_no_indep_rw));
  EXPECT_THAT(config.complaints(), ElementsAre(HasSubstr("line 2: hint ind_rd_buffer_size is given again")));
}

TEST_F(ConfigFromEnvironment, OwnNameWinsOverHintListOverHintsFile) {
  hints_file("concilio_memory_limit 1M\nconcilio_method list\ncb_nodes 2\n");
  setenv("CONCILIO_HINTS", "concilio_memory_limit=2M; concilio_method=sieve", 1);
  setenv("CONCILIO_MEMORY_LIMIT", "3M", 1);
  const Config config = Config::from_environment();
  EXPECT_THAT(config.complaints(), IsEmpty());
  EXPECT_EQ(config.integer(Key::memory_limit), 3 << 20);
  EXPECT_EQ(config.text(Key::method), "sieve");
  EXPECT_EQ(config.integer(Key::cb_nodes), 2);
  EXPECT_EQ(config.origin(Key::memory_limit), Origin::environment);
  EXPECT_EQ(config.origin(Key::cb_nodes), Origin::hints_file);
}

TEST_F(ConfigFromEnvironment, ProgramsHintYieldsToTheUsers) {
  hints_file("cb_nodes 2\n");
  setenv("CONCILIO_METHOD", "list", 1);
  Config config = Config::from_environment();
  EXPECT_TRUE(config.set("cb_nodes", "7", Origin::info));
  EXPECT_TRUE(config.set("concilio_method", "sieve", Origin::info));
  EXPECT_TRUE(config.set("cb_buffer_size", "1M", Origin::info));
  EXPECT_EQ(config.integer(Key::cb_nodes), 2);
  EXPECT_EQ(config.text(Key::method), "list");
  EXPECT_EQ(config.integer(Key::cb_buffer_size), 1 << 20);
}

TEST_F(ConfigFromEnvironment, HintsFileWithCommentsBlankLinesAndCarriageReturns) {
  hints_file(
      "# a comment\n\n  cb_nodes\t4  \r\ncb_buffer_size 1M # why\nromio_cb_pfr disable\nromio_cb_read "
      "enable");
  const Config config = Config::from_environment();
  EXPECT_THAT(config.complaints(), IsEmpty());
  EXPECT_EQ(config.integer(Key::cb_nodes), 4);
  EXPECT_EQ(config.integer(Key::cb_buffer_size), 1 << 20);
  EXPECT_EQ(config.text(Key::romio_cb_read), "enable");
}

TEST_F(ConfigFromEnvironment, MalformedLinesAreNamedAndTheOthersTaken) {
  hints_file("cb_nodes\ncb_nodes 3\ncb_nodes 4 5\nromio_cb_read perhaps\n");
  const Config config = Config::from_environment();
  EXPECT_EQ(config.integer(Key::cb_nodes), 3);
  EXPECT_THAT(config.complaints(),
              ElementsAre(HasSubstr(path_ + ", line 1: 'cb_nodes'"), HasSubstr("line 3: "),
                          HasSubstr("line 4: hint romio_cb_read: 'perhaps'")));
}

TEST_F(ConfigFromEnvironment, HintsFileThatIsMissing) {
  setenv("ROMIO_HINTS", "/nonexistent/hints", 1);
  const Config config = Config::from_environment();
  EXPECT_THAT(config.complaints(),
              ElementsAre("the hints file /nonexistent/hints is not used: it cannot be read: No such file or "
                          "directory; correct ROMIO_HINTS or unset it"));
}

TEST_F(ConfigFromEnvironment, HintsFileThatIsADirectoryOrAPipeOrEndless) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  for (const std::string& path : {testing::TempDir(), path_, std::string("/dev/zero")}) {
    setenv("ROMIO_HINTS", path.c_str(), 1);
    EXPECT_THAT(Config::from_environment().complaints(), ElementsAre(HasSubstr("is not a regular file")));
  }
}

TEST_F(ConfigFromEnvironment, HintsFileThatIsHuge) {
  hints_file(std::string(2 << 20, '\n'));
  EXPECT_THAT(Config::from_environment().complaints(), ElementsAre(HasSubstr("is larger than 1 MiB")));
}

TEST_F(ConfigFromEnvironment, MalformedVariablesAreNamed) {
  setenv("CONCILIO_MEMORY_LIMIT", "plenty", 1);
  setenv("CONCILIO_HINTS", "cb_nodes=1;;cb_nodes;concilio_flusch=rmw;", 1);
  setenv("CONCILIO_LOG", "loud", 1);
  const Config config = Config::from_environment();
  EXPECT_EQ(config.integer(Key::memory_limit), 8 << 20);
  EXPECT_EQ(config.integer(Key::cb_nodes), 1);
  EXPECT_THAT(config.complaints(),
              ElementsAre(HasSubstr("CONCILIO_HINTS: 'cb_nodes'"), HasSubstr("did you mean concilio_flush?"),
                          HasSubstr("CONCILIO_MEMORY_LIMIT: 'plenty'"), HasSubstr("CONCILIO_LOG: 'loud'")));
}

TEST(ParseBytes, SuffixesArePowersOf1024) {
  const std::vector<std::pair<const char*, int64_t>> cases = {
      {"0", 0},          {"4096", 4096},  {"4k", 4096},
      {"4K", 4096},      {"4KB", 4096},   {"4KiB", 4096},
      {"4 KiB", 4096},   {"1M", 1 << 20}, {"2GiB", 2LL << 30},
      {"1t", 1LL << 40}, {"12B", 12},     {"9223372036854775807", INT64_MAX}};
  for (const auto& [text, bytes] : cases) {
    const Result<int64_t> parsed = parse_bytes(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, bytes) << text;
  }
}

TEST(ParseBytes, WhatIsNoNumberOfBytes) {
  for (const char* bad :
       {"", "k", "4Q", "4Ki B", "4Ki", "1.5M", "4BB", "9223372036854775808", "9000000T", "4  K"}) {
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  }
}

TEST(FormatBytes, TheLargestUnitThatFits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(8 << 20), "8 MiB");
  EXPECT_EQ(format_bytes(INT64_MAX), "8 EiB");
  EXPECT_EQ(format_bytes(-1536), "-1.5 KiB");
}

}  // namespace
}  // namespace concilio::config_test
