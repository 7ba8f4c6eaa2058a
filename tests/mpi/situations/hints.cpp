// Hints.
#include <map>

#include "situation.h"

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
  for (const char* name : {"cb_nodes", "cb_config_list", "romio_cb_read", "romio_cb_write", "romio_ds_read",
                           "ind_rd_buffer_size", "ind_wr_buffer_size", "romio_no_indep_rw", "striping_unit",
                           "concilio_memory_limit"}) {
    EXPECT(hints.count(name) == 1);
  }
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

SITUATION(Hints, ByOneRankOnly, not_own) {
  const std::string path = context.fresh_file("one-rank-hints");
  const Info info{{"cb_nodes", "1"},
                  {"cb_buffer_size", "5000"},
                  {"romio_cb_write", "enable"},
                  {"concilio_method", "two_phase"},
                  {"concilio_memory_limit", "100000"}};
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            context.rank == context.ranks - 1 ? static_cast<MPI_Info>(info) : MPI_INFO_NULL);
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
  // It may refuse, but must neither crash nor hang; Concilio opens the file late.
  const int code = MPI_File_write_at(file, context.rank * 5, bytes.data(), 5, MPI_BYTE, MPI_STATUS_IGNORE);
  if (!context.own) EXPECT_EQUAL(MPI_SUCCESS, code);
}
