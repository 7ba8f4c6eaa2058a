// Settings as wishes.
#include "plan/facts/wishes.h"

#include <gtest/gtest.h>

namespace concilio::plan::wishes_test {
namespace {

Config with(std::initializer_list<std::pair<const char*, const char*>> hints) {
  Config config = Config::defaults();
  for (const auto& [name, value] : hints)
    EXPECT_TRUE(config.set(name, value, Config::Origin::info).ok()) << name;
  return config;
}

TEST(Wishes, OperationPicksItsOwnSettings) {
  const Config config =
      with({{"romio_cb_write", "enable"}, {"romio_ds_read", "disable"}, {"ind_rd_buffer_size", "7"}});
  EXPECT_EQ(wishes_of(config, Operation::write).collective, Choice3::enable);
  EXPECT_EQ(wishes_of(config, Operation::read).collective, Choice3::automatic);
  EXPECT_EQ(wishes_of(config, Operation::read).sieving, Choice3::disable);
  EXPECT_EQ(wishes_of(config, Operation::read).sieve_buffer_bytes, 7);
}

TEST(Wishes, OurNameForRealmsGoesBeforeRomios) {
  EXPECT_EQ(wishes_of(with({{"romio_cb_pfr", "enable"}}), Operation::write).realms, RealmPolicy::persistent);
  EXPECT_EQ(
      wishes_of(with({{"romio_cb_pfr", "enable"}, {"concilio_realms", "even"}}), Operation::write).realms,
      RealmPolicy::even);
  const Wishes blocks = wishes_of(with({{"romio_cb_fr_types", "4096"}}), Operation::write);
  EXPECT_EQ(blocks.realms, RealmPolicy::cyclic);
  EXPECT_EQ(blocks.realm_block_bytes, 4096);
}

TEST(Wishes, OnlyWhatIsGivenTakesTheirPlace) {
  Wishes wishes;
  wishes.aggregators = 5;
  wishes.window_bytes = 100;
  wishes.realms = RealmPolicy::balanced;
  wishes.forced_method = static_cast<int32_t>(Method::sieve);
  take_over_given(with({{"cb_nodes", "2"}, {"concilio_method", "auto"}}), Operation::write, wishes);
  EXPECT_EQ(wishes.aggregators, 2);
  EXPECT_EQ(wishes.window_bytes, 100);
  EXPECT_EQ(wishes.realms, RealmPolicy::balanced);
  EXPECT_EQ(wishes.forced_method, -1);
}

TEST(Wishes, StripesThatAreGivenTakeThePlaceOfTheStoragesOwn) {
  StorageFacts storage;
  storage.stripe_bytes = 10;
  storage.stripe_targets = 3;
  take_over_stripes(with({{"striping_unit", "64K"}}), storage);
  EXPECT_EQ(storage.stripe_bytes, 65536);
  EXPECT_EQ(storage.stripe_targets, 3);
}

}  // namespace
}  // namespace concilio::plan::wishes_test
