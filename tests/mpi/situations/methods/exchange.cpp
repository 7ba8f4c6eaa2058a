// Counts the messages between nodes: they go only where there are data, and contain little else.
#include <concilio/file.h>

#include "situations/situation.h"

using namespace situations;

namespace {

struct Traffic {
  int64_t messages = 0, bytes = 0, plans_made = 0;
};

Traffic traffic_of(MPI_File file) {
  Traffic all;
  const std::pair<const char*, int64_t*> counters[] = {
      {"messages_sent", &all.messages}, {"message_bytes_sent", &all.bytes}, {"plans_made", &all.plans_made}};
  for (const auto& [name, sum] : counters) {
    int64_t mine = 0;
    EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, name, &mine));
    MPI_Allreduce(&mine, sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  return all;
}

Traffic operator-(const Traffic& a, const Traffic& b) {
  return {a.messages - b.messages, a.bytes - b.bytes, a.plans_made - b.plans_made};
}

constexpr int64_t KiB = 1 << 10;

// Every rank is a node of its own, and has every n-th block of the file.
class Interleaved {
 public:
  Interleaved(const std::string& path, int block, int blocks, const Info& info)
      : file_(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info), bytes_(block * blocks) {
    const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * context.ranks);
    OK(MPI_File_set_view(file_, MPI_Offset{block} * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  }
  Traffic write(int64_t at, int version) {
    const Traffic before = traffic_of(file_);
    std::vector<uint8_t> data = contents(version);
    OK(MPI_File_write_at_all(file_, at, data.data(), bytes_, MPI_BYTE, MPI_STATUS_IGNORE));
    return traffic_of(file_) - before;
  }
  Traffic read(int64_t at, int version) {
    const Traffic before = traffic_of(file_);
    std::vector<uint8_t> back(static_cast<size_t>(bytes_));
    OK(MPI_File_read_at_all(file_, at, back.data(), bytes_, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(back == contents(version));
    return traffic_of(file_) - before;
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> contents(int version) const {
    std::vector<uint8_t> data(static_cast<size_t>(bytes_));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<uint8_t>(i * 7 + i / 251 + static_cast<size_t>(context.rank * 31 + version));
    return data;
  }
  File file_;
  int bytes_;
};

// Blocks of 64 KiB that belong to the ranks by turns, each in a window of its own. There is one message for
// each block that another node aggregates.
SITUATION(Exchange, SendsOneMessageForEachPairOfNodeAndWindowThatShareBytes, not_own) {
  constexpr int blocks = 40;  // more than a node tells of (plan::most_node_spans), so that all are one group
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"cb_buffer_size", "65536"},
                  {"romio_cb_fr_alignment", "65536"}};
  Interleaved file(context.fresh_file("blocks"), 64 * KiB, blocks, info);
  const int64_t nodes = context.ranks, pairs = int64_t{blocks} * (nodes - 1);
  const int64_t told = nodes * (nodes - 1);
  const int64_t must_move = pairs * 64 * KiB, description = 200;
  for (int version = 0; version < 2; ++version) {
    const Traffic written = file.write(0, version), back = file.read(0, version);
    for (const Traffic& one : {written, back}) {
      EXPECT_EQUAL(version == 0 ? nodes : int64_t{0}, one.plans_made);
      const int64_t telling = version == 0 ? told : 0;
      EXPECT(one.messages <= pairs + telling);
      EXPECT(one.bytes >= must_move / nodes * (nodes - 1));
      EXPECT(one.bytes <= must_move + telling * description + must_move / 100);
    }
  }
  // The same pattern in another part of the file.
  const Traffic moved = file.write(file.bytes(), 5), back = file.read(file.bytes(), 5);
  EXPECT_EQUAL(int64_t{0}, moved.plans_made + back.plans_made);
  EXPECT(moved.messages <= pairs && back.messages <= pairs);
}

// Time steps behind one another, each as long as it happens to be: the first is planned and described, and
// the others are where it was, moved.
SITUATION(Exchange, TellsNothingAgainForTheNextTimeStepWhereverItBegins, not_own) {
  constexpr int block = 1009, blocks = 200;
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"cb_buffer_size", "65536"},
                  {"romio_cb_fr_alignment", "4096"}};
  Interleaved file(context.fresh_file("steps"), block, blocks, info);
  const int64_t nodes = context.ranks, told = nodes * (nodes - 1);
  const Traffic first = file.write(0, 0);
  EXPECT_EQUAL(nodes, first.plans_made);
  for (int step = 1; step < 4; ++step) {
    const Traffic next = file.write(step * file.bytes(), step);
    EXPECT_EQUAL(int64_t{0}, next.plans_made);
    EXPECT(next.messages <= first.messages && next.messages + told >= first.messages);
  }
  for (int step = 0; step < 4; ++step) {
    const Traffic back = file.read(step * file.bytes(), step);
    EXPECT_EQUAL(step == 0 ? nodes : int64_t{0}, back.plans_made);
  }
}

// A node with too little memory for windows of its own (Mem_min) has it for parcels: they are few.
SITUATION(Exchange, APoorNodeSendsFewMessages, not_own) {
  constexpr int block = 16 * KiB, blocks = 96;
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"concilio_node_memory", "256K,1G,1G,1G,1G,1G,1G,1G,1G"},
                  {"concilio_memory_min", "16M"},
                  {"cb_buffer_size", "1M"}};
  Interleaved file(context.fresh_file("poor"), block, blocks, info);
  if (context.ranks == 1) return;
  // Half of the memory may be used, and most of that for two parcels.
  constexpr int64_t parcel = 47 * KiB;
  const int64_t rich = context.ranks - 1, windows = context.ranks * file.bytes() / (1024 * KiB) + rich;
  const int64_t told = context.ranks * rich, most = windows * rich + file.bytes() / parcel + told;
  const Traffic written = file.write(0, 3), back = file.read(0, 3);
  EXPECT(written.messages <= most);
  EXPECT(back.messages <= most);
}

