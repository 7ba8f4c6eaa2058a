// One rank, or every rank, passes an invalid argument. The call must return FAILURE on all ranks with a
// message, and the file must still work.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>

#include "checks.h"

using namespace scorpio_checks;

namespace {

constexpr int64_t very_many = std::numeric_limits<int64_t>::max();

// The arguments of a call on this rank. Right ones write or read a row of four integers for each rank.
struct Arguments {
  std::vector<int64_t> global, local, start, map;
  datatype_t type = SCORPIO_INTEGER;
  int ndims = 2;
  int64_t nlocal = 1;
  std::string dataset = "d";
  int handle = FAILURE;
  bool no_data = false, no_name = false, no_global = false, no_local = false, no_start = false,
       no_map = false;
  std::vector<int> data = std::vector<int>(64, 7);

  explicit Arguments(File& file)
      : global{context.ranks, 4, 1},
        local{1, 4, 1},
        start{context.rank, 0, 0},
        map{context.rank},
        handle(file) {}

  void* data_or_null() { return no_data ? nullptr : data.data(); }
  const char* name() const { return no_name ? nullptr : dataset.c_str(); }
  const int64_t* global_or_null() const { return no_global ? nullptr : global.data(); }
  const int64_t* local_or_null() const { return no_local ? nullptr : local.data(); }
};

using Call = std::function<int(Arguments&, File&)>;

const Call write_block = [](Arguments& a, File& file) {
  return scorpio_write_dataset_block_64(a.data_or_null(), a.type, a.ndims, a.global_or_null(),
                                        a.local_or_null(), a.no_start ? nullptr : a.start.data(), a.handle,
                                        a.name(), file.group());
};
const Call read_block = [](Arguments& a, File& file) {
  return scorpio_read_dataset_block_64(a.data_or_null(), a.type, a.ndims, a.global_or_null(),
                                       a.local_or_null(), a.no_start ? nullptr : a.start.data(), a.handle,
                                       a.name(), file.group());
};
const Call write_uniform = [](Arguments& a, File& file) {
  return scorpio_write_dataset_64(a.data_or_null(), a.type, a.ndims, a.global_or_null(), a.local_or_null(),
                                  a.handle, a.name(), file.group(), SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
};
const Call read_nonuniform = [](Arguments& a, File& file) {
  return scorpio_read_dataset_64(a.data_or_null(), a.type, a.ndims, a.global_or_null(), a.local_or_null(),
                                 a.handle, a.name(), file.group(), SCORPIO_NONUNIFORM_CONTIGUOUS_READ);
};
const Call read_noncontiguous = [](Arguments& a, File& file) {
  return scorpio_read_dataset_64(a.data_or_null(), a.type, a.ndims, a.global_or_null(), a.local_or_null(),
                                 a.handle, a.name(), file.group(), SCORPIO_NONCONTIGUOUS_READ);
};
const Call write_map = [](Arguments& a, File& file) {
  return scorpio_write_dataset_map(a.data_or_null(), a.type, a.ndims, a.global_or_null(), a.nlocal,
                                   a.no_map ? nullptr : a.map.data(), a.handle, a.name(), file.group());
};
const Call read_map = [](Arguments& a, File& file) {
  return scorpio_read_dataset_map(a.data_or_null(), a.type, a.ndims, a.global_or_null(), a.nlocal,
                                  a.no_map ? nullptr : a.map.data(), a.handle, a.name(), file.group());
};

using Spoiling = std::function<void(Arguments&)>;

// The call must fail if the first rank passes this wrong argument, and if the last rank does.
void expect_each_fails(const std::vector<Call>& calls,
                       const std::vector<std::pair<const char*, Spoiling>>& wrongs,
                       bool file_is_known = true) {
  File file("h5");
  file.works("d");
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const auto& [what, spoil] : wrongs) {
      for (int wrong_rank : std::set<int>{0, context.ranks - 1}) {
        Arguments arguments(file);
        const bool wrong = context.rank == wrong_rank;
        if (wrong) spoil(arguments);
        const int code = calls[i](arguments, file);
        const std::string text =
            "call " + std::to_string(i) + ", rank " + std::to_string(wrong_rank) + ": " + what;
        ALL_FAIL(code, file_is_known ? file.path() : "");
        if (code != FAILURE) note_failure(__FILE__, __LINE__, text);
      }
    }
  }
  file.works("d");
  file.works("other");
}

}  // namespace

