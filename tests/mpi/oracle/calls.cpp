#include "calls.h"

namespace oracle {

MPI_Comm make_comm(MPI_Comm all, Openers openers) {
  int rank;
  MPI_Comm_rank(all, &rank);
  MPI_Comm comm = all;
  switch (openers) {
    case Openers::all:
      break;
    case Openers::all_reversed:
      MPI_Comm_split(all, 0, -rank, &comm);
      break;
    case Openers::copy_of_all:
      MPI_Comm_dup(all, &comm);
      break;
    case Openers::odd_and_even:
      MPI_Comm_split(all, rank % 2, rank, &comm);
      break;
    case Openers::self:
      comm = MPI_COMM_SELF;
      break;
    case Openers::copy_of_self:
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
  }
  return comm;
}

void free_comm(MPI_Comm all, MPI_Comm* comm) {
  if (*comm != all && *comm != MPI_COMM_SELF) MPI_Comm_free(comm);
}

int open_file(MPI_Comm comm, const std::string& path, int amode, const Opening& opening, MPI_File* file) {
  MPI_Info info = MPI_INFO_NULL;
  if (!opening.hints.empty()) {
    MPI_Info_create(&info);
    for (const auto& [name, value] : opening.hints) MPI_Info_set(info, name.c_str(), value.c_str());
  }
  const int code = MPI_File_open(comm, path.c_str(), amode, info, file);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return code;
}

int blocking_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type,
                  MPI_Status* status) {
  const int count = access.count;
  if (op.kind == OpKind::write && op.explicit_offset) {
    return (op.collective ? MPI_File_write_at_all : MPI_File_write_at)(file, access.offset, address, count,
                                                                       type, status);
  }
  if (op.kind == OpKind::write)
    return (op.collective ? MPI_File_write_all : MPI_File_write)(file, address, count, type, status);
  if (op.explicit_offset) {
    return (op.collective ? MPI_File_read_at_all : MPI_File_read_at)(file, access.offset, address, count,
                                                                     type, status);
  }
  return (op.collective ? MPI_File_read_all : MPI_File_read)(file, address, count, type, status);
}

int start_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type,
               MPI_Request* request) {
  const int count = access.count;
  if (op.kind == OpKind::write && op.explicit_offset) {
    return (op.collective ? MPI_File_iwrite_at_all : MPI_File_iwrite_at)(file, access.offset, address, count,
                                                                         type, request);
  }
  if (op.kind == OpKind::write)
    return (op.collective ? MPI_File_iwrite_all : MPI_File_iwrite)(file, address, count, type, request);
  if (op.explicit_offset) {
    return (op.collective ? MPI_File_iread_at_all : MPI_File_iread_at)(file, access.offset, address, count,
                                                                       type, request);
  }
  return (op.collective ? MPI_File_iread_all : MPI_File_iread)(file, address, count, type, request);
}

int begin_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type) {
  const int count = access.count;
  if (op.kind == OpKind::write) {
    return op.explicit_offset ? MPI_File_write_at_all_begin(file, access.offset, address, count, type)
                              : MPI_File_write_all_begin(file, address, count, type);
  }
  return op.explicit_offset ? MPI_File_read_at_all_begin(file, access.offset, address, count, type)
                            : MPI_File_read_all_begin(file, address, count, type);
}

int end_call(MPI_File file, const Op& op, void* address, MPI_Status* status) {
  if (op.kind == OpKind::write) {
    return op.explicit_offset ? MPI_File_write_at_all_end(file, address, status)
                              : MPI_File_write_all_end(file, address, status);
  }
  return op.explicit_offset ? MPI_File_read_at_all_end(file, address, status)
                            : MPI_File_read_all_end(file, address, status);
}

}  // namespace oracle
