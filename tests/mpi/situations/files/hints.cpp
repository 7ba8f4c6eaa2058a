// Hints.
#include <concilio/file.h>
#include <sys/stat.h>

#include <map>

#include "situations/situation.h"

using namespace situations;

namespace {

std::map<std::string, std::string> hints_of(MPI_File file) {
  std::map<std::string, std::string> result;
  MPI_Info info = MPI_INFO_NULL;
  OK(MPI_File_get_info(file, &info));
  if (info == MPI_INFO_NULL) return result;
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1], text[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &flag);
    if (flag) result[key] = text;
  }
  MPI_Info_free(&info);
  return result;
}

void expect_works(MPI_File file) {
  const std::vector<uint8_t> mine = values(context.rank, 50);
  std::vector<uint8_t> back(50, 0);
  OK(MPI_File_write_at_all(file, context.rank * 50, mine.data(), 50, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, context.rank * 50, back.data(), 50, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

}  // namespace

SITUATION(Hints, GetInfoReturnsTheEffectiveOnes, not_own) {
  const std::string path = context.fresh_file("get-info");
  File file(
      path, MPI_MODE_CREATE | MPI_MODE_RDWR,
      Info{{"cb_buffer_size", "123456"}, {"romio_ds_write", "disable"}, {"concilio_method", "two_phase"}});
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("123456"), hints["cb_buffer_size"]);
  EXPECT_EQUAL(std::string("disable"), hints["romio_ds_write"]);
  EXPECT_EQUAL(std::string("two_phase"), hints["concilio_method"]);
  for (const char* name :
       {"cb_config_list", "romio_cb_read", "romio_cb_write", "romio_ds_read", "ind_rd_buffer_size",
        "ind_wr_buffer_size", "romio_no_indep_rw", "concilio_memory_limit"}) {
    EXPECT(hints.count(name) == 1);
  }
  // Chosen call by call. A program that divides by it must not be told 0.
  EXPECT(hints.count("cb_nodes") == 0);
}

// The longest value that a program can give becomes longer where sizes are told in bytes.
SITUATION(Hints, TooLongToBeTold, not_own) {
  const std::string path = context.fresh_file("long-hint");
  std::string memory;
  while (memory.size() + 4 < MPI_MAX_INFO_VAL) memory += memory.empty() ? "4G" : ",4G";
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            Info{{"concilio_node_memory", memory.c_str()}, {"cb_buffer_size", "65536"}});
  MPI_Info info;
  OK(MPI_File_get_info(file, &info));
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int there = 0;
  MPI_Info_get(info, "concilio_node_memory", MPI_MAX_INFO_VAL, text, &there);
  EXPECT(!there);
  MPI_Info_get(info, "cb_buffer_size", MPI_MAX_INFO_VAL, text, &there);
  EXPECT_EQUAL(std::string("65536"), std::string(text));
  MPI_Info_free(&info);
}

// HDF5 gives one info object with each view. As its hints are not read again as long as they are the same,
// it must be noticed when they are not.
SITUATION(Hints, ChangedInTheInfoObjectOfAView, not_own) {
  const File file(context.fresh_file("changed-info"));
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  const auto give = [&](int times) {
    for (int i = 0; i < times; ++i) OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
  };
  const auto expect = [&](const char* size) {
    EXPECT_EQUAL(std::string(size), hints_of(file)["ind_wr_buffer_size"]);
  };
  MPI_Info_set(info, "ind_wr_buffer_size", "8192");
  give(3);
  MPI_Info_set(info, "ind_wr_buffer_size", "4096");
  give(1);
  expect("4096");
  // Another object, which the MPI may give the handle of the one before.
  give(2);
  MPI_Info_free(&info);
  MPI_Info_create(&info);
  PMPI_Info_set(info, "ind_wr_buffer_size", "65536");
  give(1);
  expect("65536");
  // What is no longer given stays as it is, but is new when it is given again.
  give(2);
  MPI_Info_delete(info, "ind_wr_buffer_size");
  give(2);
  const Info between{{"ind_wr_buffer_size", "16384"}};
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", between));
  MPI_Info_set(info, "ind_wr_buffer_size", "65536");
  give(1);
  expect("65536");
  MPI_Info_free(&info);
}

SITUATION(Hints, SetInfoChangesThem, not_own) {
  const std::string path = context.fresh_file("set-info");
  File file(path);
  OK(MPI_File_set_info(file, Info{{"ind_wr_buffer_size", "8192"}}));
  EXPECT_EQUAL(std::string("8192"), hints_of(file)["ind_wr_buffer_size"]);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", Info{{"ind_rd_buffer_size", "16384"}}));
  EXPECT_EQUAL(std::string("16384"), hints_of(file)["ind_rd_buffer_size"]);
  EXPECT_EQUAL(std::string("8192"), hints_of(file)["ind_wr_buffer_size"]);
  expect_works(file);
}

