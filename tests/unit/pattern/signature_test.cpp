#include "pattern/signature.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace concilio::pattern::signature_test {
namespace {

constexpr Item byte{ItemKind::bytes, 1, 1, 1};
constexpr Item number{ItemKind::signed_integer, 1, 8, 4};
constexpr Item wide{ItemKind::long_double, 1, 10, 16};

SignatureRef repeat(const SignatureRef& child, int64_t count) {
  return Signature::repeat(child, count).value();
}
SignatureRef sequence(const std::vector<SignatureRef>& parts) {
  return Signature::sequence(parts).value();
}

std::vector<Item> items_of(const Signature& signature, int64_t begin, int64_t end) {
  std::vector<Item> items;
  auto status = signature.for_each(begin, end, [&](const Item& item, int64_t count) -> Status {
    items.insert(items.end(), static_cast<size_t>(count), item);
    return {};
  });
  EXPECT_TRUE(status);
  return items;
}

// The expected answer for any position on any axis, found by counting.
void expect_as_counted(const Signature& signature, const std::vector<Item>& items) {
  std::vector<Place> boundaries = {{}};
  for (const Item& item : items) {
    const Place& last = boundaries.back();
    boundaries.push_back(
        {last.items + 1, last.native_bytes + item.native_bytes, last.file_bytes + item.file_bytes});
  }
  ASSERT_EQ(signature.total(), boundaries.back());
  for (Axis axis : {&Place::items, &Place::native_bytes, &Place::file_bytes}) {
    size_t expected = 0;
    for (int64_t position = -1; position <= boundaries.back().*axis + 2; ++position) {
      while (expected + 1 < boundaries.size() && boundaries[expected + 1].*axis <= position) ++expected;
      ASSERT_EQ(signature.at(axis, position), boundaries[expected]) << "position " << position;
    }
  }
}

TEST(Signature, OfNothingHasOneBoundary) {
  expect_as_counted(*Signature::empty(), {});
  EXPECT_EQ(repeat(Signature::item(byte), 0), Signature::empty());
  EXPECT_EQ(repeat(Signature::empty(), 7), Signature::empty());
  EXPECT_EQ(sequence({Signature::empty(), Signature::empty()}), Signature::empty());
  EXPECT_TRUE(items_of(*Signature::empty(), 0, 5).empty());
}

// A rank that lacked memory for it would leave a call of all ranks.
TEST(Signature, OfNothingTakesNoMemory) {
  EXPECT_EQ(Signature::empty().use_count(), 0);
  EXPECT_EQ(Signature::empty(), Signature::empty());
}

TEST(Signature, EqualNeighboursAreOneRun) {
  auto five =
      sequence({repeat(Signature::item(number), 2), Signature::empty(), repeat(Signature::item(number), 3)});
  EXPECT_EQ(five->memory_bytes(), Signature::item(number)->memory_bytes());
  expect_as_counted(*five, std::vector<Item>(5, number));
}

TEST(Signature, RepetitionOfARepetitionIsOne) {
  auto pair = sequence({Signature::item(byte), Signature::item(number)});
  EXPECT_EQ(repeat(repeat(pair, 3), 4)->memory_bytes(), repeat(pair, 12)->memory_bytes());
  EXPECT_EQ(repeat(repeat(pair, 3), 4)->total(), repeat(pair, 12)->total());
}

TEST(Signature, SeeksInABillionItemsWithoutExpandingThem) {
  auto element = sequence({repeat(Signature::item(byte), 3), Signature::item(wide)});
  auto all = repeat(element, 1'000'000'000);
  EXPECT_LE(all->memory_bytes(), 1000);
  EXPECT_EQ(all->total(), (Place{4'000'000'000, 13'000'000'000, 19'000'000'000}));
  constexpr int64_t before = 777'000'000;
  EXPECT_EQ(all->at(&Place::file_bytes, 19 * before + 18),
            (Place{4 * before + 3, 13 * before + 3, 19 * before + 3}));
  EXPECT_EQ(items_of(*all, 3'999'999'998, 4'000'000'009), (std::vector<Item>{byte, wide}));
  EXPECT_EQ(all->widest_item_bytes(), 16);
}

TEST(Signature, CountsTheMemoryOfAChildOnceHoweverOftenItHasIt) {
  auto nested = sequence({Signature::item(byte), Signature::item(number)});
  const int64_t each = nested->memory_bytes();
  constexpr int depth = 28;
  for (int i = 0; i < depth; ++i) nested = sequence({nested, Signature::item(byte), nested});
  EXPECT_LE(nested->memory_bytes(), (depth + 1) * each);
  // Each place of a child takes memory.
  const auto one = Signature::item(byte), other = Signature::item(number);
  std::vector<SignatureRef> parts;
  for (int i = 0; i < 1000; ++i) parts.push_back(i % 2 == 0 ? one : other);
  EXPECT_GE(sequence(parts)->memory_bytes(), static_cast<int64_t>(1000 * sizeof(SignatureRef)));
}

TEST(Signature, VisitEndsWithTheFirstError) {
  auto both = repeat(sequence({Signature::item(byte), Signature::item(number)}), 3);
  int visits = 0;
  auto status = both->for_each(0, 6, [&](const Item& item, int64_t) -> Status {
    ++visits;
    if (item == number) return Error{ErrorKind::conversion, 0, "no"};
    return {};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::conversion);
  EXPECT_EQ(visits, 2);
}

TEST(Signature, MoreThan64BitsCountIsAnError) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Signature::repeat(Signature::item(number), huge / 2).error().kind, ErrorKind::count);
  auto half = repeat(Signature::item(byte), huge / 2 + 1);
  EXPECT_EQ(Signature::repeat(half, 2).error().kind, ErrorKind::count);
  EXPECT_EQ(Signature::sequence(std::vector{half, half}).error().kind, ErrorKind::count);
  auto mixed = sequence({Signature::item(byte), Signature::item(number)});
  EXPECT_EQ(Signature::repeat(mixed, huge / 4).error().kind, ErrorKind::count);
}

TEST(Signature, TooDeepIsAnError) {
  SignatureRef deep = Signature::item(byte);
  for (int i = 0; i < Signature::max_depth; i += 2) {
    deep = repeat(sequence({deep, Signature::item(number)}), 1);
  }
  Result<SignatureRef> next = deep;
  for (int i = 0; next && i < Signature::max_depth; ++i)
    next = Signature::sequence(std::vector{*next, Signature::item(wide), Signature::item(byte)});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().kind, ErrorKind::unsupported);
}

// A random signature and its items, one by one.
struct Made {
  SignatureRef signature;
  std::vector<Item> items;
};

Made make(std::mt19937& random, int depth) {
  auto number_below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  if (depth == 0) {
    const Item all[] = {byte, number, wide};
    const Item item = all[number_below(3)];
    return {Signature::item(item), {item}};
  }
  Made made;
  if (number_below(2) == 0) {
    Made child = make(random, depth - 1);
    const int count = number_below(4);
    made.signature = repeat(child.signature, count);
    for (int i = 0; i < count; ++i)
      made.items.insert(made.items.end(), child.items.begin(), child.items.end());
    return made;
  }
  std::vector<SignatureRef> parts;
  for (int i = number_below(4); i > 0; --i) {
    Made child = make(random, depth - 1);
    parts.push_back(child.signature);
    made.items.insert(made.items.end(), child.items.begin(), child.items.end());
  }
  made.signature = sequence(parts);
  return made;
}

TEST(Signature, RandomTreesAreAsCounted) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    Made made = make(random, static_cast<int>(seed % 7));
    SCOPED_TRACE(seed);
    expect_as_counted(*made.signature, made.items);
    const auto count = static_cast<unsigned>(made.items.size());
    for (int i = 0; i < 10; ++i) {
      const auto begin = random() % (count + 1), end = begin + random() % (count - begin + 1);
      EXPECT_EQ(items_of(*made.signature, begin, end),
                std::vector<Item>(made.items.begin() + begin, made.items.begin() + end));
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace concilio::pattern::signature_test
