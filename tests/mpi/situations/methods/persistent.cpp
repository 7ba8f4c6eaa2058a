// Independent calls beside collective calls whose realms stay with the file. The consistency rules of the
// standard (MPI 4.1, section 14.6.1) must hold, whichever process wrote the bytes.
#include <functional>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int piece = 40, pieces = 300, block = piece * pieces;

// The offset of byte i of this rank's part of a step. The pieces of the ranks alternate, and one step follows
// another.
MPI_Offset place_of(int step, int rank, int i) {
  return (MPI_Offset{step} * pieces * context.ranks + i / piece * context.ranks + rank) * piece + i % piece;
}

void show_pieces(MPI_File file, int step, int rank) {
  const Type tile = resized_of(contiguous_of(piece, MPI_BYTE), 0, MPI_Aint{piece} * context.ranks);
  OK(MPI_File_set_view(file, place_of(step, rank, 0), MPI_BYTE, tile, "native", MPI_INFO_NULL));
}
void show_all(MPI_File file) {
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

void write_together(MPI_File file, int step, const std::vector<uint8_t>& bytes) {
  show_pieces(file, step, context.rank);
  MPI_Status status;
  OK(MPI_File_write_at_all(file, 0, bytes.data(), block, MPI_BYTE, &status));
  EXPECT_EQUAL(block, bytes_in(status));
}
std::vector<uint8_t> read_together(MPI_File file, int step, int rank) {
  show_pieces(file, step, rank);
  std::vector<uint8_t> bytes(block);
  OK(MPI_File_read_at_all(file, 0, bytes.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  return bytes;
}
// Through the view, in which the pieces are contiguous, and without it, piece by piece.
std::vector<uint8_t> read_alone(MPI_File file) {
  std::vector<uint8_t> bytes(block);
  OK(MPI_File_read_at(file, 0, bytes.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  return bytes;
}
std::vector<uint8_t> read_pieces_alone(MPI_File file, int step, int rank) {
  std::vector<uint8_t> bytes(block);
  for (int i = 0; i < block; i += piece)
    OK(MPI_File_read_at(file, place_of(step, rank, i), &bytes[static_cast<size_t>(i)], piece, MPI_BYTE,
                        MPI_STATUS_IGNORE));
  return bytes;
}
void write_pieces_alone(MPI_File file, int step, const std::vector<uint8_t>& bytes) {
  for (int i = 0; i < block; i += piece)
    OK(MPI_File_write_at(file, place_of(step, context.rank, i), &bytes[static_cast<size_t>(i)], piece,
                         MPI_BYTE, MPI_STATUS_IGNORE));
}

void settle(MPI_File file) {
  OK(MPI_File_sync(file));
  barrier();
  OK(MPI_File_sync(file));
}

int next_rank() {
  return (context.rank + 1) % context.ranks;
}
std::vector<uint8_t> data_of(int rank, int round) {
  return values(rank + 100 * round, block);
}

// With both names of the policy, with realms longer and shorter than a call, on one node and on several.
void under_every_form(const char* name, const std::function<void(MPI_File)>& run) {
  const Info ours{{"concilio_method", "two_phase"}, {"concilio_realms", "persistent"}};
  const Info short_blocks{{"concilio_method", "two_phase"},
                          {"romio_cb_pfr", "enable"},
                          {"romio_cb_fr_types", "1500"},
                          {"romio_cb_fr_alignment", "512"}};
  const Info nodes{{"concilio_method", "two_phase"},
                   {"concilio_realms", "persistent"},
                   {"romio_cb_fr_types", "4096"},
                   {"concilio_ranks_per_node", "1"}};
  for (const Info* info : {&ours, &short_blocks, &nodes}) {
    const std::string path = context.fresh_file(name);
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, *info);
    run(file);
    file.close();
    barrier();
  }
}

}  // namespace

SITUATION(Persistent, IndependentReadsSeeCollectiveWrites, not_own) {
  under_every_form("persistent-reads", [](MPI_File file) {
    for (int round = 0; round < 3; ++round) {
      const std::vector<uint8_t> mine = data_of(context.rank, round);
      write_together(file, 0, mine);
      // A rank reads its own writes at once, without a sync.
      EXPECT_BYTES(mine, read_alone(file));
      show_all(file);
      EXPECT_BYTES(mine, read_pieces_alone(file, 0, context.rank));
      settle(file);
      EXPECT_BYTES(data_of(next_rank(), round), read_pieces_alone(file, 0, next_rank()));
      show_pieces(file, 0, next_rank());
      EXPECT_BYTES(data_of(next_rank(), round), read_alone(file));
      settle(file);
    }
  });
}

SITUATION(Persistent, CollectiveReadsSeeIndependentWrites, not_own) {
  under_every_form("persistent-writes", [](MPI_File file) {
    write_together(file, 0, data_of(context.rank, 0));
    for (int round = 1; round < 4; ++round) {
      // No rank continues before all have the data that were written last.
      settle(file);
      const std::vector<uint8_t> mine = data_of(context.rank, round);
      if (round % 2) {
        show_all(file);
        write_pieces_alone(file, 0, mine);
      } else {
        show_pieces(file, 0, context.rank);
        OK(MPI_File_write_at(file, 0, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      }
      // A rank reads its own writes at once, also by a collective call.
      EXPECT_BYTES(mine, read_together(file, 0, context.rank));
      settle(file);
      EXPECT_BYTES(data_of(next_rank(), round), read_together(file, 0, next_rank()));
    }
  });
}

// The bytes that one rank writes alone lie between pieces that the ranks write together. Neither write may
// overwrite the other's bytes.
SITUATION(Persistent, IndependentWritesAmongCollectiveOnes, not_own) {
  under_every_form("persistent-both", [](MPI_File file) {
    write_together(file, 0, data_of(context.rank, 0));
    settle(file);
    for (int round = 1; round < 4; ++round) {
      const int alone = round % context.ranks;
      const bool me = context.rank == alone;
      const std::vector<uint8_t> mine = data_of(context.rank, round);
      show_all(file);
      if (me) write_pieces_alone(file, 0, mine);
      show_pieces(file, 0, context.rank);
      OK(MPI_File_write_at_all(file, 0, mine.data(), me ? 0 : block, MPI_BYTE, MPI_STATUS_IGNORE));
      settle(file);
      EXPECT_BYTES(data_of(next_rank(), round), read_together(file, 0, next_rank()));
      show_all(file);
      EXPECT_BYTES(data_of(next_rank(), round), read_pieces_alone(file, 0, next_rank()));
      settle(file);
    }
  });
}

SITUATION(Persistent, StepsBehindEachOtherAndAgain, not_own) {
  under_every_form("persistent-steps", [](MPI_File file) {
    constexpr int steps = 6;
    for (int step = 0; step < steps; ++step) {
      write_together(file, step, data_of(context.rank, step));
      settle(file);
      show_all(file);
      EXPECT_BYTES(data_of(next_rank(), step), read_pieces_alone(file, step, next_rank()));
      // Another rank alone rewrites a part of the earlier data.
      if (step % 2 && context.rank == 0) write_pieces_alone(file, step - 1, data_of(0, step + 10));
      settle(file);
    }
    for (int step = 0; step < steps; ++step) {
      const int rank = next_rank();
      const int round = rank == 0 && step % 2 == 0 ? step + 11 : step;
      EXPECT_BYTES(data_of(rank, round), read_together(file, step, rank));
    }
  });
}
