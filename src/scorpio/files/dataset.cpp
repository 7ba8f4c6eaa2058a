#include "scorpio/files/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/exceptions.h"
#include "scorpio/cells/host_copy.h"
#include "scorpio/cells/slab_transfer.h"
#include "scorpio/files/netcdf.h"
#include "scorpio/files/objects.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

constexpr int64_t chosen_chunk_bytes = int64_t{1} << 20;

bool compresses(const Creation& creation) {
  return creation.deflate > 0 || creation.shuffle;
}

// Returns the extents of the chunks of a new dataset; empty: it has none.
std::vector<int64_t> chunk_for(const Creation& creation, const std::vector<int64_t>& extents,
                               int64_t cell_bytes) {
  if (std::any_of(extents.begin(), extents.end(), [](int64_t n) { return n == 0; })) return {};
  std::vector<int64_t> chunk = extents;
  if (creation.chunk.size() == extents.size()) {
    for (size_t d = 0; d < chunk.size(); ++d) chunk[d] = std::min(creation.chunk[d], extents[d]);
    return chunk;
  }
  if (!compresses(creation)) return {};
  // Chunks are made thinner along the slowest varying dimension that is not yet thin, so that they stay long
  // where the file is contiguous.
  int64_t bytes = Box::whole(extents).cells();
  bytes = bytes > (int64_t{1} << 60) / cell_bytes ? int64_t{1} << 60 : bytes * cell_bytes;
  for (size_t d = 0; d < chunk.size() && bytes > chosen_chunk_bytes; ++d) {
    const int64_t row_bytes = std::max<int64_t>(1, bytes / chunk[d]);
    chunk[d] = std::max<int64_t>(1, chosen_chunk_bytes / row_bytes);
    bytes = row_bytes * chunk[d];
  }
  return chunk;
}

bool fits(const Request& request, const std::vector<int64_t>& extents) {
  if (request.extents.empty() || request.extents == extents) return true;
  return request.first_rows && request.extents.size() == extents.size() && request.extents[0] <= extents[0] &&
         std::equal(extents.begin() + 1, extents.end(), request.extents.begin() + 1);
}

}  // namespace

