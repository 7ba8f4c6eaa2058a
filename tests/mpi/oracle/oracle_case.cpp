#include "oracle_case.h"

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>

#include "common/random.h"
#include "common/type_generator.h"
#include "methods.h"

namespace oracle {

namespace {

// How the views of different ranks are arranged.
enum class Layout { interleaved, darray, subarray, segments, overlapping, whole };

class Maker {
 public:
  Maker(uint64_t seed, int ranks, const CaseOptions& options)
      : random_(mix(seed, static_cast<uint64_t>(ranks))),
        ranks_(ranks),
        form_(options.form),
        collective_only_(options.collective_only),
        by_turns_(options.by_turns),
        most_file_bytes_(options.most_bytes) {
    case_.seed = seed;
    case_.ranks = ranks;
    if (options.most_opens > 1) opens_ = static_cast<int>(random_.between(2, options.most_opens));
    parties_ = ranks_ * opens_;
  }

  Case make() {
    most_bytes_ = std::min(int64_t{1} << random_.between(9, random_.chance(10) ? 18 : 15), most_file_bytes_);
    if (random_.chance(70)) case_.initial_bytes = random_.magnitude(most_bytes_);
    size_ = settled_size_ = case_.initial_bytes;
    choose_mode();
    case_.openings.resize(static_cast<size_t>(opens_));
    for (Opening& opening : case_.openings) {
      if (&opening != case_.openings.data()) choose_openers(opening);
      add_hints(opening);
    }
    // Without set_view every rank's view is the whole file as bytes.
    views_.assign(static_cast<size_t>(parties_), whole_view());
    disjoint_ = parties_ == 1;
    positions_.assign(views_.size(), 0);
    if (random_.chance(92)) add_view();
    // With several opens there are more combinations.
    const int64_t ops = opens_ == 1 ? random_.between(1, 6) : random_.between(4, 24);
    for (int64_t i = 0; i < ops; ++i) add_op();
    if (by_turns_) repeat_by_turns();
    return std::move(case_);
  }

 private:
  void choose_mode() {
    case_.amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    if (random_.chance(8)) case_.amode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    if (random_.chance(8)) case_.amode = MPI_MODE_RDONLY;
  }
  bool may_write() const { return !(case_.amode & MPI_MODE_RDONLY); }
  bool may_read() const { return !(case_.amode & MPI_MODE_WRONLY); }

  void choose_openers(Opening& opening) {
    opening.openers =
        random_.pick({Openers::self, Openers::self, Openers::copy_of_self, Openers::odd_and_even,
                      Openers::all, Openers::all_reversed, Openers::copy_of_all});
  }

  std::string switch_value() { return random_.pick({"enable", "disable", "automatic"}); }

  void add_hints(Opening& opening) {
    auto hint = [&](const char* name, const auto& value) {
      std::ostringstream text;
      text << value;
      opening.hints.emplace_back(name, text.str());
    };
    if (random_.chance(15)) return;
    if (random_.chance(60)) {
      hint("cb_buffer_size", random_.pick<int64_t>({16, 100, 512, 1000, 4096, 4096, 10000, 65536, 1 << 20}));
    }
    if (random_.chance(60)) hint("cb_nodes", random_.between(1, ranks_));
    if (random_.chance(40)) hint("romio_cb_write", switch_value());
    if (random_.chance(40)) hint("romio_cb_read", switch_value());
    if (random_.chance(40)) hint("romio_ds_write", switch_value());
    if (random_.chance(40)) hint("romio_ds_read", switch_value());
    if (random_.chance(30)) hint("ind_rd_buffer_size", random_.pick<int64_t>({16, 100, 512, 4096, 65536}));
    if (random_.chance(30)) hint("ind_wr_buffer_size", random_.pick<int64_t>({16, 100, 512, 4096, 65536}));
    if (random_.chance(25))
      hint("romio_cb_fr_alignment", random_.pick<int64_t>({1, 3, 64, 100, 512, 4096, 65536}));
    if (random_.chance(40)) {
      // The kinds that can go wrong in most ways are drawn twice as often.
      std::vector<const char*> methods{"auto"};
      for (const char* method : all_methods) {
        const std::string_view name = method;
        methods.insert(methods.end(), name == "two_phase" || name == "mapped" ? 2 : 1, method);
      }
      hint("concilio_method", methods[static_cast<size_t>(random_.between(0, std::ssize(methods) - 1))]);
    }
    if (random_.chance(40)) hint("concilio_flush", random_.pick({"auto", "rmw", "list", "batch"}));
    // With little memory a conversion takes many rounds.
    if (form_ != Form::memory && random_.chance(60))
      hint("concilio_memory_limit", random_.pick<int64_t>({4096, 10000, 65536, 1 << 20}));
    else if (random_.chance(30))
      hint("concilio_memory_limit", random_.pick<int64_t>({65536, 100000, 262144, 1 << 22}));
    if (random_.chance(40)) hint("concilio_ranks_per_node", random_.between(1, 3));
  }