SITUATION(Arguments, WrongBlocks) {
  expect_each_fails({write_block, read_block},
                    {{"start too large", [](Arguments& a) { a.start[0] = context.ranks; }},
                     {"beyond the end", [](Arguments& a) { a.start[1] = 1; }},
                     {"negative start", [](Arguments& a) { a.start[1] = -1; }},
                     {"negative extent", [](Arguments& a) { a.local[1] = -4; }},
                     {"two negative extents",
                      [](Arguments& a) {
                        a.local = {-1, -4, 1};
                      }},
                     {"end overflows", [](Arguments& a) { a.start[1] = very_many - 1; }},
                     {"extent overflows", [](Arguments& a) { a.local[1] = very_many; }},
                     {"no data", [](Arguments& a) { a.no_data = true; }},
                     {"no starts", [](Arguments& a) { a.no_start = true; }},
                     {"no extents", [](Arguments& a) { a.no_local = true; }}});
}

SITUATION(Arguments, WrongDatasets) {
  const std::vector<std::pair<const char*, Spoiling>> wrongs = {
      {"no name", [](Arguments& a) { a.no_name = true; }},
      {"no name at all", [](Arguments& a) { a.dataset.clear(); }},
      {"no global extents", [](Arguments& a) { a.no_global = true; }},
      {"ndims 0", [](Arguments& a) { a.ndims = 0; }},
      {"ndims negative", [](Arguments& a) { a.ndims = -2; }},
      {"ndims huge", [](Arguments& a) { a.ndims = 1 << 30; }},
      {"other extents", [](Arguments& a) { a.global[0] += 1; }},
      {"negative global", [](Arguments& a) { a.global[0] = -1; }},
      {"no such type", [](Arguments& a) { a.type = static_cast<datatype_t>(42); }},
      {"strings", [](Arguments& a) { a.type = SCORPIO_STRING; }},
  };
  expect_each_fails({write_block, read_block, write_uniform, read_nonuniform, write_map, read_map}, wrongs);
}

SITUATION(Arguments, RanksThatDisagree) {
  if (context.ranks == 1) return;
  expect_each_fails({write_block, read_block, write_uniform, read_nonuniform, write_map, read_map},
                    {{"other name", [](Arguments& a) { a.dataset = "e"; }},
                     {"longer name", [](Arguments& a) { a.dataset = std::string(5000, 'n'); }},
                     {"other ndims", [](Arguments& a) { a.ndims = 1; }},
                     {"more dimensions", [](Arguments& a) { a.ndims = 3; }},
                     {"other type", [](Arguments& a) { a.type = SCORPIO_FLOAT; }}});
}

SITUATION(Arguments, RanksWithWrongHandles) {
  expect_each_fails({write_block, read_block, write_uniform, read_nonuniform, write_map, read_map},
                    {{"no such file", [](Arguments& a) { a.handle = 77; }},
                     {"negative file", [](Arguments& a) { a.handle = -1; }}},
                    false);
}

SITUATION(Arguments, WrongPartsOfRows) {
  expect_each_fails({write_uniform, read_nonuniform, read_noncontiguous},
                    {{"too many rows", [](Arguments& a) { a.local[0] = context.ranks + 1; }},
                     {"too long rows", [](Arguments& a) { a.local[1] = 5; }},
                     {"negative rows", [](Arguments& a) { a.local[0] = -1; }},
                     {"overflowing rows", [](Arguments& a) { a.local[0] = very_many; }},
                     {"no data", [](Arguments& a) { a.no_data = true; }}});
}

