#include "scorpio/cells/slab_transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/exceptions.h"
#include "scorpio/cells/copy_cells.h"
#include "scorpio/cells/slab_plan.h"
#include "scorpio/hdf5_support.h"
#include "scorpio/ranks/agreement.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

Status select(hid_t space, const std::vector<Box>& boxes, const std::vector<int64_t>& origin) {
  H5S_seloper_t how = H5S_SELECT_SET;
  for (const Box& box : boxes) {
    std::vector<hsize_t> start(box.ndims());
    for (size_t d = 0; d < box.ndims(); ++d) start[d] = static_cast<hsize_t>(box.start[d] - origin[d]);
    if (H5Sselect_hyperslab(space, how, start.data(), nullptr, sizes(box.count).data(), nullptr) < 0)
      return hdf5_error("could not select a part of the dataset");
    how = H5S_SELECT_OR;
  }
  return {};
}

// Moves slabs between the root's memory and the file.
class Mover {
 public:
  explicit Mover(const Transfer& transfer) : transfer_(transfer) {}

  Status open() {
    properties_ = Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    return properties_.ok() ? Status() : hdf5_error("could not prepare a transfer");
  }

  // Decides what all roots must do alike: whether calls of HDF5 are collective, and how many there are.
  // Collective over the roots.
  Status prepare(const SlabPlan& plan) {
    bool scattered = !transfer_.chunk.empty();
    for (const Slab& slab : plan.slabs)
      scattered = scattered || !slab.full() || !contiguous_in(slab.window, transfer_.extents);
    int64_t most[3] = {scattered, plan.meets_others, static_cast<int64_t>(plan.slabs.size())};
    if (Status status = largest(transfer_.layout.io, most, 3); !status) return status;
    // If all slabs are contiguous in the file, collective I/O has nothing to combine. Besides, some MPI-IO
    // (Open MPI 4's vulcan and dynamic_gen2) loses bytes of collective reads whose parts overlap.
    collective_ = most[0] != 0 && most[1] == 0;
    rounds_ = most[2];
    if (H5Pset_dxpl_mpio(properties_, collective_ ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) < 0)
      outcome_ = hdf5_error("could not prepare a transfer");
    return outcome_;
  }

  // `held` is the box whose cells lie in memory at `data`; it includes the slab's cells. After an error
  // nothing more is moved, but this root still takes part in collective calls, so that the other roots are
  // not left waiting.
  void move(const Slab& slab, const Box& held, std::byte* data) {
    ++done_;
    if (!outcome_) {
      if (collective_) take_part();
      return;
    }
    outcome_ = attempt(slab, held, data);
  }

  Status finish() {
    if (collective_) {
      while (done_ < rounds_) {
        ++done_;
        take_part();
      }
    }
    return outcome_;
  }

 private:
  Status attempt(const Slab& slab, const Box& held, std::byte* data) {
    const Handle file_space(H5Dget_space(transfer_.dataset), H5Sclose);
    const Handle memory_space(
        H5Screate_simple(static_cast<int>(held.ndims()), sizes(held.count).data(), nullptr), H5Sclose);
    Status selected =
        file_space.ok() && memory_space.ok() ? Status() : hdf5_error("could not describe a slab");
    if (selected) selected = select(file_space, slab.boxes, std::vector<int64_t>(held.ndims()));
    if (selected) selected = select(memory_space, slab.boxes, held.start);
    // HDF5 would find these errors before it comes to what all roots do together. Then this root must take
    // part without data.
    if (selected && (H5Sselect_valid(file_space) <= 0 || H5Sselect_valid(memory_space) <= 0))
      selected = hdf5_error("a slab leaves the dataset");
    if (!selected) {
      if (collective_) take_part();
      return selected;
    }
    const herr_t code =
        transfer_.write
            ? H5Dwrite(transfer_.dataset, transfer_.type, memory_space, file_space, properties_, data)
            : H5Dread(transfer_.dataset, transfer_.type, memory_space, file_space, properties_, data);
    return transferred(code, transfer_.dataset, transfer_.write ? "could not write" : "could not read");
  }