  View finished(View view) {
    view.form = form_;
    return in_form(std::move(view));
  }

  View in_form(View view) {
    view.flat = flatten(view.filetype, view.form);
    view.etype_bytes = flatten(view.etype, view.form).size;
    return view;
  }

  View whole_view() {
    View view;
    view.etype = view.filetype = basic("BYTE");
    view = in_form(view);
    view.most_bytes = most_bytes_;
    return view;
  }

  // The number of bytes of the view's data below `end`, in whole tiles (in bytes if the view has no holes).
  int64_t data_below(const View& view, int64_t end) {
    const Flat& flat = view.flat;
    if (flat.size == 0) return 0;
    const int64_t room = end - view.displacement - flat.end_byte();
    return room < 0 ? 0 : (room / std::max<int64_t>(flat.extent(), 1) + 1) * flat.size;
  }

  void add_view() {
    Op op;
    op.kind = OpKind::set_view;
    Layout layout =
        random_.pick({Layout::interleaved, Layout::interleaved, Layout::interleaved, Layout::darray,
                      Layout::subarray, Layout::segments, Layout::overlapping, Layout::whole});
    // If ranks overlap, one rank would write filling over another rank's data.
    const bool overlaps = layout == Layout::overlapping || layout == Layout::whole;
    if (form_ == Form::turned && overlaps) layout = Layout::segments;
    disjoint_ = true;
    const int64_t displacement = random_.chance(50) ? 0 : random_.magnitude(most_bytes_ / 4);
    switch (layout) {
      case Layout::interleaved:
        op.views = interleaved(random_etype(random_, form_));
        break;
      case Layout::darray:
      case Layout::subarray:
        op.views = decomposed(random_etype(random_, form_), layout == Layout::darray);
        break;
      case Layout::segments:
        op.views = segments();
        break;
      default:
        op.views = unrelated(layout == Layout::whole);
        disjoint_ = parties_ == 1;
    }
    for (View& view : op.views) {
      if (layout != Layout::segments) {
        if (layout != Layout::overlapping && layout != Layout::whole) view.displacement = displacement;
        view.most_bytes = std::min(data_below(view, view.displacement + most_bytes_), int64_t{1} << 20);
      }
    }
    take_views(std::move(op), disjoint_);
  }
  void take_views(Op op, bool disjoint) {
    conflict();
    disjoint_ = disjoint;
    views_ = op.views;
    std::fill(positions_.begin(), positions_.end(), 0);
    disjoint_views_.push_back(disjoint);
    case_.ops.push_back(std::move(op));
  }

  TypeSpec nothing(const TypeSpec& etype) {
    return random_.chance(50) ? contiguous(0, etype)
                              : resized(0, flatten(etype, form_).extent() * 4, contiguous(0, etype));
  }