// What a round brings to a relay must fit its buffers. Where it does not, all ranks find that out when they
// have told each other what they ask for, and no byte travels twice.
SITUATION(Exchange, SharesTooLargeForARelayGoToTheAggregatorsThemselves, not_own) {
  constexpr int block = 4 * KiB, blocks = 1024;
  for (const char* window : {"65536", "1M"}) {
    const Info info{{"concilio_method", "two_phase"},
                    {"concilio_ranks_per_node", "1"},
                    {"concilio_combine_nodes", "2"},
                    {"cb_buffer_size", window}};
    Interleaved file(context.fresh_file("shares"), block, blocks, info);
    const int64_t nodes = context.ranks, crossing = (nodes - 1) * file.bytes();
    const bool small = std::string(window) == "65536";
    for (int version = 0; version < 2; ++version) {
      const Traffic written = file.write(0, version), back = file.read(0, version);
      EXPECT_EQUAL(version == 0 ? nodes : int64_t{0}, written.plans_made);
      for (const Traffic& one : {written, back}) {
        if (version == 0) continue;  // what ranks ask for is told too
        EXPECT(small || one.bytes <= crossing * 101 / 100);
        if (small && nodes > 2) EXPECT(one.bytes > crossing * 101 / 100);
      }
    }
  }
}

// One node has all data. The others send nothing, and no message goes to the node itself.
SITUATION(Exchange, NobodySendsWhoHasNothing, not_own) {
  const int nodes = context.ranks, last = nodes - 1;
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"concilio_realms", "even"},
                  {"concilio_groups", "off"},
                  {"cb_buffer_size", "65536"}};
  File file(context.fresh_file("one"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  const int bytes = context.rank == last ? 1 << 20 : 0;
  const std::vector<uint8_t> data(static_cast<size_t>(bytes), 7);
  OK(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  int64_t mine = 0;
  EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, "messages_sent", &mine));
  // 16 whole windows, one more at the end of each node's realm, and the messages that describe the requests
  // of one node to others.
  EXPECT(context.rank == last ? mine <= 16 + nodes + last : mine == 0);
}

// Ranks that ask for the same bytes all get them, but not by descriptions, since these bytes would travel
// many times.
SITUATION(Exchange, BytesThatAllRanksReadTravelOnceToEachNode, not_own) {
  constexpr int bytes = 1 << 20;
  const std::string path = context.fresh_file("same");
  const Info info{{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "2"}};
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  std::vector<uint8_t> data(bytes);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 13 + i / 255);
  if (context.rank == 0) OK(MPI_File_write_at(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(file));
  const Traffic before = traffic_of(file);
  std::vector<uint8_t> back(bytes);
  OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(back == data);
  const Traffic read = traffic_of(file) - before;
  const int64_t nodes = (context.ranks + 1) / 2;
  EXPECT(read.bytes <= (nodes - 1) * bytes * 101 / 100 + nodes * nodes * 1024);
}