  void take_part() {
    const Handle file_space(H5Dget_space(transfer_.dataset), H5Sclose);
    H5Sselect_none(file_space);
    const hsize_t one = 1;
    const Handle memory_space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    H5Sselect_none(memory_space);
    std::byte nothing[8] = {};
    const herr_t code =
        transfer_.write
            ? H5Dwrite(transfer_.dataset, transfer_.type, memory_space, file_space, properties_, nothing)
            : H5Dread(transfer_.dataset, transfer_.type, memory_space, file_space, properties_, nothing);
    const Status taken = transferred(code, transfer_.dataset, "another I/O group's part failed");
    if (outcome_) outcome_ = taken;
  }

  const Transfer& transfer_;
  Handle properties_;
  bool collective_ = false;
  int64_t rounds_ = 0, done_ = 0;
  Status outcome_;
};

// Moves one group's slabs through the two halves of the buffer: while the root moves one slab between buffer
// and file, the other ranks exchange the next.
class Pipeline {
 public:
  Pipeline(const Transfer& transfer, const SlabPlan& plan, const Box& block, std::byte* data)
      : transfer_(transfer), layout_(transfer.layout), plan_(plan), mine_{block, data} {}

  Status reserve(int64_t& peak_bytes) {
    int64_t window_bytes = 0;
    for (const Slab& slab : plan_.slabs)
      window_bytes = std::max(window_bytes, slab.window.cells() * transfer_.cell_bytes);
    half_bytes_ = plan_.slabs.size() > 1 ? window_bytes : 0;
    const int64_t bytes = plan_.slabs.size() > 1 ? 2 * window_bytes : window_bytes;
    const int64_t most = transfer_.buffer_bytes - Buffer::overhead_bytes;
    if (Status status = layout_.buffer.reserve(bytes, most); !status) return status;
    if (layout_.is_root()) peak_bytes = std::max(peak_bytes, layout_.buffer.reserved_bytes());
    return {};
  }

  void run(Mover& mover) {
    for (size_t k = 0; k < plan_.slabs.size(); ++k) {
      const Slab& slab = plan_.slabs[k];
      const Array buffer{slab.window, layout_.buffer.data() + (k % 2 == 1 ? half_bytes_ : 0)};
      if (transfer_.write) {
        exchange(slab, buffer);
        layout_.buffer.meet();
        if (layout_.is_root()) mover.move(slab, slab.window, buffer.data);
      } else {
        if (layout_.is_root()) mover.move(slab, slab.window, buffer.data);
        layout_.buffer.meet();
        exchange(slab, buffer);
      }
    }
    // All ranks must be done with the buffer before it serves another call.
    layout_.buffer.meet();
  }

  const Status& outcome() const { return outcome_; }

 private:
  void note(const Status& status) {
    if (outcome_) outcome_ = status;
  }