  // A tile of units, each of which belongs to one party or to none.
  std::vector<View> interleaved(const TypeSpec& etype) {
    const int64_t etype_extent = flatten(etype, form_).extent();
    const int64_t per_unit =
        1 + random_.magnitude(std::max<int64_t>(1, most_bytes_ / etype_extent / parties_ / 16));
    const int64_t unit_extent = per_unit * etype_extent;
    const int64_t most_units =
        std::max<int64_t>(parties_, std::min<int64_t>(60, most_bytes_ / unit_extent / 2));
    const int64_t units =
        random_.between(parties_, std::min<int64_t>(most_units, 4 * parties_ + random_.between(0, 40)));
    std::vector<std::vector<int64_t>> owned(static_cast<size_t>(parties_));
    const bool in_turn = random_.chance(40);
    const int holes = random_.chance(50) ? 0 : static_cast<int>(random_.between(5, 60));
    for (int64_t unit = 0; unit < units; ++unit) {
      const int64_t owner = in_turn ? unit % parties_ : random_.between(0, parties_ - 1);
      if (!random_.chance(holes)) owned[static_cast<size_t>(owner)].push_back(unit);
    }
    std::vector<View> views;
    for (const std::vector<int64_t>& places : owned) {
      View view;
      view.etype = etype;
      if (places.empty()) {
        view.filetype = nothing(etype);
      } else {
        TypeSpec unit = contiguous(static_cast<int>(per_unit), etype);
        if (random_.chance(40)) {
          unit = random_file_type(random_, etype, unit_extent, form_);
          if (flatten(unit, form_).end_byte() > unit_extent) unit = etype;
          unit = resized(0, unit_extent, unit);
        }
        const int64_t lower = random_.chance(80) ? 0 : places[0] * unit_extent;
        view.filetype = resized(lower, units * unit_extent, random_outer_type(random_, unit, places, form_));
      }
      views.push_back(finished(view));
    }
    return views;
  }

  // A global array that is distributed over a grid of parties. Parties outside the grid have nothing.
  std::vector<View> decomposed(const TypeSpec& etype, bool distributed) {
    TypeSpec element = etype;
    if (random_.chance(40)) element = contiguous(static_cast<int>(random_.between(1, 40)), etype);
    TypeSpec array;
    array.kind = distributed ? Kind::darray : Kind::subarray;
    array.fortran = random_.chance(50);
    const int dimensions = static_cast<int>(random_.between(1, 3));
    int left = parties_;
    for (int d = 0; d < dimensions; ++d) {
      const int across = static_cast<int>(random_.between(1, left));
      array.grid.push_back(across);
      left /= across;
      array.sizes.push_back(static_cast<int>(random_.between(across, across + 9)));
    }
    array.ranks = std::accumulate(array.grid.begin(), array.grid.end(), 1, std::multiplies<>());
    std::vector<std::vector<int>> cuts;  // of a subarray's dimensions
    for (int d = 0; d < dimensions; ++d) {
      const auto at = static_cast<size_t>(d);
      if (array.grid[at] == 1 && random_.chance(50)) {
        array.distributions.push_back(Spread::none);
        array.arguments.push_back(default_argument);
      } else if (random_.chance(50)) {
        array.distributions.push_back(Spread::block);
        array.arguments.push_back(default_argument);
      } else {
        array.distributions.push_back(Spread::cyclic);
        array.arguments.push_back(static_cast<int>(random_.between(1, 4)));
      }
      std::vector<int> inner;
      for (int i = 1; i < array.sizes[at]; ++i) inner.push_back(i);
      random_.shuffle(inner);
      inner.resize(static_cast<size_t>(array.grid[at] - 1));
      inner.push_back(0);
      inner.push_back(array.sizes[at]);
      std::sort(inner.begin(), inner.end());
      cuts.push_back(inner);
    }
    std::vector<View> views;
    for (int party = 0; party < parties_; ++party) {
      View view;
      view.etype = etype;
      view.filetype = party < array.ranks ? part_of(array, element, cuts, party) : nothing(etype);
      views.push_back(finished(view));
    }
    return views;
  }

  TypeSpec part_of(const TypeSpec& array, const TypeSpec& element, const std::vector<std::vector<int>>& cuts,
                   int rank) {
    TypeSpec part = array;
    part.rank = rank;
    part.children = {element};
    if (array.kind == Kind::subarray) {
      int rest = rank;
      for (size_t d = 0; d < cuts.size(); ++d) {
        const auto at = static_cast<size_t>(rest % array.grid[d]);
        rest /= array.grid[d];
        part.starts.push_back(cuts[d][at]);
        part.subsizes.push_back(cuts[d][at + 1] - cuts[d][at]);
      }
      part.distributions.clear();
      part.arguments.clear();
      part.grid.clear();
    }
    return part;
  }

