// Soft links, and groups that a program opens to make its names relative to them.
#include <algorithm>
#include <iterator>

#include "scorpio/c/call.h"
#include "scorpio/files/objects.h"

namespace concilio::scorpio {
namespace {

constexpr uint64_t low_bits = 0xffffffffU;

// Programs keep ids in 32-bit integers. Of an HDF5 identifier, these hold its number among the groups. The id
// 0 means the file's root, so a group whose number is 0 is opened again to get another.
Result<Handle> with_told_number(Handle group, const std::string& path) {
  if ((static_cast<uint64_t>(static_cast<hid_t>(group)) & low_bits) != 0) return group;
  Handle again(H5Gopen2(group, ".", H5P_DEFAULT), H5Gclose);
  if (!again.ok()) return hdf5_error(fmt::format("could not open group {}", path));
  return again;
}

bool means(const OpenGroup& open, int64_t id) {
  return ((static_cast<uint64_t>(open.id) ^ static_cast<uint64_t>(id)) & low_bits) == 0;
}

// Returns the group's place in File::groups. All I/O groups must mean the same one. This and the functions
// that follow are collective over the roots.
Result<size_t> open_group_of(const File& file, int64_t id, const char* call) {
  const auto found = std::find_if(file.groups.rbegin(), file.groups.rend(),
                                  [&](const OpenGroup& open) { return means(open, id); });
  const bool known = found != file.groups.rend();
  const Status mine = known ? Status()
                            : Status(Error{ErrorKind::argument, 0,
                                           fmt::format("{} is no id of a group that is open here", id)});
  const std::string path = known ? found->path : "none";
  const size_t place = known ? static_cast<size_t>(file.groups.rend() - found) - 1 : 0;
  const std::string which = fmt::format("{} group {} (opened as number {})", call, path, place + 1);
  if (Status status = agree_on({file.layout->io, file.name, &file.layout->roots},
                               known ? which : fmt::format("{} an unknown group", call), mine);
      !status)
    return status.error();
  return place;
}

void put_in(File& file, OpenGroup group) {
  file.shown.groupid = group.handle;
  file.groups.push_back(std::move(group));
  file.in_group = true;
}

// Whichever group is closed, names begin at the root again. With relative_names they begin at the group that
// is then the last.
void take_out(File& file, int64_t id) {
  const auto last = std::find_if(file.groups.rbegin(), file.groups.rend(),
                                 [&](const OpenGroup& open) { return means(open, id); });
  if (last != file.groups.rend()) file.groups.erase(std::next(last).base());
  file.in_group = file.relative_names && !file.groups.empty();
  file.shown.groupid = file.in_group ? file.groups.back().handle : -1;
}

Status open_group(File& file, const std::string& path, int64_t& id) {
  Handle group;
  Status opened = among_roots(file, [&]() -> Status {
    auto made = open_or_make_group(file, path);
    if (!made) return made.error();
    auto told = with_told_number(std::move(*made), path);
    if (!told) return told.error();
    group = std::move(*told);
    return {};
  });
  if (!opened) return opened;
  id = group;
  H5Iinc_ref(group);  // stays open when `group` ends
  put_in(file, {path, id, group});
  return {};
}

Status close_open_group(File& file, int64_t id) {
  const auto place = open_group_of(file, id, "closes");
  if (!place) return place.error();
  const OpenGroup closing = file.groups[*place];
  take_out(file, id);
  return among_roots(file, [&]() -> Status {
    if (H5Gclose(closing.handle) < 0)
      return hdf5_error(fmt::format("could not close group {}", closing.path));
    return {};
  });
}

Status make_link(File& file, const std::string& target, int64_t location, const std::string& name) {
  std::string base;
  if (location > 0) {
    const auto place = open_group_of(file, location, "links in");
    if (!place) return place.error();
    base = file.groups[*place].path;
  }
  const std::string path = file.path_of(name.front() == '/' ? name : base + "/" + name);
  return among_roots(file, [&]() -> Status {
    if (Status status = may_change(file, path); !status) return status;
    if (Status status = make_parents(file, path); !status) return status;
    const htri_t there = H5Lexists(file.id, path.c_str(), H5P_DEFAULT);
    if (there < 0) return hdf5_error("could not look for " + path);
    if (there > 0) return Error{ErrorKind::file_exists, 0, fmt::format("{} is there already", path)};
    if (H5Lcreate_soft(target.c_str(), file.id, path.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
      return hdf5_error(fmt::format("could not link {} to {}", path, target));
    return {};
  });
}

// Closes the group whose id id_in(File&) returns.
template <typename IdIn>
int close_group(IdIn id_in, int handle, iogroup_t* group) noexcept {
  const char* const call = "closes a group";
  const auto close = [&](File& file, int64_t&) { return close_open_group(file, id_in(file)); };
  const auto follow = [&](File& file, int64_t) { take_out(file, id_in(file)); };
  return on_roots({group, handle, call, call, {}}, close, follow);
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" {

int64_t scorpio_create_dataset_group(const char* group_name, int fhandle, iogroup_t* group) {
  int64_t id = FAILURE;
  const int outcome = guarded([&]() -> int {
    const std::string name = text_of(group_name);
    const std::string call = fmt::format("opens group {}", name);
    const auto open = [&](File& file, int64_t& made) {
      Status opened = open_group(file, file.path_of(name), made);
      id = made;
      return opened;
    };
    const auto follow = [&](File& file, int64_t made) {
      id = made;
      put_in(file, {file.path_of(name), id, -1});
    };
    return on_roots({group, fhandle, call, call, has_name(group_name, "a group")}, open, follow);
  });
  return outcome == 0 ? id : FAILURE;
}

int scorpio_close_dataset_group(int64_t groupid, int fhandle, iogroup_t* group) {
  return close_group([&](const File&) { return groupid; }, fhandle, group);
}

int scorpio_close_last_dataset_group(int fhandle, iogroup_t* group) {
  const auto last = [](const File& file) {
    return file.groups.empty() ? int64_t{-1} : file.groups.back().id;
  };
  return close_group(last, fhandle, group);
}

int scorpio_create_link(const char* target, int64_t link_location, const char* link_name, int fhandle,
                        iogroup_t* group) {
  return guarded([&]() -> int {
    const std::string to = text_of(target), name = text_of(link_name);
    Status mine = has_name(target, "a link's target");
    if (mine) mine = has_name(link_name, "a link");
    const char* where = link_location > 0 ? "a group" : "the root";
    const RootCall root_call{group, fhandle, fmt::format("links {} to {}", name, to),
                             fmt::format("links {} in {} to {}", name, where, to), mine};
    return on_roots(
        root_call, [&](File& file, int64_t&) { return make_link(file, to, link_location, name); },
        [](File&, int64_t) {});
  });
}

}  // extern "C"
