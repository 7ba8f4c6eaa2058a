// Ranks are in different collective calls of one file. This is an error of the program, and all ranks are
// told of it.
#include <functional>

#include "situations/situation.h"

using namespace situations;

namespace {

struct Kind {
  const char* name;
  std::function<int(MPI_File&)> call;
};

uint8_t buffer[64];

int waited(int code, MPI_Request& request) {
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"read",
       [](MPI_File& file) { return MPI_File_read_at_all(file, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }},
      {"write",
       [](MPI_File& file) { return MPI_File_write_all(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }},
      {"ordered read",
       [](MPI_File& file) { return MPI_File_read_ordered(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }},
      {"ordered write",
       [](MPI_File& file) { return MPI_File_write_ordered(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }},
      {"set_view",
       [](MPI_File& file) { return MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); }},
      {"set_size", [](MPI_File& file) { return MPI_File_set_size(file, 5); }},
      {"preallocate", [](MPI_File& file) { return MPI_File_preallocate(file, 100000); }},
      {"sync", [](MPI_File& file) { return MPI_File_sync(file); }},
      {"set_info",
       [](MPI_File& file) {
         const Info info{{"cb_buffer_size", "1000000"}};
         return MPI_File_set_info(file, info);
       }},
      {"set_atomicity", [](MPI_File& file) { return MPI_File_set_atomicity(file, 1); }},
      {"seek_shared", [](MPI_File& file) { return MPI_File_seek_shared(file, 3, MPI_SEEK_SET); }},
      {"close", [](MPI_File& file) { return MPI_File_close(&file); }},
  };
  return all;
}

// The file must be as if the calls had not been made.
void expect_untouched(File& file, int block) {
  const auto mine = values(context.rank, block);
  std::vector<uint8_t> back(static_cast<size_t>(block), 0);
  const MPI_Offset at = MPI_Offset{context.rank} * block;
  MPI_Offset size = 0, position = -1, shared = -1;
  int atomic = -1;
  OK(MPI_File_read_at_all(file, at, back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(MPI_Offset{block} * context.ranks, size);
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(0, position);
  OK(MPI_File_get_position_shared(file, &shared));
  EXPECT_EQUAL(0, shared);
  OK(MPI_File_get_atomicity(file, &atomic));
  EXPECT_EQUAL(0, atomic);
}

// Every call meets the next one of the list. Rank 0, or the last rank, makes the first of the two. The file
// has the same name in all situations, so that few messages are made, for which MPI has limited space.
// Ranks meet in all calls. Otherwise a rank whose call repeats one before would make it apart, and learn of
// the mismatch at the next meeting.
void mismatch(MPI_Info info) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("mismatched");
  constexpr int block = 1000;
  const auto mine = values(context.rank, block);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_write_at_all(file, MPI_Offset{context.rank} * block, mine.data(), block, MPI_BYTE,
                           MPI_STATUS_IGNORE));
  for (size_t i = 0; i < kinds().size(); ++i) {
    const bool odd_one = context.rank == (i % 2 ? 0 : context.ranks - 1);
    const Kind& kind = kinds()[odd_one ? i : (i + 1) % kinds().size()];
    FAILS(MPI_ERR_NOT_SAME, kind.call(*file.address()));
    expect_untouched(file, block);
  }
}

}  // namespace

SITUATION(Mismatched, TwoCalls, not_own) {
  mismatch(Info{{"concilio_agree", "always"}});
}

SITUATION(Mismatched, TwoCallsBetweenNodes, not_own) {
  mismatch(Info{{"concilio_ranks_per_node", "2"}, {"concilio_agree", "always"}});
}

SITUATION(Mismatched, TwoCallsOfOneRankANode, not_own) {
  mismatch(
      Info{{"concilio_ranks_per_node", "1"}, {"concilio_method", "two_phase"}, {"concilio_agree", "always"}});
}

// The message must say which ranks are in which call.
SITUATION(Mismatched, MessageNamesTheRanks, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("mismatched-message");
  File file(path);
  int code = context.rank == 0 ? MPI_File_sync(file)
                               : MPI_File_write_at_all(file, 0, buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE);
  const std::string message = message_of(code);
  EXPECT(message.find("rank 0 is in MPI_File_sync, rank 1 is in a collective write") != std::string::npos);
}

// Ranks that remember the plans of different calls cannot reuse them.
SITUATION(Mismatched, PatternsAfterwards, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("mismatched-patterns");
  constexpr int block = 3000;
  const auto mine = values(context.rank, block);
  std::vector<uint8_t> back(block, 0);
  for (const char* method : {"two_phase", "sieve", "auto"}) {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", method}});
    const MPI_Offset at = MPI_Offset{context.rank} * block;
    OK(MPI_File_write_at_all(file, at, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int round = 0; round < 3; ++round) {
      if (context.rank == round % context.ranks) {
        FAILS(MPI_ERR_NOT_SAME,
              MPI_File_write_at_all(file, at + 7, mine.data(), block / 3, MPI_BYTE, MPI_STATUS_IGNORE));
      } else {
        FAILS(MPI_ERR_NOT_SAME, MPI_File_sync(file));
      }
      OK(MPI_File_write_at_all(file, at, mine.data(), round % 2 ? block : block / 3, MPI_BYTE,
                               MPI_STATUS_IGNORE));
      OK(MPI_File_read_at_all(file, at, back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(mine, back);
    }
  }
}

// Nonblocking and split calls report the error when they are waited for or ended.
SITUATION(Mismatched, NonblockingAndSplit, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("mismatched-nonblocking");
  File file(path);
  MPI_Request request = MPI_REQUEST_NULL;
  if (context.rank == 0) {
    FAILS(MPI_ERR_NOT_SAME, waited(MPI_File_iread_at_all(file, 0, buffer, 8, MPI_BYTE, &request), request));
  } else {
    FAILS(MPI_ERR_NOT_SAME, waited(MPI_File_iwrite_at_all(file, 0, buffer, 8, MPI_BYTE, &request), request));
  }
  if (context.rank == 0) {
    OK(MPI_File_read_at_all_begin(file, 0, buffer, 8, MPI_BYTE));
    FAILS(MPI_ERR_NOT_SAME, MPI_File_read_at_all_end(file, buffer, MPI_STATUS_IGNORE));
  } else {
    FAILS(MPI_ERR_NOT_SAME, MPI_File_write_at_all(file, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  // Different forms of the same call match.
  if (context.rank == 0) {
    OK(waited(MPI_File_iwrite_at_all(file, 0, buffer, 8, MPI_BYTE, &request), request));
  } else {
    OK(MPI_File_write_at_all(file, 8 * context.rank, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  }
}

// In a view that converts, calls take other steps from the second one on.
SITUATION(Mismatched, InAViewThatConverts, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("mismatched-converted");
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  int numbers[4] = {1, 2, 3, 4};
  for (int odd_one = 0; odd_one < 2; ++odd_one) {
    if (context.rank == odd_one) {
      FAILS(MPI_ERR_NOT_SAME, MPI_File_read_at_all(file, 0, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
    } else {
      FAILS(MPI_ERR_NOT_SAME, MPI_File_write_at_all(file, 0, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
    }
    OK(MPI_File_write_at_all(file, 4 * context.rank, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
  }
}