  // Each party has a range of the file of its own.
  std::vector<View> segments() {
    std::vector<View> views;
    int64_t start = random_.chance(50) ? 0 : random_.magnitude(most_bytes_ / 8);
    for (int party = 0; party < parties_; ++party) {
      View view;
      view.etype = random_etype(random_, form_);
      view.filetype = view.etype;
      if (random_.chance(60))
        view.filetype = random_file_type(random_, view.etype, most_bytes_ / parties_ + 1, form_);
      view.displacement = start;
      view = finished(view);
      const int64_t room = std::max(most_bytes_ / parties_, view.flat.end_byte());
      view.most_bytes = data_below(view, start + room);
      start += room + (random_.chance(50) ? 0 : random_.magnitude(200));
      views.push_back(view);
    }
    if (random_.chance(30)) std::reverse(views.begin(), views.end());
    return views;
  }

  std::vector<View> unrelated(bool whole) {
    std::vector<View> views;
    for (int party = 0; party < parties_; ++party) {
      View view;
      view.etype = random_etype(random_, form_);
      view.filetype = whole ? view.etype : random_file_type(random_, view.etype, most_bytes_ / 2, form_);
      if (random_.chance(5)) view.filetype = nothing(view.etype);
      if (random_.chance(60)) view.displacement = random_.magnitude(most_bytes_ / 2);
      views.push_back(finished(view));
    }
    return views;
  }

  // All earlier writes must be complete and visible.
  void conflict() {
    if (!case_.ops.empty()) case_.ops.back().settle_after = true;
    settled_size_ = size_;
  }

  void add_op() {
    const int64_t dice = random_.between(1, 100);
    if (dice <= 8) return add_view();
    if (dice <= 14 && may_write()) return add_size_change();
    if (opens_ > 1 && random_.chance(8)) return add_reopen();
    Op op;
    if (opens_ > 1) op.open = static_cast<int>(random_.between(0, opens_ - 1));
    op.kind = may_write() && (!may_read() || random_.chance(55)) ? OpKind::write : OpKind::read;
    op.collective = random_.chance(opens_ == 1 ? 65 : 35) || collective_only_;
    op.explicit_offset = random_.chance(50);
    op.same_bytes = op.kind == OpKind::write && !disjoint_;
    const int idle = random_.chance(60) ? 0 : static_cast<int>(random_.between(10, 90));
    for (int rank = 0; rank < ranks_; ++rank)
      op.accesses.push_back(make_access(op, rank, random_.chance(idle)));
    add_transfer(std::move(op));
  }
  void add_transfer(Op op) {
    int64_t end = 0;
    for (const Access& access : op.accesses) {
      for (const Piece& piece : access.file) end = std::max(end, piece.offset + piece.length);
    }
    // If views are disjoint, a rank depends only on its own writes, and on the end of the file.
    const bool unconditional = disjoint_ && (op.kind == OpKind::write || end <= settled_size_);
    if (!unconditional) conflict();
    if (op.kind == OpKind::write) size_ = std::max(size_, end);
    op.settle_after = random_.chance(opens_ == 1 ? 60 : 15);
    op.left_under_way = opens_ > 1 && op.kind == OpKind::write && form_ == Form::memory && random_.chance(30);
    // The next operation may move the end of the file that this read depends on.
    if (op.kind == OpKind::read && end > size_) op.settle_after = true;
    if (op.settle_after) settled_size_ = size_;
    case_.ops.push_back(std::move(op));
  }

  // Repeats all from one of the views on, or what was done with the last of them.
  void repeat_by_turns() {
    const std::vector<Op> ops = case_.ops;
    const std::vector<bool> disjoint = disjoint_views_;
    std::vector<size_t> begins;
    size_t after_view = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::set_view) continue;
      begins.push_back(i);
      after_view = i + 1;
    }
    begins.push_back(after_view);
    const auto first = static_cast<size_t>(random_.between(0, std::ssize(begins) - 1));
    const int64_t step = random_.chance(30) ? 0 : random_.magnitude(2 * most_bytes_);
    const int64_t rounds = random_.between(2, 8);
    for (int64_t round = 1; round <= rounds; ++round) {
      size_t view = first;
      int64_t moved = 0;  // the views of this round
      for (size_t i = begins[first]; i < ops.size(); ++i) {
        Op op = ops[i];
        if (op.kind == OpKind::set_view) {
          moved = round * step;
          for (View& its : op.views) its.displacement += moved;
          take_views(std::move(op), disjoint[view++]);
        } else if (op.kind == OpKind::read || op.kind == OpKind::write) {
          repeat_transfer(std::move(op), moved);
        }
      }
    }
  }
  void repeat_transfer(Op op, int64_t moved) {
    op.explicit_offset = true;
    for (Access& access : op.accesses) {
      access.seek = -1;
      for (Piece& piece : access.file) piece.offset += moved;
    }
    add_transfer(std::move(op));
  }