// The plan of a rank's last request serves the next one only while nothing that it follows from has changed.
SITUATION(Hints, ChangedBetweenIndependentCallsAlikeDecideTheNext, not_own) {
  constexpr int pieces = 64, bytes = 8;
  const std::string path = context.fresh_file("changed-between");
  File file(path);
  const MPI_Offset part = MPI_Offset{2} * pieces * bytes;
  OK(MPI_File_set_view(file, context.rank * part, MPI_BYTE,
                       resized_of(contiguous_of(bytes, MPI_BYTE), 0, MPI_Aint{2} * bytes), "native",
                       MPI_INFO_NULL));
  const auto read = [&](int first, int count) {
    std::vector<uint8_t> back(static_cast<size_t>(count) * bytes);
    OK(MPI_File_read_at(file, MPI_Offset{first} * bytes, back.data(), count * bytes, MPI_BYTE,
                        MPI_STATUS_IGNORE));
    return back;
  };
  const std::vector<uint8_t> mine = values(context.rank, pieces * bytes);
  OK(MPI_File_write_at(file, 0, mine.data(), pieces * bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  for (const auto& [method, method_counter] :
       {std::pair{"sieve", "method_sieve"}, {"list", "method_list"}, {"sieve", "method_sieve"}}) {
    OK(MPI_File_set_info(file, Info{{"concilio_method", method}}));
    const int64_t before = counter(file, method_counter);
    for (int i = 0; i < 3; ++i) {
      const std::vector<uint8_t> back = read(8 * i, 16);
      EXPECT_BYTES(std::vector<uint8_t>(mine.begin() + 64 * i, mine.begin() + 64 * i + 128), back);
    }
    EXPECT_EQUAL(before + 3, counter(file, method_counter));
  }
}

SITUATION(Hints, UnknownAndMalformedAreIgnored, not_own) {
  const std::string path = context.fresh_file("malformed");
  std::map<std::string, std::string> normal;
  {
    File file(path);
    normal = hints_of(file);
  }
  File file(path, MPI_MODE_RDWR,
            Info{{"no_such_hint", "1"},
                 {"cb_buffer_size", "many"},
                 {"cb_nodes", "-3"},
                 {"romio_cb_write", "perhaps"},
                 {"concilio_method", "magic"},
                 {"striping_factor", "99999999999999999999999"}});
  EXPECT(hints_of(file) == normal);
  expect_works(file);
}

SITUATION(Hints, UnknownToEachRankAlone, not_own) {
  const std::string name = "alone-" + std::to_string(context.rank);
  for (int i = 0; i < 2; ++i) {
    File file(context.folder + "/" + name, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"nobody_knows_it", "1"}, {"nc_header_align_size", "512"}, {"romio_lustre_any", "1"}},
              MPI_COMM_SELF);
  }
  barrier();  // the rank that has complained still runs while the others open
}

SITUATION(Hints, ByOneRankOnly, not_own) {
  const std::string path = context.fresh_file("one-rank-hints");
  const Info info{{"cb_nodes", "1"},
                  {"cb_buffer_size", "5000"},
                  {"romio_cb_write", "enable"},
                  {"concilio_method", "two_phase"},
                  {"concilio_memory_limit", "100000"}};
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            context.rank == context.ranks - 1 ? static_cast<MPI_Info>(info) : MPI_INFO_NULL);
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("1"), hints["cb_nodes"]);
  EXPECT_EQUAL(std::string("5000"), hints["cb_buffer_size"]);
  EXPECT_EQUAL(std::string("enable"), hints["romio_cb_write"]);
  EXPECT_EQUAL(std::string("two_phase"), hints["concilio_method"]);
  EXPECT_EQUAL(std::string("100000"), hints["concilio_memory_limit"]);
  expect_works(file);
}

SITUATION(Hints, DifferentOnEveryRank, not_own) {
  const std::string path = context.fresh_file("different-hints");
  const std::string size = std::to_string(4096 * (context.rank + 1)),
                    nodes = std::to_string(context.rank + 1);
  const Info info{{"cb_buffer_size", size.c_str()},
                  {"cb_nodes", nodes.c_str()},
                  {"striping_factor", nodes.c_str()},
                  {"romio_cb_write", context.rank % 2 ? "enable" : "disable"}};
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("4096"), hints["cb_buffer_size"]);
  EXPECT_EQUAL(std::string("1"), hints["cb_nodes"]);
  EXPECT_EQUAL(std::string("1"), hints["striping_factor"]);
  EXPECT_EQUAL(std::string("disable"), hints["romio_cb_write"]);
  expect_works(file);
}