SITUATION(Arguments, WrongMaps) {
  expect_each_fails({write_map, read_map},
                    {{"beyond the end", [](Arguments& a) { a.map[0] = context.ranks; }},
                     {"negative", [](Arguments& a) { a.map[0] = -1; }},
                     {"huge", [](Arguments& a) { a.map[0] = very_many; }},
                     {"negative count", [](Arguments& a) { a.nlocal = -1; }},
                     {"no map", [](Arguments& a) { a.no_map = true; }},
                     {"no data", [](Arguments& a) { a.no_data = true; }}});
}

SITUATION(Arguments, NewDatasetsThatCannotBe) {
  File file("h5");
  for (const auto& global : {std::vector<int64_t>{int64_t{1} << 62, 8}, {very_many, very_many}, {-5, 4}}) {
    const int64_t local[] = {0, 0}, start[] = {0, 0};
    ALL_FAIL(scorpio_write_dataset_block_64(nullptr, SCORPIO_DOUBLE, 2, global.data(), local, start, file,
                                            "huge", file.group()),
             file.path(), "huge");
  }
  EXPECT(scorpio_dataset_exists("huge", file, file.group()) == 0);
  file.works("d");
}

SITUATION(Arguments, WrongPatterns) {
  File file("h5");
  file.works("d");
  const int global[] = {context.ranks, 4}, local[] = {1, 4};
  int data[64] = {};
  for (iopattern_t pattern : {SCORPIO_UNIFORM_CONTIGUOUS_READ, SCORPIO_EVERYONE_ENTIRE_DATASET_READ,
                              static_cast<iopattern_t>(7), static_cast<iopattern_t>(-1)}) {
    ALL_FAIL(scorpio_write_dataset(data, SCORPIO_INTEGER, 2, global, local, file, "d", file.group(), pattern),
             "d");
  }
  for (iopattern_t pattern :
       {SCORPIO_UNIFORM_CONTIGUOUS_WRITE, SCORPIO_NONCONTIGUOUS_WRITE, static_cast<iopattern_t>(99)}) {
    ALL_FAIL(scorpio_read_dataset(data, SCORPIO_INTEGER, 2, global, local, file, "d", file.group(), pattern),
             "d");
  }
  if (context.ranks > 1) {
    // One rank passes another pattern.
    ALL_FAIL(scorpio_read_dataset(
                 data, SCORPIO_INTEGER, 2, global, local, file, "d", file.group(),
                 context.rank == 1 ? SCORPIO_NONUNIFORM_CONTIGUOUS_READ : SCORPIO_UNIFORM_CONTIGUOUS_READ),
             "d");
  }
  file.works("d");
}