  // A rank that has the file open in another way may be writing to it meanwhile.
  void add_reopen() {
    Op op;
    op.kind = OpKind::reopen;
    op.open = static_cast<int>(random_.between(0, opens_ - 1));
    op.settle_after = false;
    for (int rank = 0; rank < ranks_; ++rank) positions_[party(op, rank)] = 0;
    case_.ops.push_back(std::move(op));
  }

  size_t party(const Op& op, int rank) const { return static_cast<size_t>(op.open * ranks_ + rank); }

  void add_size_change() {
    conflict();
    Op op;
    op.kind = random_.chance(70) ? OpKind::set_size : OpKind::preallocate;
    op.size = random_.magnitude(most_bytes_);
    if (op.kind == OpKind::preallocate) op.size = std::max<int64_t>(op.size, 1);
    size_ = settled_size_ = op.kind == OpKind::set_size ? op.size : std::max(size_, op.size);
    case_.ops.push_back(std::move(op));
  }

  Access make_access(const Op& op, int rank, bool idle) {
    const View& view = views_[party(op, rank)];
    int64_t& position = positions_[party(op, rank)];
    Access access;
    access.takes_part = op.collective || !idle;
    const int64_t most_etypes = view.most_bytes / view.etype_bytes;
    choose_offset(op, view, position, access);
    int64_t etypes = most_etypes - access.offset;
    if (etypes > 0) etypes = random_.chance(70) ? random_.magnitude(etypes) : random_.between(0, etypes);
    if (idle || etypes < 0) etypes = 0;
    if (opens_ > 1 && op.kind == OpKind::write && !op.collective && op.explicit_offset && random_.chance(40))
      access.times = static_cast<int>(random_.between(2, 40));
    access.form = view.form;
    choose_memory(op, etypes * view.etype_bytes, view.etype_bytes, access);
    access.file = pieces_of(view, access.offset * view.etype_bytes, access.file_bytes);
    if (access.takes_part && !op.explicit_offset)
      position = access.offset + access.file_bytes / view.etype_bytes;
    return access;
  }

  void choose_offset(const Op& op, const View& view, int64_t position, Access& access) {
    const int64_t most_etypes = view.most_bytes / view.etype_bytes;
    const int64_t target = random_.chance(40) ? 0 : random_.magnitude(most_etypes);
    access.offset = target;
    if (op.explicit_offset) return;
    if (position <= most_etypes && random_.chance(50)) {
      access.offset = position;
      return;
    }
    access.seek = random_.chance(60) ? MPI_SEEK_SET : MPI_SEEK_CUR;
    access.seek_by = access.seek == MPI_SEEK_SET ? target : target - position;
  }

  // A memory type and a count for about `bytes` of the file, in whole etypes.
  void choose_memory(const Op& op, int64_t bytes, int64_t etype_bytes, Access& access) {
    access.memory = random_.chance(35)
                        ? basic("BYTE")
                        : random_memory_type(random_, std::max<int64_t>(bytes, 1), access.form);
    Flat flat = flatten(access.memory);
    if (flat.size == 0) {
      access.count = static_cast<int>(random_.between(0, 3));
      return;
    }
    set_count(flat, bytes, etype_bytes, access);
    const bool too_many = access.buffer.size() > 6000;
    const bool overlap = (op.kind == OpKind::read || op.same_bytes) && !disjoint(access.buffer);
    if (too_many || overlap || (access.count == 0 && bytes > 0 && !random_.chance(10))) {
      access.memory =
          random_.chance(50) ? basic("BYTE") : contiguous(static_cast<int>(etype_bytes), basic("BYTE"));
      flat = flatten(access.memory);
      set_count(flat, bytes, etype_bytes, access);
    }
    access.bytes = access.count * flat.size;
    access.file_bytes = access.count * flatten(access.memory, access.form).size;
    access.absolute = random_.chance(6) && access.bytes > 0;
  }