// Every rank is a node of its own and has a part of each of some variables, in irregular pieces. In an
// exchange of images it sends something for the windows that it has bytes in, and knows for which in later
// calls too.
SITUATION(Exchange, NobodySendsForAWindowWithoutBytesOfAnIrregularRequest, not_own) {
  constexpr int pieces = 599, variables = 4, windows_of_part = 4;
  constexpr int64_t part = windows_of_part * 64 * KiB;
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_exchange", "images"},
                  {"concilio_ranks_per_node", "1"},
                  {"cb_buffer_size", "65536"},
                  {"romio_cb_fr_alignment", "65536"}};
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (int v = 0; v < variables; ++v) {
    for (int i = 0; i < pieces; ++i) {
      lengths.push_back(100 + i % 100);
      places.push_back((v * context.ranks + context.rank) * part + i * 437 + i * i * 7 % 200);
    }
  }
  const Type tile = blocks_at(lengths, places, MPI_BYTE);
  int bytes = 0;
  MPI_Type_size(tile, &bytes);
  File file(context.fresh_file("irregular"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  const int64_t nodes = context.ranks, told = nodes * (nodes - 1);
  const int64_t pairs = nodes == 1 ? 0 : variables * windows_of_part * nodes;
  for (int version = 0; version < 3; ++version) {
    const std::vector<uint8_t> data = values(context.rank * 10 + version, bytes);
    const Traffic before = traffic_of(file);
    OK(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    const Traffic written = traffic_of(file) - before;
    std::vector<uint8_t> back(data.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(data, back);
    const Traffic read = traffic_of(file) - before - written;
    const int64_t telling = version == 0 ? told : 0;
    EXPECT(written.messages <= pairs + telling);
    EXPECT(read.messages <= 2 * pairs + telling);  // a wish and its answer
  }
}

// Irregular pieces that belong to the ranks by turns: each rank is a node, and tells each aggregator the part
// of its list that lies in that one's realm. `tiles`: how often the list is repeated.
struct IrregularTraffic {
  Traffic first_write, first_read, write, read;
  int64_t memory_bytes, limit_bytes;
};
IrregularTraffic irregular_traffic(const char* name, const char* memory_limit, int pieces, int tiles,
                                   const char* realms = "auto", const char* combined = "0") {
  constexpr int64_t room = 128;
  const Info info{{"concilio_realms", realms},        {"concilio_combine_nodes", combined},
                  {"concilio_method", "two_phase"},   {"concilio_ranks_per_node", "1"},
                  {"concilio_domain_bytes", "65536"}, {"cb_buffer_size", "65536"},
                  {"romio_cb_fr_alignment", "65536"}, {"concilio_memory_limit", memory_limit}};
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (int i = 0; i < pieces; ++i) {
    lengths.push_back(90 + i * 7 % 30);
    places.push_back((int64_t{i} * context.ranks + context.rank) * room + i * i % 8);
  }
  const Type list = blocks_at(lengths, places, MPI_BYTE);
  const Type tile = resized_of(list, 0, pieces * room * context.ranks);
  int bytes = 0;
  MPI_Type_size(tile, &bytes);
  bytes *= tiles;
  File file(context.fresh_file(name), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  IrregularTraffic all{};
  for (int version = 0; version < 2; ++version) {
    const std::vector<uint8_t> data = values(context.rank * 10 + version, bytes);
    const Traffic before = traffic_of(file);
    OK(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    const Traffic between = traffic_of(file);
    std::vector<uint8_t> back(data.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(data, back);
    (version == 0 ? all.first_write : all.write) = between - before;
    (version == 0 ? all.first_read : all.read) = traffic_of(file) - between;
  }
  EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_memory(file, &all.limit_bytes, nullptr, &all.memory_bytes));
  return all;
}

SITUATION(Exchange, ListsOfPiecesTravelOnceAndInParts, not_own) {
  constexpr int pieces = 1800;
  const int64_t nodes = context.ranks, told = nodes * (nodes - 1);
  for (const int tiles : {1, 3}) {
    const IrregularTraffic of = irregular_traffic("lists", "8M", pieces / tiles, tiles);
    EXPECT(of.memory_bytes <= of.limit_bytes);
    EXPECT_EQUAL(of.write.messages, of.read.messages);  // nobody asks for bytes
    EXPECT(of.write.bytes <= of.read.bytes);
    // A list takes some 4 bytes a piece. Whole lists would be told to every aggregator.
    const int64_t list = nodes == 1 ? 0 : nodes * pieces * 5;
    EXPECT(of.first_write.messages <= of.write.messages + told);
    EXPECT(of.first_write.bytes <= of.write.bytes + list + told * 200);
    EXPECT(of.first_read.bytes <= of.read.bytes + list + told * 200);
    EXPECT(nodes == 1 || of.first_write.bytes > of.write.bytes);
  }
}

SITUATION(Exchange, ListsOfPiecesThatThereIsNoMemoryForTravelWindowByWindow, not_own) {
  constexpr int pieces = 1800;
  const IrregularTraffic of = irregular_traffic("long-lists", "256K", pieces, 1);
  // What is kept of the program's own datatype cannot be refused.
  const int64_t datatype = int64_t{pieces} * 4 * 16;
  EXPECT(of.memory_bytes <= of.limit_bytes + datatype);
  // A wish precedes the bytes that are read.
  EXPECT(context.ranks == 1 || of.read.messages > of.write.messages);
}

// Short lists are told whatever memory there is for each, but not if all of them together are too long for an
// aggregator.
SITUATION(Exchange, ManyShortListsStayWithinTheMemoryLimit, not_own) {
  constexpr int pieces = 220;
  const int64_t datatype = int64_t{pieces} * 4 * 16;
  for (const char* realms : {"auto", "cyclic"}) {
    for (const char* combined : {"1", "2", "3"}) {
      const IrregularTraffic of = irregular_traffic("short-lists", "64K", pieces, 1, realms, combined);
      EXPECT(of.memory_bytes <= of.limit_bytes + datatype);
    }
  }
}

// What nodes tell each other of tiny pieces counts too, however they exchange them.
SITUATION(Exchange, WhatIsToldOfImagesStaysWithinTheMemoryLimit, not_own) {
  for (const char* exchange : {"images", "alltoallw"}) {
    const Info info{{"concilio_method", "two_phase"},
                    {"concilio_ranks_per_node", "1"},
                    {"concilio_memory_limit", "768K"},
                    {"concilio_exchange", exchange}};
    const std::string path = context.fresh_file(exchange);
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const Type tile = resized_of(contiguous_of(3, MPI_BYTE), 0, MPI_Aint{3} * context.ranks);
    OK(MPI_File_set_view(file, 3 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> data = values(context.rank, 60000);
    OK(MPI_File_write_at_all(file, 0, data.data(), 60000, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> back(data.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), 60000, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(data, back);
    int64_t limit = 0, most = 0;
    EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_memory(file, &limit, nullptr, &most));
    EXPECT(most <= limit);
  }
}

// Nobody sends for a window without bytes either where all ranks have one window in common.
SITUATION(Exchange, NobodySendsForAWindowWithoutBytesWhereRanksShareOne, not_own) {
  constexpr int block = 64 * KiB, blocks = 8;
  const int ranks = context.ranks;
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"cb_buffer_size", "65536"},
                  {"romio_cb_fr_alignment", "65536"}};
  const std::string path = context.fresh_file("common");
  const std::vector<uint8_t> all = values(5, int64_t{block} * (1 + blocks * ranks));
  make_file(path, all);
  File file(path, MPI_MODE_RDWR, info);
  std::vector<MPI_Aint> places{0};
  std::vector<uint8_t> expected(all.begin(), all.begin() + block);
  for (int i = 0; i < blocks; ++i) {
    places.push_back(MPI_Aint{block} * (1 + i * ranks + context.rank));
    expected.insert(expected.end(), all.begin() + places.back(), all.begin() + places.back() + block);
  }
  const Type tile = blocks_at(std::vector<int>(places.size(), block), places, MPI_BYTE);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  const int64_t pairs = ranks - 1 + blocks * ranks;
  for (int version = 0; version < 2; ++version) {
    const Traffic before = traffic_of(file);
    std::vector<uint8_t> back(expected.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), static_cast<int>(back.size()), MPI_BYTE,
                            MPI_STATUS_IGNORE));
    EXPECT_BYTES(expected, back);
    const Traffic read = traffic_of(file) - before;
    // They tell descriptions first, which turn out not to do.
    const int64_t telling = version == 0 ? int64_t{2} * ranks * (ranks - 1) : 0;
    EXPECT(read.messages <= 2 * pairs + telling);
  }
}

// A narrow column of a wide table, of which every rank has some bytes of each row. Aggregators read these,
// and little of what lies between them. `shared`: all ranks read the same bytes.
void read_column(const char* ranks_per_node, const char* exchange, bool shared) {
  constexpr int cell = 64, rows = 400;
  constexpr int64_t row = 512 * KiB;
  const int ranks = context.ranks;
  const std::string path = context.fresh_file("column");
  const std::vector<uint8_t> column = values(3, int64_t{rows} * ranks * cell);
  if (context.rank == 0) {
    std::FILE* const made = std::fopen(path.c_str(), "wb");
    for (int64_t i = 0; i < rows - 1; ++i) {  // the last row is behind the end of the file
      std::fseek(made, static_cast<long>(i * row + 1000), SEEK_SET);
      std::fwrite(&column[static_cast<size_t>(i * ranks * cell)], 1, static_cast<size_t>(ranks * cell), made);
    }
    std::fclose(made);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  File file(path, MPI_MODE_RDWR,
            Info{{"concilio_method", "two_phase"},
                 {"concilio_ranks_per_node", ranks_per_node},
                 {"concilio_exchange", exchange}});
  const int place = shared ? 0 : context.rank;
  const Type tile = resized_of(contiguous_of(cell, MPI_BYTE), 0, row);
  OK(MPI_File_set_view(file, 1000 + place * cell, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  std::vector<uint8_t> expected(rows * cell, 1), back = expected;
  for (int64_t i = 0; i < rows - 1; ++i) {
    const auto from = column.begin() + (i * ranks + place) * cell;
    std::copy(from, from + cell, expected.begin() + i * cell);
  }
  MPI_Status status;
  for (int version = 0; version < 2; ++version) {
    OK(MPI_File_read_at_all(file, 0, back.data(), rows * cell, MPI_BYTE, &status));
    EXPECT_BYTES(expected, back);
    EXPECT_EQUAL(int64_t{(rows - 1) * cell}, bytes_in(status));
  }
  int64_t mine = counter(file, "storage_bytes_read"), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all <= int64_t{2} * rows * (shared ? 1 : ranks) * cell);
  // The maps that said what was wanted are empty again, so a write leaves the holes alone.
  OK(MPI_File_set_view(file, 1000 + context.rank * cell, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  std::vector<uint8_t> data = values(context.rank + 7, rows * cell);
  OK(MPI_File_write_at_all(file, 0, data.data(), rows * cell, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, 0, back.data(), rows * cell, MPI_BYTE, &status));
  EXPECT_BYTES(data, back);
}

SITUATION(Exchange, AggregatorsLeaveOutLargeHolesWhenTheyRead, not_own) {
  read_column("1", "descriptions", false);
}
// The ranks of its node have marked what they want of a window, and what others want is read when they ask.
SITUATION(Exchange, AggregatorsLeaveOutLargeHolesInAnExchangeOfImages, not_own) {
  for (const char* const ranks : {"1", "2"}) {
    for (const bool shared : {false, true}) read_column(ranks, "images", shared);
  }
}
SITUATION(Exchange, AggregatorsLeaveOutLargeHolesOnOneNode, not_own) {
  for (const bool shared : {false, true}) read_column("64", "auto", shared);
}

// A rank that reads beyond the end of the file gets the bytes that exist, on every node, and nothing else in
// its buffer changes.
SITUATION(Exchange, StopsAtTheEndOfTheFile, not_own) {
  constexpr int block = 1000, blocks = 40;
  const std::string path = context.fresh_file("end");
  const Info info{{"concilio_method", "two_phase"},
                  {"concilio_ranks_per_node", "1"},
                  {"cb_buffer_size", "3000"},
                  {"concilio_exchange", "descriptions"}};
  const int64_t end = int64_t{block} * blocks * context.ranks / 2 + 123;
  if (context.rank == 0) {
    const std::vector<uint8_t> data(static_cast<size_t>(end), 9);
    std::FILE* const made = std::fopen(path.c_str(), "wb");
    EXPECT_EQUAL(data.size(), std::fwrite(data.data(), 1, data.size(), made));
    std::fclose(made);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  File file(path, MPI_MODE_RDWR, info);
  const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * context.ranks);
  OK(MPI_File_set_view(file, MPI_Offset{block} * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  std::vector<uint8_t> back(block * blocks, 1);
  MPI_Status status;
  OK(MPI_File_read_at_all(file, 0, back.data(), block * blocks, MPI_BYTE, &status));
  int64_t there = 0;
  for (int i = 0; i < blocks; ++i) {
    const int64_t begin = int64_t{block} * (int64_t{i} * context.ranks + context.rank);
    there += std::clamp<int64_t>(end - begin, 0, block);
  }
  int got = 0;
  OK(MPI_Get_count(&status, MPI_BYTE, &got));
  EXPECT_EQUAL(there, int64_t{got});
  for (int64_t i = 0; i < std::ssize(back); ++i)
    EXPECT_EQUAL(i < there ? 9 : 1, int{back[static_cast<size_t>(i)]});
}

}  // namespace
