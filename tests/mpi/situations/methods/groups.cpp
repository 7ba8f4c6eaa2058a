// Aggregation groups: counts the messages between nodes, which stay within a group.
#include <concilio/file.h>

#include "situations/situation.h"

using namespace situations;

namespace {

// The number of messages that all ranks send for one collective write, with every rank on a node of its own.
// Each rank's bytes are one stretch of the file (serial), or pieces that alternate with those of others.
int64_t messages_of_write(const std::string& path, bool serial, const char* groups) {
  constexpr int bytes = 64 * 1024, piece = 1024;
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
            Info{{"concilio_ranks_per_node", "1"},
                 {"concilio_method", "two_phase"},
                 {"concilio_group_bytes", "1"},
                 {"concilio_domain_bytes", "1"},
                 {"romio_cb_fr_alignment", "49152"},  // realms do not end where a rank's data end
                 {"concilio_groups", groups}});
  const Type tile = serial ? contiguous_of(bytes, MPI_BYTE)
                           : resized_of(contiguous_of(piece, MPI_BYTE), 0, MPI_Aint{piece} * context.ranks);
  const MPI_Offset begin = MPI_Offset{serial ? bytes : piece} * context.rank;
  OK(MPI_File_set_view(file, begin, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  const std::vector<uint8_t> data(bytes, static_cast<uint8_t>(context.rank + 1));
  OK(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  std::vector<uint8_t> back(bytes);
  OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(back == data);
  int64_t mine = 0, all = 0;
  EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, "messages_sent", &mine));
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

SITUATION(Groups, SerialDataIsNobodyElsesMatter, not_own) {
  EXPECT_EQUAL(int64_t{0}, messages_of_write(context.fresh_file("serial"), true, "auto"));
  const int64_t without = messages_of_write(context.fresh_file("serial-off"), true, "off");
  EXPECT(context.ranks == 1 || without > 0);
}

SITUATION(Groups, InterwovenDataTravels, not_own) {
  const int64_t sent = messages_of_write(context.fresh_file("interwoven"), false, "auto");
  EXPECT(context.ranks == 1 ? sent == 0 : sent > 0);
}

// Every rank is a node, and has a part of each of two variables. Both parts are portions of its own if
// portions may be as small as these, and nothing travels. Each of the larger portions has data of two nodes.
SITUATION(Groups, PortionsLieOnTheNodesThatHaveTheirData, not_own) {
  constexpr int part = 64 * 1024;
  for (const char* domain : {"65536", "131072"}) {
    File file(context.fresh_file("variables"), MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"concilio_ranks_per_node", "1"},
                   {"concilio_method", "two_phase"},
                   {"concilio_domain_bytes", domain},
                   {"romio_cb_fr_alignment", "65536"}});
    const Type tile = resized_of(contiguous_of(part, MPI_BYTE), 0, MPI_Aint{part} * context.ranks);
    OK(MPI_File_set_view(file, MPI_Offset{part} * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> data = values(context.rank, 2 * part);
    OK(MPI_File_write_at_all(file, 0, data.data(), 2 * part, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> back(data.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), 2 * part, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(data, back);
    int64_t mine = counter(file, "messages_sent"), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const bool small = std::string(domain) == "65536";
    EXPECT(small || context.ranks == 1 ? all == 0 : all > 0);
  }
}

}  // namespace