  void set_count(const Flat& flat, int64_t bytes, int64_t etype_bytes, Access& access) {
    const int64_t each = flatten(access.memory, access.form).size;
    const int64_t group = etype_bytes / std::gcd(etype_bytes, each);
    access.count = static_cast<int>(bytes / each / group * group);
    set_buffer(flat, access);
  }

  void set_buffer(const Flat& flat, Access& access) {
    access.buffer.clear();
    for (int64_t i = 0; i < access.count; ++i) {
      for (const Piece& piece : flat.pieces) {
        append(access.buffer, {i * flat.extent() + piece.offset, piece.length});
      }
    }
  }

  Random random_;
  int ranks_;
  int opens_ = 1;
  int parties_ = 1;  // each rank in each open, with a view of its own
  Form form_;
  bool collective_only_, by_turns_;
  int64_t most_file_bytes_;
  Case case_;
  int64_t most_bytes_ = 0;
  std::vector<View> views_;           // one for each party
  std::vector<int64_t> positions_;    // individual pointers, in etypes
  bool disjoint_ = false;             // whether views of different parties do not overlap
  std::vector<bool> disjoint_views_;  // the same, of each op that has set views
  int64_t size_ = 0, settled_size_ = 0;
};

// A datatype of bytes with the same extent and pieces, from the first piece on.
TypeSpec plain_type(const Flat& flat) {
  TypeSpec blocks;
  if (flat.pieces.size() == 1) {
    blocks = contiguous(static_cast<int>(flat.size), basic("BYTE"));
    if (flat.extent() == flat.size) return blocks;
  } else {
    blocks.kind = Kind::hindexed;
    for (const Piece& piece : flat.pieces) {
      blocks.lengths.push_back(static_cast<int>(piece.length));
      blocks.places.push_back(piece.offset - flat.pieces[0].offset);
    }
    blocks.children = {basic("BYTE")};
  }
  return resized(0, flat.extent(), blocks);
}

void make_plain(View& view) {
  view.etype = contiguous(static_cast<int>(view.etype_bytes), basic("BYTE"));
  if (view.flat.size == 0) {
    view.filetype = view.etype;
  } else {
    view.displacement += view.flat.pieces[0].offset;
    view.filetype = plain_type(view.flat);
  }
  view.flat = flatten(view.filetype);
}

void make_plain(Access& access) {
  const Flat flat = flatten(access.memory);
  if (flat.size == 0) {
    access.memory = basic("BYTE");
    access.count = 0;
    return;
  }
  access.memory = plain_type(flat);
  for (Piece& piece : access.buffer) piece.offset -= flat.pieces[0].offset;
}

std::string kilo(int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

std::string mode_name(int amode) {
  return amode & MPI_MODE_RDONLY ? "RDONLY" : amode & MPI_MODE_WRONLY ? "WRONLY|CREATE" : "RDWR|CREATE";
}

std::string describe_view(const View& view) {
  static const char* const forms[] = {"", "external32 ", "turned "};
  return forms[static_cast<int>(view.form)] + std::string("displacement ") +
         std::to_string(view.displacement) + " etype " + describe(view.etype) + " filetype " +
         describe(view.filetype);
}

std::string describe_access(const Access& access, bool explicit_offset) {
  if (!access.takes_part) return "makes no call";
  std::string text = explicit_offset ? "at etype " + std::to_string(access.offset) : "at the pointer";
  if (access.seek == MPI_SEEK_SET) text = "after seek to " + std::to_string(access.seek_by);
  if (access.seek == MPI_SEEK_CUR) text = "after seek by " + std::to_string(access.seek_by);
  text += ", " + kilo(access.bytes) + ": " + std::to_string(access.count) + " x " + describe(access.memory);
  if (access.times > 1) text += ", " + std::to_string(access.times) + " times";
  if (access.absolute) text += " from MPI_BOTTOM";
  if (!access.file.empty()) {
    text += ", file " + std::to_string(access.file.front().offset) + ".." +
            std::to_string(access.file.back().offset + access.file.back().length) + " in " +
            std::to_string(access.file.size()) + " pieces";
  }
  return text;
}

}  // namespace