SITUATION(Arguments, WrongHandles) {
  File file("h5");
  file.works("d");
  int found = 0;
  for (int handle : {-1, 1, 1000000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    ALL_FAIL(scorpio_get_dataset_ndims(&found, handle, "d", file.group()));
    ALL_FAIL(scorpio_dataset_exists("d", handle, file.group()));
    ALL_FAIL(scorpio_group_exists("/", handle, file.group()));
    ALL_FAIL(scorpio_close_file(handle, file.group()));
    ALL_FAIL(scorpio_create_dataset_group("g", handle, file.group()));
    ALL_FAIL(scorpio_write_simple_attr("a", &found, SCORPIO_INTEGER, handle, "d", file.group()));
    ALL_FAIL(scorpio_set_creation(nullptr, handle, file.group()));
  }
  ALL_FAIL(scorpio_close_dataset_group(12345678, file, file.group()));
  ALL_FAIL(scorpio_close_dataset_group(-1, file, file.group()));
  const int second = scorpio_open_file(path_of("second").c_str(), file.group(), SCORPIO_FILE_CREATE);
  OK(second);
  EXPECT(second != file);
  OK(scorpio_close_file(second, file.group()));
  ALL_FAIL(scorpio_close_file(second, file.group()));
  ALL_FAIL(scorpio_get_dataset_ndims(&found, second, "d", file.group()));
  file.works("d");
}

SITUATION(Arguments, GroupsThatCannotBe) {
  iogroup_t none = {};
  ALL_FAIL(scorpio_open_file(path_of("h5").c_str(), &none, SCORPIO_FILE_CREATE));
  ALL_FAIL(scorpio_open_file(path_of("h5").c_str(), nullptr, SCORPIO_FILE_CREATE));
  ALL_FAIL(scorpio_close_file(0, nullptr));
  ALL_FAIL(scorpio_IOgroup_cleanup(nullptr));
  ALL_FAIL(scorpio_IOgroup_cleanup(&none));
  iogroup_conf_t conf = {1, 0, MPI_COMM_WORLD};
  ALL_FAIL(scorpio_IOgroup_init(nullptr, &none));
  ALL_FAIL(scorpio_IOgroup_init(&conf, nullptr));
  conf.commIncoming = MPI_COMM_NULL;
  ALL_FAIL(scorpio_IOgroup_init(&conf, &none));
  if (context.ranks > 1) {
    conf = {context.rank == 1 ? 1 : 2, 0, MPI_COMM_WORLD};
    ALL_FAIL(scorpio_IOgroup_init(&conf, &none));
  }
  EXPECT(scorpio_peak_buffer_bytes(nullptr) <= 0);
  // The group is freed twice.
  conf = {1, 0, MPI_COMM_WORLD};
  OK(scorpio_IOgroup_init(&conf, &none));
  OK(scorpio_IOgroup_cleanup(&none));
  ALL_FAIL(scorpio_IOgroup_cleanup(&none));
  File("h5").works("d");
}

// Rank 1 waits for its root, rank 0, which does not come but goes on to a call of all ranks.
SITUATION(Arguments, CallsThatTheRootDoesNotMake) {
  if (context.ranks == 1) return;
  Group group(1);
  const int handle = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_CREATE);
  OK(handle);
  const int value = 3, global[] = {context.ranks}, local[] = {1};
  const auto all_write = [&] {
    OK(scorpio_write_dataset(&value, SCORPIO_INTEGER, 1, global, local, handle, "d", group,
                             SCORPIO_UNIFORM_CONTIGUOUS_WRITE));
  };
  const auto write_attribute = [&] {
    return scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, handle, "/", group);
  };
  // First in the file, after a call that the root has made alone, and again.
  if (context.rank == 1) FAILS(write_attribute(), "calls differ", "does not");
  all_write();
  if (context.rank == 0) OK(write_attribute());
  all_write();
  if (context.rank == 1) FAILS(write_attribute(), "calls differ", "does not");
  if (context.rank == 1) FAILS(write_attribute(), "calls differ", "does not");
  all_write();
  // In between the root makes another call of this kind.
  if (context.rank == 0) OK(scorpio_create_link("/d", 0, "link", handle, group));
  if (context.rank == 1) FAILS(write_attribute(), "calls differ", "root links link to /d");
  all_write();
  // While rank 1 comes late, its root tells it that it need not wait. This is no news for later calls.
  if (context.rank == 1) usleep(300'000);
  all_write();
  OK(write_attribute());
  // A file is closed twice by rank 1, and once by its root.
  const int closed = scorpio_open_file(path_of("closed").c_str(), group, SCORPIO_FILE_CREATE);
  OK(closed);
  OK(scorpio_close_file(closed, group));
  all_write();
  if (context.rank == 1) FAILS(scorpio_close_file(closed, group), "no handle");
  all_write();
  OK(scorpio_close_file(handle, group));
}