SITUATION(Hints, EachByAnotherRank, not_own) {
  const std::string path = context.fresh_file("scattered-hints");
  const int last = context.ranks - 1;
  Info info;
  if (context.rank == 0) MPI_Info_set(info, "cb_nodes", "2");
  if (context.rank == 1) MPI_Info_set(info, "romio_ds_write", "disable");
  if (context.rank >= last / 2) MPI_Info_set(info, "cb_buffer_size", context.rank == last ? "9000" : "7000");
  if (context.rank == last) MPI_Info_set(info, "cb_nodes", "garbage");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string(context.ranks == 1 ? "" : "2"), hints["cb_nodes"]);
  EXPECT_EQUAL(std::string(context.ranks == 1 ? "automatic" : "disable"), hints["romio_ds_write"]);
  EXPECT_EQUAL(std::string(context.ranks == 1 ? "9000" : "7000"), hints["cb_buffer_size"]);
  expect_works(file);
}

SITUATION(Hints, SetInfoThatDiffersBetweenRanks, not_own) {
  const std::string path = context.fresh_file("different-set-info");
  File file(path);
  const std::string size = std::to_string(1000 * (context.rank + 1));
  OK(MPI_File_set_info(file, Info{{"cb_buffer_size", size.c_str()}}));
  EXPECT_EQUAL(std::string("1000"), hints_of(file)["cb_buffer_size"]);
  const Info of_last{{"cb_nodes", "1"}};
  const MPI_Info mine = context.rank == context.ranks - 1 ? static_cast<MPI_Info>(of_last) : MPI_INFO_NULL;
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", mine));
  EXPECT_EQUAL(std::string("1"), hints_of(file)["cb_nodes"]);
  expect_works(file);
}

SITUATION(Hints, OtherNamesOfTheSame, not_own) {
  const std::string path = context.fresh_file("aliases");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            Info{{"collective_buffering", "true"},
                 {"num_aggregators", "2"},
                 {"stripe_size", "65536"},
                 {"stripe_width", "3"},
                 {"striping_factor", "4"},
                 {"cb_block_size", "4096"}});
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("enable"), hints["romio_cb_read"]);
  EXPECT_EQUAL(std::string("enable"), hints["romio_cb_write"]);
  EXPECT_EQUAL(std::string("2"), hints["cb_nodes"]);
  EXPECT_EQUAL(std::string("65536"), hints["striping_unit"]);
  EXPECT_EQUAL(std::string("4"), hints["striping_factor"]);
  EXPECT_EQUAL(std::string("4096"), hints["romio_cb_fr_alignment"]);
  expect_works(file);
}

SITUATION(Hints, NamedLikeAnotherOnlyOnSomeRanks, not_own) {
  const std::string path = context.fresh_file("alias-and-name");
  const char* name = context.rank == 0 ? "num_aggregators" : "cb_nodes";
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{name, "2"}});
  EXPECT_EQUAL(std::string("2"), hints_of(file)["cb_nodes"]);
  expect_works(file);
}

SITUATION(Hints, WhatConcilioTellsOfTheFile, not_own) {
  const std::string path = context.fresh_file("told");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            Info{{"romio_visibility_immediate", "nonsense"}, {"romio_filesystem_type", "a drum"}});
  std::map<std::string, std::string> hints = hints_of(file);
  // HDF5 reads this hint: it need not sync if the value is true.
  EXPECT_EQUAL(std::string("true"), hints["romio_visibility_immediate"]);
  EXPECT(hints["romio_filesystem_type"].rfind("Concilio on ", 0) == 0);
  OK(MPI_File_set_info(file, Info{{"romio_filesystem_type", "a drum"}}));
  EXPECT(hints_of(file) == hints);
}

SITUATION(Hints, AFilesOwnGivenToAnother, not_own) {
  std::map<std::string, std::string> first;
  MPI_Info info = MPI_INFO_NULL;
  {
    File file(context.fresh_file("own-hints-1"), MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"cb_nodes", "2"}});
    OK(MPI_File_get_info(file, &info));
    first = hints_of(file);
  }
  File file(context.fresh_file("own-hints-2"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  EXPECT(hints_of(file) == first);
  expect_works(file);
  MPI_Info_free(&info);
}

SITUATION(Hints, PermissionsOfANewFile, not_own) {
  const std::string path = context.fresh_file("permissions");
  const mode_t before = umask(027);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"file_perm", "0664"}});
  umask(before);
  struct stat information {};
  EXPECT_EQUAL(0, stat(path.c_str(), &information));
  EXPECT_EQUAL(0640, static_cast<int>(information.st_mode & 0777));
  EXPECT_EQUAL(std::string("664"), hints_of(file)["file_perm"]);
  expect_works(file);
}

