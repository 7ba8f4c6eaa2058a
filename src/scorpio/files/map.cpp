// Two-phase I/O among the roots. Every root owns an even part of the dataset's rows as its file domain. All
// ranks send it the rows that they write there, or ask it for those that they read. So the file is read or
// written once, in large pieces and in one order, whatever the lists are.
#include "scorpio/files/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/exceptions.h"
#include "scorpio/cells/copy_cells.h"
#include "scorpio/cells/host_copy.h"

namespace concilio::scorpio {
namespace {

constexpr int offsets_tag = 11, rows_tag = 12;
constexpr int64_t most_bytes_a_message = int64_t{1} << 30;

struct Rows {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

// The rows of a rank's list in a root's window. `first` and `last` are counted from the window's first row.
struct RowsAsked {
  int32_t count = 0, first = 0, last = 0;
};

// This rank's list of rows, sorted into the dataset's order.
class List {
 public:
  List() = default;
  // If a row is written more than once, only the last entry is kept.
  List(std::span<const int64_t> map, bool write) : map_(map), order_(map.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return map[a] < map[b]; });
    if (!write) return;
    size_t kept = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (i + 1 < order_.size() && map[order_[i]] == map[order_[i + 1]]) continue;
      order_[kept++] = order_[i];
    }
    order_.resize(kept);
  }

  // Returns the entries within `rows`, as positions in the sorted list.
  Rows within(const Rows& rows) const { return {before(rows.begin), before(rows.end)}; }
  int64_t row(int64_t position) const { return map_[order_[static_cast<size_t>(position)]]; }
  // Returns the row of the caller's memory.
  int64_t place(int64_t position) const {
    return static_cast<int64_t>(order_[static_cast<size_t>(position)]);
  }

 private:
  int64_t before(int64_t row) const {
    return std::lower_bound(order_.begin(), order_.end(), row,
                            [&](size_t i, int64_t r) { return map_[i] < r; }) -
           order_.begin();
  }

  std::span<const int64_t> map_;
  std::vector<size_t> order_;
};

// One pass over the dataset. It moves all rows whole, or, if a row is larger than the buffer, one part of
// every row.
class Pass {
 public:
  Pass(const Layout& layout, const Request& request, const Dataset& dataset, const Box& part,
       int64_t buffer_bytes)
      : layout_(layout), write_(request.write), element_(request.element), dataset_(dataset), part_(part) {
    row_bytes_ = part.cells() * element_.bytes;
    // A row takes memory in the window, in a copy of what the file held there, and in a message. It takes 5
    // bytes more: a byte that says whether the row is covered, and 4 for its offset in a message.
    const int64_t bytes_a_row = 3 * row_bytes_ + 5;
    const int64_t most = std::max<int64_t>(1, most_bytes_a_message / std::max<int64_t>(1, row_bytes_));
    window_rows_ = std::clamp<int64_t>(buffer_bytes / bytes_a_row, 1, most);
    window_rows_ = std::min(window_rows_, most_rows());
    buffer_bytes_ = window_rows_ * bytes_a_row;
  }

  int64_t buffer_bytes() const { return buffer_bytes_; }

  Status reserve() {
    if (!layout_.is_root()) return {};
    const auto rows = static_cast<size_t>(window_rows_);
    const auto bytes = static_cast<size_t>(window_rows_ * row_bytes_);
    window_.resize(bytes);
    message_.resize(bytes);
    offsets_.resize(rows);
    if (write_) {
      old_.resize(bytes);
      covered_.resize(rows);
    }
    return {};
  }