  // Moves this rank's cells of a slab between its memory and the buffer.
  void exchange(const Slab& slab, const Array& buffer) {
    if (layout_.is_root()) post_messages(slab, buffer);
    for (const Box& own : plan_.parts[static_cast<size_t>(layout_.local_rank)]) {
      if (!meet(own, slab.window)) continue;
      const Box part = intersection(own, slab.window);
      if (!layout_.buffer.shares()) {
        send_or_receive(part);
      } else if (transfer_.write) {
        copy_cells(part, mine_, buffer, transfer_.cell_bytes);
      } else {
        copy_cells(part, buffer, mine_, transfer_.cell_bytes);
      }
    }
    if (!requests_.empty()) {
      note(mpi::checked_mpi(
          MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall"));
      requests_.clear();
    }
  }

  // On the root: posts the messages for ranks that do not share its memory. Both sides go through the parts
  // in the same order.
  void post_messages(const Slab& slab, const Array& buffer) {
    for (const int rank : layout_.buffer.others()) {
      for (const Box& own : plan_.parts[static_cast<size_t>(rank)]) {
        if (!meet(own, slab.window)) continue;
        const Box part = intersection(own, slab.window);
        auto described = describe(part, buffer, transfer_.cell_bytes);
        if (!described) {
          note(described.error());
          continue;
        }
        requests_.emplace_back();
        note(mpi::checked_mpi(transfer_.write ? MPI_Irecv(described->first, 1, described->type, rank, tag,
                                                          layout_.local, &requests_.back())
                                              : MPI_Isend(described->first, 1, described->type, rank, tag,
                                                          layout_.local, &requests_.back()),
                              "a message within an I/O group"));
        MPI_Type_free(&described->type);
      }
    }
  }

  void send_or_receive(const Box& part) {
    auto described = describe(part, mine_, transfer_.cell_bytes);
    if (!described) return note(described.error());
    note(mpi::checked_mpi(
        transfer_.write
            ? MPI_Send(described->first, 1, described->type, 0, tag, layout_.local)
            : MPI_Recv(described->first, 1, described->type, 0, tag, layout_.local, MPI_STATUS_IGNORE),
        "a message within an I/O group"));
    MPI_Type_free(&described->type);
  }

  static constexpr int tag = 1;
  const Transfer& transfer_;
  Layout& layout_;
  const SlabPlan& plan_;
  const Array mine_;
  int64_t half_bytes_ = 0;
  std::vector<MPI_Request> requests_;
  Status outcome_;
};

}  // namespace

namespace {

// Runs one call with a buffer of at most transfer.buffer_bytes. Sets `no_buffer` if all ranks get an error of
// kind no_memory before anything is moved.
Status run_with(const Transfer& transfer, const Box& block, std::byte* data, const Status& mine,
                int64_t& peak_bytes, bool& no_buffer) {
  Layout& layout = transfer.layout;
  SlabPlan plan;
  Status status = without_exceptions([&]() -> Status {
    auto planned = plan_slabs(transfer, block);
    if (!planned) return planned.error();
    plan = std::move(*planned);
    return {};
  });
  Pipeline pipeline(transfer, plan, block, data);
  Mover mover(transfer);
  if (status && !plan.direct) status = pipeline.reserve(peak_bytes);
  if (status && layout.is_root()) status = mover.open();
  if (status) status = mine;
  // After this agreement the ranks of all groups take part, or no rank does.
  status = agree(layout.global, status);
  no_buffer = !status && status.error().kind == ErrorKind::no_memory;
  if (!status) return status;
  if (layout.is_root()) status = mover.prepare(plan);
  if (plan.direct) {
    if (status) {
      for (const Slab& slab : plan.slabs) mover.move(slab, block, data);
    }
  } else {
    pipeline.run(mover);
    if (status) status = pipeline.outcome();
  }
  if (layout.is_root()) {
    const Status moved = mover.finish();
    if (status) status = moved;
  }
  return status;
}

// A node may have less memory to share than the buffer may take, for example a container with a small
// /dev/shm. The buffer is then halved until it fits, but not below this size.
constexpr int64_t least_buffer_bytes = 64 << 10;

}  // namespace

Status run(const Transfer& transfer, const Box& block, std::byte* data, const Status& mine,
           int64_t& peak_bytes) {
  release_buffers(transfer.layout.global, &transfer.layout);
  Transfer smaller = transfer;
  for (;;) {
    bool no_buffer = false;
    Status status = run_with(smaller, block, data, mine, peak_bytes, no_buffer);
    if (!no_buffer || smaller.buffer_bytes / 2 < least_buffer_bytes) return status;
    smaller.buffer_bytes /= 2;
    transfer.layout.buffer.release();
  }
}

}  // namespace concilio::scorpio