SITUATION(Hints, TooLateForWhatIsSettledAtTheOpen, not_own) {
  const std::string path = context.fresh_file("too-late");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"striping_unit", "8192"}});
  OK(MPI_File_set_info(file, Info{{"striping_unit", "4096"}, {"file_perm", "600"}, {"cb_nodes", "1"}}));
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("8192"), hints["striping_unit"]);
  EXPECT_EQUAL(std::string("666"), hints["file_perm"]);
  EXPECT_EQUAL(std::string("1"), hints["cb_nodes"]);
  expect_works(file);
}

SITUATION(Hints, RealmsAndExchangeAreHonouredAndReturned, not_own) {
  const std::string path = context.fresh_file("realms");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            Info{{"romio_cb_pfr", "enable"}, {"romio_cb_alltoall", "disable"}});
  std::map<std::string, std::string> hints = hints_of(file);
  EXPECT_EQUAL(std::string("enable"), hints["romio_cb_pfr"]);
  EXPECT_EQUAL(std::string("disable"), hints["romio_cb_alltoall"]);
  EXPECT_EQUAL(std::string("aar"), hints["romio_cb_fr_types"]);
  expect_works(file);
}

SITUATION(Hints, MemoryLimitChangedBySetInfo, not_own) {
  const std::string path = context.fresh_file("new-limit");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", "two_phase"}});
  expect_works(file);
  OK(MPI_File_set_info(file, Info{{"concilio_memory_limit", "65536"}}));
  EXPECT_EQUAL(std::string("65536"), hints_of(file)["concilio_memory_limit"]);
  expect_works(file);
}

SITUATION(Hints, StripingOfZero, everywhere) {
  const std::string path = context.fresh_file("striping-zero");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"striping_factor", "0"}, {"striping_unit", "0"}});
  expect_works(file);
}

SITUATION(Hints, NoIndependentAndThenAnIndependentCall, everywhere) {
  const std::string path = context.fresh_file("no-indep");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"romio_no_indep_rw", "true"}, {"cb_nodes", "1"}});
  expect_works(file);
  std::vector<uint8_t> bytes = values(context.rank, 5);
  // The open may fail, but must neither crash nor hang. Concilio opens the file late.
  const int code = MPI_File_write_at(file, context.rank * 5, bytes.data(), 5, MPI_BYTE, MPI_STATUS_IGNORE);
  if (!context.own) EXPECT_EQUAL(MPI_SUCCESS, code);
}

SITUATION(Hints, TheSameWithEveryViewKeepPlans, everywhere) {
  if (context.own) return;
  const std::string path = context.fresh_file("same-hints");
  const Info info{{"concilio_method", "list"}, {"cb_nodes", "1"}};
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  const std::vector<uint8_t> mine = values(context.rank, 64);
  const auto plans_made = [&] {
    int64_t value = -1;
    EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, "plans_made", &value));
    return value;
  };
  const auto write = [&](const Info& hints) {
    const Type tile = resized_of(contiguous_of(8, MPI_BYTE), 0, 8 * context.ranks);
    OK(MPI_File_set_view(file, 8 * context.rank, MPI_BYTE, tile, "native", hints));
    OK(MPI_File_write_at_all(file, 0, mine.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE));
  };
  for (int i = 0; i < 4; ++i) write(info);
  EXPECT_EQUAL(1, plans_made());
  write(Info{{"concilio_method", "sieve"}});
  EXPECT_EQUAL(2, plans_made());
}

// A program may ask a file whether it takes buffers on a GPU. An MPI that knows says so for all its objects.
SITUATION(Hints, KindsOfMemoryAreThoseOfTheMpi, not_own) {
  const auto kinds = [](MPI_Info info) {
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return std::string(found ? value : "unknown");
  };
  File file(context.fresh_file("kinds-of-memory"));
  MPI_Info of_file, of_world;
  OK(MPI_File_get_info(file, &of_file));
  OK(MPI_Comm_get_info(MPI_COMM_WORLD, &of_world));
  EXPECT_EQUAL(kinds(of_world), kinds(of_file));
}