  Status run(const List& list, std::byte* data) {
    const int64_t rounds = (most_rows() + window_rows_ - 1) / window_rows_;
    for (int64_t round = 0; round < rounds; ++round) {
      std::vector<RowsAsked> asked = tell(list, round);
      post(list, data, round);
      if (layout_.is_root()) {
        if (write_) {
          take(asked, round);
        } else {
          give(asked, round);
        }
      }
      note(mpi::checked_mpi(
          MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall"));
      requests_.clear();
      sent_offsets_.clear();
    }
    return outcome_;
  }

 private:
  int64_t rows() const { return dataset_.extents()[0]; }
  int64_t first_row(int group) const {
    const int64_t each = rows() / layout_.groups, more = rows() % layout_.groups;
    return each * group + std::min<int64_t>(group, more);
  }
  int64_t most_rows() const { return std::max<int64_t>(1, (rows() + layout_.groups - 1) / layout_.groups); }
  Rows window(int group, int64_t round) const {
    const int64_t end = first_row(group + 1);
    const int64_t begin = std::min(end, first_row(group) + round * window_rows_);
    return {begin, std::min(end, begin + window_rows_)};
  }

  void note(const Status& status) {
    if (outcome_) outcome_ = status;
  }

  // Tells each root what this rank has in its window. Returns what each rank has in this root's, on roots.
  std::vector<RowsAsked> tell(const List& list, int64_t round) {
    std::vector<RowsAsked> mine(static_cast<size_t>(layout_.ranks)), all(static_cast<size_t>(layout_.ranks));
    for (int group = 0; group < layout_.groups; ++group) {
      const Rows rows = window(group, round), found = list.within(rows);
      if (found.count() == 0) continue;
      mine[static_cast<size_t>(layout_.roots[static_cast<size_t>(group)])] = {
          static_cast<int32_t>(found.count()), static_cast<int32_t>(list.row(found.begin) - rows.begin),
          static_cast<int32_t>(list.row(found.end - 1) - rows.begin)};
    }
    note(mpi::checked_mpi(
        MPI_Alltoall(mine.data(), 3, MPI_INT32_T, all.data(), 3, MPI_INT32_T, layout_.global),
        "MPI_Alltoall"));
    return all;
  }

  // Sends the rows' offsets, and sends or receives the rows straight from or to the caller's memory.
  void post(const List& list, std::byte* data, int64_t round) {
    for (int group = 0; group < layout_.groups; ++group) {
      const Rows rows = window(group, round), found = list.within(rows);
      const int root = layout_.roots[static_cast<size_t>(group)];
      for (int64_t at = found.begin; at < found.end; at += window_rows_) {
        const int64_t count = std::min(window_rows_, found.end - at);
        std::vector<int32_t>& offsets = sent_offsets_.emplace_back(static_cast<size_t>(count));
        std::vector<MPI_Aint> places(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i) {
          offsets[static_cast<size_t>(i)] = static_cast<int32_t>(list.row(at + i) - rows.begin);
          places[static_cast<size_t>(i)] = list.place(at + i) * whole_row_bytes();
        }
        auto row = describe_row(data);
        if (!row) {
          note(row.error());
          continue;
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_hindexed_block(static_cast<int>(count), 1, places.data(), row->type, &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&row->type);
        MPI_Request request;
        note(mpi::checked_mpi(MPI_Isend(offsets.data(), static_cast<int>(count), MPI_INT32_T, root,
                                        offsets_tag, layout_.global, &request),
                              "MPI_Isend"));
        requests_.push_back(request);
        note(mpi::checked_mpi(write_
                                  ? MPI_Isend(row->first, 1, type, root, rows_tag, layout_.global, &request)
                                  : MPI_Irecv(row->first, 1, type, root, rows_tag, layout_.global, &request),
                              "sending rows"));
        requests_.push_back(request);
        MPI_Type_free(&type);
      }
    }
  }

  int64_t whole_row_bytes() const {
    int64_t bytes = element_.bytes;
    for (size_t d = 1; d < dataset_.extents().size(); ++d) bytes *= dataset_.extents()[d];
    return bytes;
  }

  // Describes this pass's part of the first row in memory.
  Result<Described> describe_row(std::byte* data) const {
    if (part_.ndims() > 0) {
      const std::vector<int64_t> extents(dataset_.extents().begin() + 1, dataset_.extents().end());
      const Box whole = Box::whole(extents);
      return describe(part_, {whole, data}, element_.bytes);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(element_.bytes), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return Described{data, type};
  }

  // Receives the offsets in every message of every rank, in the order of ranks, and calls work(rank, number
  // of rows) for each message.
  template <typename Work>
  void for_messages(const std::vector<RowsAsked>& asked, Work work) {
    for (int rank = 0; rank < layout_.ranks; ++rank) {
      for (int64_t left = asked[static_cast<size_t>(rank)].count; left > 0;) {
        const int64_t count = std::min(left, window_rows_);
        note(mpi::checked_mpi(MPI_Recv(offsets_.data(), static_cast<int>(count), MPI_INT32_T, rank,
                                       offsets_tag, layout_.global, MPI_STATUS_IGNORE),
                              "MPI_Recv"));
        work(rank, count);
        left -= count;
      }
    }
  }

  // On a root in a write: receives the ranks' rows. If there are gaps between them, reads what the file holds
  // there, as data sieving does. Then writes rows and gaps to the file.
  void take(const std::vector<RowsAsked>& asked, int64_t round) {
    const Rows span = span_of(asked, round);
    const int64_t base = window(layout_.group, round).begin;
    std::fill(covered_.begin(), covered_.end(), 0);
    for_messages(asked, [&](int rank, int64_t count) {
      note(mpi::checked_mpi(MPI_Recv(message_.data(), static_cast<int>(count * row_bytes_), MPI_BYTE, rank,
                                     rows_tag, layout_.global, MPI_STATUS_IGNORE),
                            "MPI_Recv"));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t row = offsets_[static_cast<size_t>(i)];
        std::memcpy(window_.data() + row * row_bytes_, message_.data() + i * row_bytes_,
                    static_cast<size_t>(row_bytes_));
        covered_[static_cast<size_t>(row)] = 1;
      }
    });
    const auto covered = covered_.begin() + (span.begin - base);
    int holes = std::find(covered, covered + span.count(), 0) != covered + span.count() ? 1 : 0;
    if (collective()) MPI_Allreduce(MPI_IN_PLACE, &holes, 1, MPI_INT, MPI_MAX, layout_.io);
    if (holes != 0) {
      move(false, span, old_.data());
      for (int64_t row = span.begin - base; row < span.end - base; ++row) {
        if (covered_[static_cast<size_t>(row)]) continue;
        std::memcpy(window_.data() + row * row_bytes_, old_.data() + (row - (span.begin - base)) * row_bytes_,
                    static_cast<size_t>(row_bytes_));
      }
    }
    move(true, span, window_.data() + (span.begin - base) * row_bytes_);
  }

  // On a root in a read: reads the rows from the file, and sends them to the ranks that ask for them.
  void give(const std::vector<RowsAsked>& asked, int64_t round) {
    const Rows span = span_of(asked, round);
    const int64_t base = window(layout_.group, round).begin;
    move(false, span, window_.data() + (span.begin - base) * row_bytes_);
    for_messages(asked, [&](int rank, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(message_.data() + i * row_bytes_,
                    window_.data() + int64_t{offsets_[static_cast<size_t>(i)]} * row_bytes_,
                    static_cast<size_t>(row_bytes_));
      }
      note(mpi::checked_mpi(MPI_Send(message_.data(), static_cast<int>(count * row_bytes_), MPI_BYTE, rank,
                                     rows_tag, layout_.global),
                            "MPI_Send"));
    });
  }

  // Returns the rows from the first to the last that any rank asks for.
  Rows span_of(const std::vector<RowsAsked>& asked, int64_t round) const {
    const Rows rows = window(layout_.group, round);
    Rows span{rows.end, rows.begin};
    for (const RowsAsked& one : asked) {
      if (one.count == 0) continue;
      span.begin = std::min(span.begin, rows.begin + one.first);
      span.end = std::max(span.end, rows.begin + one.last + 1);
    }
    return span.count() > 0 ? span : Rows{rows.begin, rows.begin};
  }

  // A chunk may have rows of several roots. If it is compressed, only HDF5's collective calls can bring them
  // together.
  bool collective() const { return !dataset_.chunk().empty(); }

  void move(bool write, const Rows& span, std::byte* data) {
    if (span.count() == 0 && !collective()) return;
    const bool idle = span.count() == 0 || !outcome_;
    if (idle && !collective()) return;
    const Handle file_space(H5Dget_space(dataset_.id()), H5Sclose);
    std::vector<hsize_t> start{static_cast<hsize_t>(span.begin)}, count{static_cast<hsize_t>(span.count())};
    start.insert(start.end(), part_.start.begin(), part_.start.end());
    count.insert(count.end(), part_.count.begin(), part_.count.end());
    if (idle) count[0] = 1;  // describes memory that is not used
    const Handle memory_space(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                              H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    H5Pset_dxpl_mpio(properties, collective() ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    if (idle) {
      H5Sselect_none(file_space);
      H5Sselect_none(memory_space);
    } else if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) <
               0) {
      note(hdf5_error("could not select rows"));
      H5Sselect_none(file_space);
      H5Sselect_none(memory_space);
    }
    const herr_t code =
        write ? H5Dwrite(dataset_.id(), dataset_.cell_type(), memory_space, file_space, properties, data)
              : H5Dread(dataset_.id(), dataset_.cell_type(), memory_space, file_space, properties, data);
    note(transferred(code, dataset_.id(), write ? "could not write" : "could not read"));
  }

  const Layout& layout_;
  bool write_;
  Element element_;
  const Dataset& dataset_;
  const Box& part_;  // of a row; without dimensions if a row is an element
  int64_t row_bytes_ = 0, window_rows_ = 1, buffer_bytes_ = 0;
  std::vector<std::byte> window_, old_, message_;
  std::vector<int32_t> offsets_;
  std::vector<char> covered_;
  std::vector<std::vector<int32_t>> sent_offsets_;
  std::vector<MPI_Request> requests_;
  Status outcome_;
};

// Returns the parts of a row, one for each pass.
std::vector<Box> parts_of(const std::vector<int64_t>& extents, int64_t cell_bytes, int64_t buffer_bytes) {
  if (extents.size() == 1) return {Box{}};
  const Box whole = Box::whole({extents.begin() + 1, extents.end()});
  std::vector<Box> parts;
  if (whole.empty()) return parts;
  const int64_t most_cells =
      std::max<int64_t>(1, std::min((buffer_bytes - 5) / 3, most_bytes_a_message) / cell_bytes);
  for (Slab& slab : slabs_of({whole}, most_cells, {})) parts.push_back(std::move(slab.window));
  return parts;
}

Status move_all(Group& group, const Layout& layout, const Request& request, const Dataset& dataset,
                const List& list, std::byte* data) {
  Status outcome;
  for (const Box& part : parts_of(dataset.extents(), request.element.bytes, group.buffer_bytes)) {
    Pass pass(layout, request, dataset, part, group.buffer_bytes);
    if (Status status = agree(layout.global, without_exceptions([&] { return pass.reserve(); })); !status)
      return status;
    if (layout.is_root()) group.peak_bytes = std::max(group.peak_bytes, pass.buffer_bytes());
    // All ranks take part in every pass, also after an error.
    const Status moved = pass.run(list, data);
    if (outcome) outcome = moved;
  }
  return outcome;
}

}  // namespace

Status move_rows(Group& group, File& file, const Request& request, std::span<const int64_t> map, void* data) {
  auto dataset = Dataset::open(file, request);
  if (!dataset) return dataset.error();
  const Layout& layout = *file.layout;
  // The buffers that transfers of blocks left must not add to this call's memory.
  release_buffers(layout.global, nullptr);
  List list;
  HostCopy memory;
  Status status = without_exceptions([&]() -> Status {
    list = List(map, request.write);
    const Box row = Box::whole({dataset->extents().begin() + 1, dataset->extents().end()});
    return memory.make(data, std::ssize(map) * row.cells() * request.element.bytes);
  });
  if (status = agree(layout.global, status); status)
    status = move_all(group, layout, request, *dataset, list, memory.data());
  if (status && !request.write) status = memory.give_back();
  const Status closed = dataset->close();
  status = agree(layout.global, status ? closed : status);
  if (status) return {};
  return Error{status.error().kind, 0,
               fmt::format("dataset {}: {}", dataset->path(), status.error().message)};
}

}  // namespace concilio::scorpio