// The library chooses other roots for the second file than for the first.
SITUATION(Arguments, FilesWithDifferentRoots) {
  if (context.ranks == 1) return;
  Group group(0);
  const auto open = [&](const char* name) {
    const int handle = scorpio_open_file(path_of(name).c_str(), group, SCORPIO_FILE_CREATE);
    OK(handle);
    return handle;
  };
  const int first = open("first"), longer = open("longer");
  const bool root = group->localrank == 0;
  const int roots = group->numIOgroups;
  OK(scorpio_set_expected_bytes(int64_t{1} << 40, group));
  const int second = open("second");
  EXPECT(group->numIOgroups > roots);
  // The roots alone close the first file, which the other ranks then use too.
  if (root) OK(scorpio_close_file(first, group));
  int value = 0;
  ALL_FAIL(scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, first, "/", group), "no handle");
  ALL_FAIL(scorpio_get_dataset_ndims(&value, first, "d", group), "no handle");
  // The last rank waits for its root of one file, while that root is in a call on the other file.
  if (context.rank == context.ranks - 1)
    FAILS(scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, longer, "/", group), "calls differ");
  EXPECT(scorpio_dataset_exists("d", second, group) == 0);
}

// The groups have files with the same handle. Every rank is a root.
SITUATION(Arguments, RanksWithDifferentGroups) {
  if (context.ranks == 1) return;
  Group first(context.ranks), second(context.ranks);
  const int handle = scorpio_open_file(path_of("first").c_str(), first, SCORPIO_FILE_CREATE);
  OK(handle);
  EXPECT(scorpio_open_file(path_of("second").c_str(), second, SCORPIO_FILE_CREATE) == handle);
  iogroup_t* mine = context.rank == 0 ? static_cast<iogroup_t*>(first) : second;
  const int global[] = {context.ranks}, local[] = {1};
  const int value = context.rank;
  const auto write = [&](iogroup_t* group) {
    return scorpio_write_dataset(&value, SCORPIO_INTEGER, 1, global, local, handle, "d", group,
                                 SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
  };
  ALL_FAIL(scorpio_set_buffer_bytes(8192, mine), "calls differ");
  ALL_FAIL(scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, handle, "/", mine), "calls differ");
  ALL_FAIL(write(mine), "calls differ");
  ALL_FAIL(scorpio_close_file(handle, mine), "calls differ");
  ALL_FAIL(scorpio_IOgroup_cleanup(mine), "calls differ");
  OK(write(first));
  OK(write(second));
}

SITUATION(Arguments, SettingsThatCannotBe) {
  File file("h5");
  for (int64_t bytes : {int64_t{-1}, int64_t{1}, int64_t{4095}, std::numeric_limits<int64_t>::min()}) {
    ALL_FAIL(scorpio_set_buffer_bytes(bytes, file.group()));
  }
  ALL_FAIL(scorpio_set_expected_bytes(-1, file.group()));
  if (context.ranks > 1) ALL_FAIL(scorpio_set_buffer_bytes(context.rank == 1 ? 4096 : 8192, file.group()));
  const int64_t chunk[] = {0, 4}, negative[] = {1, -4};
  scorpio_creation_t wrong[] = {{2, chunk, 0, 0, nullptr},    {2, negative, 0, 0, nullptr},
                                {-1, chunk, 0, 0, nullptr},   {2, nullptr, 0, 0, nullptr},
                                {0, nullptr, 10, 0, nullptr}, {0, nullptr, -1, 0, nullptr}};
  for (const scorpio_creation_t& creation : wrong)
    ALL_FAIL(scorpio_set_creation(&creation, file, file.group()));
  file.works("d");
  // Chunks that are larger than the dataset are refused, or made as large as the dataset.
  const int64_t large[] = {1000, 1000};
  const scorpio_creation_t creation = {2, large, 1, 1, nullptr};
  OK(scorpio_set_creation(&creation, file, file.group()));
  const int global[] = {context.ranks, 4}, local[] = {1, 4};
  int data[4] = {1, 2, 3, 4}, found[4] = {};
  const int code = scorpio_write_dataset(data, SCORPIO_INTEGER, 2, global, local, file, "large", file.group(),
                                         SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
  if (code == 0) {
    OK(scorpio_read_dataset(found, SCORPIO_INTEGER, 2, global, local, file, "large", file.group(),
                            SCORPIO_UNIFORM_CONTIGUOUS_READ));
    EXPECT(std::equal(data, data + 4, found));
  } else {
    ALL_FAIL(code, "large");
  }
  OK(scorpio_set_creation(nullptr, file, file.group()));
  file.works("e");
}