std::string words_of(const std::vector<int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

Result<Dataset> Dataset::open(File& file, const Request& request) {
  Dataset dataset(file);
  dataset.path_ = file.path_of(request.name, request.in_open_group);
  Status status = at_roots(file, [&] { return dataset.open_on_root(request); });
  if (status) status = dataset.share_description();
  if (!status)
    return Error{status.error().kind, 0,
                 fmt::format("dataset {}: {}", dataset.path_, status.error().message)};
  return dataset;
}

Status Dataset::open_on_root(const Request& request) {
  if (path_ == "/") return Error{ErrorKind::argument, 0, "the name of a dataset is missing"};
  if (request.write) {
    Status status = may_change(*file_, path_);
    if (status && file_->netcdf) status = make_way(file_->id, path_, request.extents);
    if (!status) return status;
  }
  const auto there = kind_of(file_->id, path_);
  if (!there) return there.error();
  if (*there == Kind::none) {
    if (!request.write) return Error{ErrorKind::no_such_file, 0, "there is no such dataset in the file"};
    if (Status made = make(request); !made) {
      if (file_->netcdf) take_back(file_->id, path_);
      return made;
    }
  } else {
    id_ = Handle(H5Dopen2(file_->id, path_.c_str(), H5P_DEFAULT), H5Dclose);
    if (!id_.ok()) return hdf5_error("could not open it");
  }
  if (Status status = measure(); !status) return status;
  if (Status status = take_type(request.element); !status) return status;
  if (!fits(request, extents_))
    return Error{
        ErrorKind::argument, 0,
        fmt::format("its extents are {}, the call gives {}", words_of(extents_), words_of(request.extents))};
  if (!request.write) plain_ = plain_dataset(*file_, id_, type_);
  return {};
}

Status Dataset::make(const Request& request) {
  const Handle space(
      H5Screate_simple(static_cast<int>(request.extents.size()), sizes(request.extents).data(), nullptr),
      H5Sclose);
  const Handle creation = creation_properties(*file_, H5P_DATASET_CREATE);
  bool well = space.ok() && creation.ok();
  const std::vector<int64_t> chunk = chunk_for(file_->creation, request.extents, request.element.bytes);
  if (well && !chunk.empty()) {
    well = H5Pset_chunk(creation, static_cast<int>(chunk.size()), sizes(chunk).data()) >= 0;
    if (well && file_->creation.shuffle) well = H5Pset_shuffle(creation) >= 0;
    if (well && file_->creation.deflate > 0)
      well = H5Pset_deflate(creation, static_cast<unsigned>(file_->creation.deflate)) >= 0;
  }
  if (!well) return hdf5_error("could not prepare its creation");
  if (Status made = make_parents(*file_, path_); !made) return made;
  id_ = Handle(
      H5Dcreate2(file_->id, path_.c_str(), request.element.hdf5, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  if (!id_.ok()) return hdf5_error("could not create it");
  if (!file_->netcdf) return {};
  return add_dimension_scales(*file_, id_, path_, request.extents);
}

Status Dataset::take_type(const Element& element) {
  type_ = Handle(H5Dget_type(id_), H5Tclose);
  if (!type_.ok()) return hdf5_error("could not find its type");
  if (!holds_bytes(type_, element)) type_ = Handle(H5Tcopy(element.hdf5), H5Tclose);
  return {};
}

Status Dataset::measure() {
  auto extents = extents_of(id_, path_);
  if (!extents) return extents.error();
  extents_ = std::move(*extents);
  const Handle creation(H5Dget_create_plist(id_), H5Pclose);
  if (creation.ok() && H5Pget_layout(creation) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(extents_.size());
    if (H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()) < 0)
      return hdf5_error("could not ask for its chunks");
    chunk_.assign(chunk.begin(), chunk.end());
  }
  return {};
}

Status Dataset::share_description() {
  const MPI_Comm local = file_->layout->local;
  // There is room for the extents of any dataset, so that one call tells them all.
  constexpr int others = 5, most = others + 2 * H5S_MAX_RANK;
  int64_t numbers[most] = {std::ssize(extents_), std::ssize(chunk_), plain_.offset, plain_.file.device,
                           plain_.file.inode};
  std::copy(chunk_.begin(), chunk_.end(), std::copy(extents_.begin(), extents_.end(), numbers + others));
  Status status = told(local, numbers, most);
  const int64_t* extents = numbers + others;
  extents_.assign(extents, extents + numbers[0]);
  chunk_.assign(extents + numbers[0], extents + numbers[0] + numbers[1]);
  plain_ = {numbers[2], {numbers[3], numbers[4]}};
  return status;
}

Status Dataset::close() {
  if (!id_.close()) return hdf5_error("could not close it");
  return {};
}

Status check_block(const Box& block, const std::vector<int64_t>& extents, const void* data) {
  if (block.ndims() != extents.size())
    return Error{ErrorKind::argument, 0,
                 fmt::format("it has {} dimensions, the call gives {}", extents.size(), block.ndims())};
  if (block.empty()) return {};
  if (!Box::whole(extents).contains(block))
    return Error{ErrorKind::argument, 0,
                 fmt::format("a block of {} at ({}) leaves its extents, {}", words_of(block.count),
                             fmt::join(block.start, ", "), words_of(extents))};
  if (!data) return Error{ErrorKind::argument, 0, "the memory of a block is missing"};
  return {};
}

Status move_blocks(Group& group, File& file, const Request& request, const Box& block, void* data) {
  auto dataset = Dataset::open(file, request);
  if (!dataset) return dataset.error();
  const Transfer transfer{*file.layout,         request.write,         dataset->id(),
                          dataset->cell_type(), request.element.bytes, dataset->extents(),
                          dataset->chunk(),     group.buffer_bytes,    !request.write && file.writable};
  Status status = check_block(block, dataset->extents(), data);
  HostCopy memory;
  if (status)
    status = without_exceptions([&] { return memory.make(data, block.cells() * request.element.bytes); });
  // A block that is refused is replaced by an empty one that has the dataset's dimensions, since planning
  // takes the blocks of all ranks.
  const size_t ndims = dataset->extents().size();
  const Box planned = status ? block : Box::nothing(ndims);
  // To the plan of its group, a rank that reads its part itself is one that wants nothing.
  const bool may_read_itself = status && !request.write && file.layout->buffer.shares();
  const OwnRead own = may_read_itself ? OwnRead::prepare(file.name, dataset->plain(), block,
                                                         dataset->extents(), request.element.bytes)
                                      : OwnRead();
  status = run(transfer, own ? Box::nothing(ndims) : planned, memory.data(), status, group.peak_bytes);
  if (status && own) status = own.run(memory.data());
  if (status && !request.write) status = memory.give_back();
  const Status closed = dataset->close();
  status = agree(file.layout->global, status ? closed : status);
  if (status) return {};
  return Error{status.error().kind, 0,
               fmt::format("dataset {}: {}", dataset->path(), status.error().message)};
}

}  // namespace concilio::scorpio
