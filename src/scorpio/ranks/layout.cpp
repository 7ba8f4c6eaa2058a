#include "scorpio/ranks/layout.h"

#include <algorithm>
#include <list>
#include <map>

#include "base/checked.h"
#include "scorpio/ranks/agreement.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

// What is kept about a communicator of the program.
struct Known {
  MPI_Comm comm = MPI_COMM_NULL;  // a duplicate of the program's
  int groups_made = 0;
  std::map<std::pair<int, bool>, LayoutRef> layouts;  // by group size, and whether memory is shared
  int ranks_per_node = 0;
};

std::list<Known>& all_known() {
  static std::list<Known> known;
  return known;
}

void free_layout(Layout& layout) {
  layout.buffer.detach();
  for (MPI_Comm* comm : {&layout.io, &layout.local}) {
    if (*comm == MPI_COMM_NULL) continue;
    forget_small(*comm);
    MPI_Comm_free(comm);
  }
}

// MPI calls this at the beginning of MPI_Finalize, while its other functions still work.
int forget_all(MPI_Comm, int, void*, void*) {
  for (Known& known : all_known()) {
    for (auto& [key, layout] : known.layouts) {
      layout->notices.end(layout->local);
      free_layout(*layout);
    }
    forget_small(known.comm);
    MPI_Comm_free(&known.comm);
  }
  all_known().clear();
  return MPI_SUCCESS;
}

void forget_at_finalize() {
  static bool done = false;
  if (done) return;
  done = true;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
}

Result<Known*> known_of(MPI_Comm comm) {
  for (Known& known : all_known()) {
    int compared = MPI_UNEQUAL;
    MPI_Comm_compare(known.comm, comm, &compared);
    if (compared == MPI_IDENT || compared == MPI_CONGRUENT) return &known;
  }
  forget_at_finalize();
  Known known;
  const Party party{comm, ""};
  const std::string call = "makes an I/O group";
  MPI_Request request = MPI_REQUEST_NULL;
  Status status = mpi::checked_mpi(MPI_Comm_idup(comm, &known.comm, &request), "MPI_Comm_idup");
  if (status) status = finish(request, "MPI_Comm_idup", complaint_of(party, call));
  if (!status) return status.error();
  MPI_Comm_set_errhandler(known.comm, MPI_ERRORS_RETURN);
  all_known().push_back(std::move(known));
  return &all_known().back();
}

struct Groups {
  int size, ranks;

  int number() const { return static_cast<int>(ceil_divide(ranks, size)); }
  int first(int group) const { return static_cast<int>(std::min<int64_t>(ranks, int64_t{group} * size)); }
  int of(int rank) const { return rank / size; }
};

// Makes the communicators of this group and of the roots. Every rank knows their members without
// communication. So MPI_Comm_create_group serves, which does not sort ranks and does not wait for other
// groups.
Status make_communicators(Layout& layout, const Groups& groups) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm_group(layout.global, &all);
  int range[1][3] = {{groups.first(layout.group), groups.first(layout.group + 1) - 1, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  Status status =
      mpi::checked_mpi(MPI_Comm_create_group(layout.global, some, 1, &layout.local), "MPI_Comm_create_group");
  MPI_Group_free(&some);
  if (status && layout.rank == groups.first(layout.group)) {
    MPI_Group_incl(all, layout.groups, layout.roots.data(), &some);
    status =
        mpi::checked_mpi(MPI_Comm_create_group(layout.global, some, 2, &layout.io), "MPI_Comm_create_group");
    MPI_Group_free(&some);
  }
  MPI_Group_free(&all);
  for (const MPI_Comm comm : {layout.local, layout.io}) {
    if (comm != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  return status;
}

}  // namespace

Result<LayoutRef> layout_of(MPI_Comm comm, int group_size, bool share_memory) {
  auto known = known_of(comm);
  if (!known) return known.error();
  int ranks = 1, rank = 0;
  MPI_Comm_size((*known)->comm, &ranks);
  MPI_Comm_rank((*known)->comm, &rank);
  group_size = std::min(group_size, ranks);
  const auto made_before = (*known)->layouts.find({group_size, share_memory});
  if (made_before != (*known)->layouts.end()) return made_before->second;

  auto made = std::make_shared<Layout>();
  const Groups groups{group_size, ranks};
  made->global = (*known)->comm;
  made->rank = rank;
  made->ranks = ranks;
  made->groups = groups.number();
  made->group = groups.of(rank);
  made->group_size = group_size;
  for (int group = 0; group < made->groups; ++group) made->roots.push_back(groups.first(group));
  for (int member = groups.first(made->group); member < groups.first(made->group + 1); ++member)
    made->members.push_back(member);
  Status status = agree(made->global, make_communicators(*made, groups));
  if (status) {
    MPI_Comm_rank(made->local, &made->local_rank);
    MPI_Comm_size(made->local, &made->local_ranks);
    status = made->buffer.attach(made->local, share_memory);
  }
  if (status = agree(made->global, status); !status) {
    free_layout(*made);
    return status.error();
  }
  (*known)->layouts[{group_size, share_memory}] = made;
  return LayoutRef(made);
}

Result<OwnCommunicator> own_communicator(MPI_Comm comm) {
  const auto known = known_of(comm);
  if (!known) return known.error();
  return OwnCommunicator{(*known)->comm, ++(*known)->groups_made};
}

std::vector<LayoutRef> layouts_of(MPI_Comm own) {
  std::vector<LayoutRef> layouts;
  for (const Known& known : all_known()) {
    if (known.comm != own) continue;
    for (const auto& [key, layout] : known.layouts) layouts.push_back(layout);
  }
  return layouts;
}

void release_buffers(MPI_Comm own, const Layout* but) {
  for (const LayoutRef& layout : layouts_of(own)) {
    if (layout.get() != but) layout->buffer.release();
  }
}

Result<int> ranks_per_node(MPI_Comm comm) {
  auto known = known_of(comm);
  if (!known) return known.error();
  int& most = (*known)->ranks_per_node;
  if (most == 0) {
    MPI_Comm node = MPI_COMM_NULL;
    int size = 1;
    if (Status status = mpi::checked_mpi(
            MPI_Comm_split_type((*known)->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
        !status)
      return status.error();
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    MPI_Allreduce(&size, &most, 1, MPI_INT, MPI_MAX, (*known)->comm);
  }
  return most;
}

}  // namespace concilio::scorpio
