#include "call_arguments.h"

namespace scorpio_oracle {
namespace {

std::vector<int> narrow(const Extents& extents) {
  return std::vector<int>(extents.begin(), extents.end());
}

void make_outside(CallArguments& arguments, const Dataset& dataset, Call call) {
  for (size_t d = 0; d < dataset.dims.size(); ++d) {
    const bool placed = call == Call::block || call == Call::same;
    arguments.local_starts[d] = placed ? dataset.dims[d] : 0;
    arguments.local_dims[d] = placed ? 1 : dataset.dims[d] + 1;
  }
  arguments.map.push_back(dataset.dims[0]);
}

void make_negative(CallArguments& arguments, Call call) {
  if (call == Call::block || call == Call::same) {
    arguments.local_dims.assign(arguments.local_dims.size(), 1);
    arguments.local_starts[0] = -1;
  } else {
    arguments.local_dims[0] = -1;
  }
  arguments.map.push_back(-1);
}

void spoil(CallArguments& arguments, const Dataset& dataset, const Op& op) {
  switch (op.wrong) {
    case Wrong::nothing:
      break;
    case Wrong::ndims:
      arguments.ndims += arguments.ndims > 1 ? -1 : 1;
      break;
    case Wrong::global_dims:
      if (op.division.call == Call::same) {
        make_outside(arguments, dataset, op.division.call);
      } else {
        arguments.global_dims[0] += 1;
      }
      break;
    case Wrong::type:
      arguments.type = arguments.type == SCORPIO_DOUBLE ? SCORPIO_BYTE : SCORPIO_DOUBLE;
      break;
    case Wrong::name:
      arguments.name += "_";
      break;
    case Wrong::outside:
      if (op.division.call == Call::entire) {
        arguments.global_dims[0] += 1;  // localdims are ignored
      } else {
        make_outside(arguments, dataset, op.division.call);
      }
      break;
    case Wrong::negative:
      if (op.division.call == Call::entire) {
        arguments.global_dims[0] = -1;
      } else {
        make_negative(arguments, op.division.call);
      }
      break;
  }
}

}  // namespace

CallArguments arguments_of(const Dataset& dataset, const Op& op, const std::string& name, int rank) {
  CallArguments arguments;
  arguments.type = dataset.type;
  arguments.ndims = static_cast<int>(dataset.dims.size());
  arguments.name = name;
  arguments.global_dims = dataset.dims;
  if (op.division.call == Call::map) {
    arguments.map = op.division.maps[static_cast<size_t>(rank)];
    arguments.local_dims = dataset.dims;
    arguments.local_starts.assign(dataset.dims.size(), 0);
    arguments.nothing_local = arguments.map.empty();
  } else {
    const Block& block = op.division.blocks[static_cast<size_t>(rank)];
    arguments.local_dims = block.count;
    arguments.local_starts = block.start;
    arguments.nothing_local = block.elements() == 0;
  }
  for (Extents* extents : {&arguments.global_dims, &arguments.local_dims, &arguments.local_starts}) {
    extents->resize(extents->size() + 1, 1);
  }
  if (rank == op.wrong_rank) spoil(arguments, dataset, op);
  return arguments;
}

int call_write(const CallArguments& arguments, const Op& op, const void* data, const OpenFile& file) {
  const char* name = arguments.name.c_str();
  const int64_t *global = arguments.global_dims.data(), *local = arguments.local_dims.data(),
                *start = arguments.local_starts.data();
  const std::vector<int> global_ints = narrow(arguments.global_dims),
                         local_ints = narrow(arguments.local_dims),
                         start_ints = narrow(arguments.local_starts);
  const iopattern_t pattern = op.division.pattern(true);
  switch (op.division.call) {
    case Call::map:
      return scorpio_write_dataset_map(data, arguments.type, arguments.ndims, global,
                                       std::ssize(arguments.map), arguments.map.data(), file.handle, name,
                                       file.group);
    case Call::block:
      if (op.wide) {
        return scorpio_write_dataset_block_64(data, arguments.type, arguments.ndims, global, local, start,
                                              file.handle, name, file.group);
      }
      return scorpio_write_dataset_block(data, arguments.type, arguments.ndims, global_ints.data(),
                                         local_ints.data(), start_ints.data(), file.handle, name, file.group);
    default:
      if (op.wide) {
        return scorpio_write_dataset_64(data, arguments.type, arguments.ndims, global, local, file.handle,
                                        name, file.group, pattern);
      }
      return scorpio_write_dataset(data, arguments.type, arguments.ndims, global_ints.data(),
                                   local_ints.data(), file.handle, name, file.group, pattern);
  }
}

int call_read(const CallArguments& arguments, const Op& op, void* data, const OpenFile& file) {
  const char* name = arguments.name.c_str();
  const int64_t *global = arguments.global_dims.data(), *local = arguments.local_dims.data(),
                *start = arguments.local_starts.data();
  const std::vector<int> global_ints = narrow(arguments.global_dims),
                         local_ints = narrow(arguments.local_dims),
                         start_ints = narrow(arguments.local_starts);
  const iopattern_t pattern = op.division.pattern(false);
  switch (op.division.call) {
    case Call::map:
      return scorpio_read_dataset_map(data, arguments.type, arguments.ndims, global,
                                      std::ssize(arguments.map), arguments.map.data(), file.handle, name,
                                      file.group);
    case Call::block:
      if (op.wide) {
        return scorpio_read_dataset_block_64(data, arguments.type, arguments.ndims, global, local, start,
                                             file.handle, name, file.group);
      }
      return scorpio_read_dataset_block(data, arguments.type, arguments.ndims, global_ints.data(),
                                        local_ints.data(), start_ints.data(), file.handle, name, file.group);
    case Call::same:
      if (op.wide) {
        return scorpio_read_same_sub_dataset_64(data, arguments.type, arguments.ndims, local, start,
                                                file.handle, name, file.group);
      }
      return scorpio_read_same_sub_dataset(data, arguments.type, arguments.ndims, local_ints.data(),
                                           start_ints.data(), file.handle, name, file.group);
    default:
      if (op.wide) {
        return scorpio_read_dataset_64(data, arguments.type, arguments.ndims, global, local, file.handle,
                                       name, file.group, pattern);
      }
      return scorpio_read_dataset(data, arguments.type, arguments.ndims, global_ints.data(),
                                  local_ints.data(), file.handle, name, file.group, pattern);
  }
}

}  // namespace scorpio_oracle