std::vector<Piece> pieces_of(const View& view, int64_t position, int64_t bytes) {
  std::vector<Piece> result;
  if (bytes == 0) return result;
  int64_t tile = position / view.flat.size;
  int64_t skip = position % view.flat.size;
  while (bytes > 0) {
    for (const Piece& piece : view.flat.pieces) {
      if (skip >= piece.length) {
        skip -= piece.length;
        continue;
      }
      const int64_t length = std::min(piece.length - skip, bytes);
      append(result, {view.displacement + tile * view.flat.extent() + piece.offset + skip, length});
      bytes -= length;
      skip = 0;
      if (bytes == 0) break;
    }
    ++tile;
  }
  return result;
}

std::vector<Cell> cells_of(const Access& access) {
  std::vector<Cell> cells;
  cells.reserve(static_cast<size_t>(access.file_bytes));
  if (access.form == Form::memory) {
    for (const Piece& piece : access.buffer) {
      for (int64_t i = 0; i < piece.length; ++i) cells.push_back({piece.offset + i, true});
    }
    return cells;
  }
  const std::vector<Piece> items = items_of(access.memory);
  const int64_t extent = flatten(access.memory).extent();
  for (int64_t tile = 0; tile < access.count; ++tile) {
    for (const Piece& item : items) {
      for (int64_t i = item.length; i-- > 0;) cells.push_back({tile * extent + item.offset + i, false});
      for (int64_t i = item.length; i < length_in(access.form, item.length); ++i)
        cells.push_back({no_place, false});
      cells.back().ends_item = true;
    }
  }
  return cells;
}

Case make_case(uint64_t seed, int ranks, const CaseOptions& options) {
  Case made = Maker(seed, ranks, options).make();
  if (!options.plain_types) return made;
  for (Op& op : made.ops) {
    for (View& view : op.views) make_plain(view);
    for (Access& access : op.accesses) make_plain(access);
  }
  return made;
}

std::string describe(const Case& c, size_t index, int rank) {
  const Op& op = c.ops[index];
  const auto at = static_cast<size_t>(rank);
  if (op.kind == OpKind::set_view) {
    std::string text;
    for (size_t party = at; party < op.views.size(); party += static_cast<size_t>(c.ranks)) {
      text += (text.empty() ? "" : "; ") + describe_view(op.views[party]);
    }
    return text;
  }
  if (op.kind == OpKind::reopen) return "closes and opens";
  if (op.kind == OpKind::set_size || op.kind == OpKind::preallocate) return kilo(op.size);
  return describe_access(op.accesses[at], op.explicit_offset);
}

std::string describe(const Case& c) {
  static const char* const openers[] = {"all",          "all in reversed order", "a copy of all",
                                        "odd and even", "each rank alone",       "copies of each rank alone"};
  std::string text = "file of " + kilo(c.initial_bytes) + ", " + mode_name(c.amode) + ", " +
                     std::to_string(c.ranks) + " ranks\n";
  for (size_t i = 0; i < c.openings.size(); ++i) {
    text +=
        "open " + std::to_string(i) + ": by " + openers[static_cast<int>(c.openings[i].openers)] + "; hints";
    for (const auto& [name, value] : c.openings[i].hints) text += " " + name + "=" + value;
    text += "\n";
  }
  static const char* const names[] = {"write", "read", "set_view", "set_size", "preallocate", "reopen"};
  for (size_t i = 0; i < c.ops.size(); ++i) {
    const Op& op = c.ops[i];
    text += "op " + std::to_string(i) + ": " + names[static_cast<int>(op.kind)];
    if (op.kind == OpKind::write || op.kind == OpKind::read) {
      text += op.explicit_offset ? "_at" : "";
      text += op.collective ? "_all" : "";
      text += op.left_under_way ? ", left under way" : "";
      text += op.same_bytes ? " (ranks may overlap, with equal bytes)" : "";
    }
    if (op.kind != OpKind::set_view) text += " through open " + std::to_string(op.open);
    text += op.settle_after ? ", then settled\n" : "\n";
    const bool all_equal =
        op.kind == OpKind::set_size || op.kind == OpKind::preallocate || op.kind == OpKind::reopen;
    for (int rank = 0; rank < (all_equal ? 1 : c.ranks); ++rank) {
      text += "  rank " + std::to_string(rank) + ": " + describe(c, i, rank) + "\n";
    }
  }
  return text;
}

}  // namespace oracle
