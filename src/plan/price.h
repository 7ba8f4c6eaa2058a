// What methods cost, in seconds: a first simple model with built-in constants for kinds of storage. Every
// constant says where it comes from. (`concilio probe` will measure them.)
#pragma once

#include <string>
#include <vector>

#include "plan/flush.h"
#include "plan/plan.h"

namespace concilio {

// Many requests of one rank under way at once.
struct AtOnce {
  double served;          // of which storage works on so many at the same time
  double submit_seconds;  // what each costs besides
};

struct Prices {
  double request_seconds;           // one read or write request, besides its bytes
  double window_bytes_per_second;   // storage_bytes_per_second of a window, which has just been filled
  double window_piece_seconds;      // a request of an aggregator that writes a window piece by piece
  double scattered_write_seconds;   // the same of a write that is one of many in places apart
  double storage_bytes_per_second;  // one stream
  double parallel_streams;          // streams that storage serves at once, of reads
  double parallel_writers;          // the same of writes to one file
  AtOnce reads_at_once, writes_at_once;
  bool from_memory;                 // storage answers from memory: a stream keeps one core busy
  double lock_seconds;              // lock and unlock of a range
  double copy_bytes_per_second;     // memory to memory, one core
  double piece_seconds;             // per piece of a fused copy
  double synchronise_seconds;       // per rank and round, on a node that has a core for every rank
  double oversubscribed_seconds;    // the same where ranks wait for cores: time of one core
  double message_seconds;           // between nodes
  double network_bytes_per_second;  // between nodes, one node's link
  double map_seconds;               // a stretch of at most map_window_bytes mapped and given back
  double map_read_page_seconds;     // each of its pages that is made present, to be read
  double map_write_page_seconds;    // the same to be written, and given space in a file that has none there
  double datatype_piece_seconds;    // per piece that MPI goes through in a derived datatype
};
// As much of a file as is mapped at a time, and what its pages are assumed to hold.
inline constexpr int64_t map_window_bytes = 4 << 20;
inline constexpr int64_t map_page_bytes = 4096;
// Whether pages are mapped piece by piece, and not with what lies between: of `pieces` pieces with `bytes`
// bytes that lie in `span` bytes of file.
bool maps_by_piece(double bytes, double pieces, double span);

Prices prices_for(const StorageFacts& storage);

// A predicted time as the sum of its named parts.
struct Cost {
  struct Term {
    const char* name;
    double seconds;
  };
  std::vector<Term> terms;
  double seconds() const;
  std::string text() const;  // "requests 1.05 s + storage 13 ms"
};

// One function a method. Two-phase is priced as `layout` lays it out.
Cost cost_of_independent(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_list(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_sieve(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_two_phase(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_mapped(const Facts& facts, const Plan& layout, const Prices& prices);

// How the images of a layout travel between nodes: as is wished, else the cheaper way.
ExchangeStrategy choose_exchange(const Facts& facts, const Plan& layout, const Prices& prices);

double price(Method method, const Facts& facts, const Prices& prices);

// 0.0123 -> "12 ms".
std::string format_seconds(double seconds);

}  // namespace concilio
