// Files by the C++ bindings that MPI had until version 3.0: data, exceptions, and error handlers made in C++.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("rank %d: not so: %s\n", MPI::COMM_WORLD.Get_rank(), what);
}

int handler_calls = 0, handler_class = MPI_SUCCESS;
bool handler_has_file = false;
const MPI::File* handler_expects = nullptr;

void handler(MPI::File& file, int* code, ...) {
  ++handler_calls;
  handler_class = MPI::Get_error_class(*code);
  handler_has_file = handler_expects && file == *handler_expects;
}

MPI::File open(const std::string& path) {
  return MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_CREATE | MPI::MODE_RDWR, MPI::INFO_NULL);
}

// The class of the error that a call throws. 0: it throws nothing. As most distributions build Open MPI, it
// throws nothing either, but stores the code.
template <typename Call>
int thrown_by(Call call) {
  try {
#ifdef OPEN_MPI
    MPI::mpi_errno = MPI_SUCCESS;
    call();
    return MPI::Get_error_class(MPI::mpi_errno);
#else
    call();
#endif
  } catch (MPI::Exception& exception) {
    return exception.Get_error_class();
  }
  return MPI_SUCCESS;
}

void data(const std::string& path) {
  const int rank = MPI::COMM_WORLD.Get_rank(), ranks = MPI::COMM_WORLD.Get_size();
  MPI::File file = open(path);
  MPI::Datatype tile =
      MPI::INT.Create_vector(1, 1, 1).Create_resized(0, static_cast<MPI::Aint>(ranks * sizeof(int)));
  tile.Commit();
  file.Set_view(static_cast<MPI::Offset>(rank * sizeof(int)), MPI::INT, tile, "native", MPI::INFO_NULL);
  int written[16], back[16] = {};
  for (int i = 0; i < 16; ++i) written[i] = 100 * i + rank;
  file.Write_all(written, 16, MPI::INT);
  file.Seek(0, MPI_SEEK_SET);
  MPI::Status status;
  file.Read_all(back, 16, MPI::INT, status);
  check(status.Get_count(MPI::INT) == 16, "16 integers are read");
  check(std::memcmp(written, back, sizeof back) == 0, "what was written is read");
  MPI::Request request = file.Iread_at(0, back, 1, MPI::INT);
  request.Wait();
  check(back[0] == rank, "Iread_at reads the first integer");
  tile.Free();
  file.Close();
}

void exceptions(const std::string& path) {
  MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  MPI::File file;
  check(thrown_by([&] {
          file = MPI::File::Open(MPI::COMM_WORLD, (path + "/no such file").c_str(), MPI::MODE_RDONLY,
                                 MPI::INFO_NULL);
        }) != MPI_SUCCESS,
        "an open that fails throws");
  file = open(path);
  check(thrown_by([&] { file.Seek(-5, MPI_SEEK_SET); }) == MPI_ERR_ARG,
        "a file inherits the handler of FILE_NULL");
  file.Set_errhandler(MPI::ERRORS_RETURN);
  check(thrown_by([&] { file.Seek(-5, MPI_SEEK_SET); }) == MPI_SUCCESS,
        "with ERRORS_RETURN nothing is thrown");
  file.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  check(thrown_by([&] { file.Seek(-5, MPI_SEEK_SET); }) == MPI_ERR_ARG, "a call that fails throws");
  check(thrown_by([&] { file.Set_size(-1); }) != MPI_SUCCESS, "so does a collective call, on all ranks");
  MPI::Errhandler found = file.Get_errhandler();
  check(found == MPI::ERRORS_THROW_EXCEPTIONS, "Get_errhandler gives the handler that was set");
  file.Close();
  MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
}

void handlers(const std::string& path) {
  MPI::File file = open(path);
  MPI::Errhandler made = MPI::File::Create_errhandler(handler);
  file.Set_errhandler(made);
  handler_expects = &file;
  file.Seek(-5, MPI_SEEK_SET);
  check(handler_calls > 0 && handler_class == MPI_ERR_ARG, "a C++ handler is called with the error's code");
#ifndef OPEN_MPI  // whose handlers get a file of its own
  check(handler_has_file, "and with the file");
#endif
  const int before = handler_calls;
  file.Call_errhandler(MPI_ERR_QUOTA);
  check(handler_calls > before && handler_class == MPI_ERR_QUOTA, "Call_errhandler calls it");
  made.Free();
  file.Close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const std::string path = std::string(argc > 1 ? argv[1] : ".") + "/cxx_bindings.dat";
  data(path);
  exceptions(path);
  handlers(path);
  int all = 0;
  MPI::COMM_WORLD.Allreduce(&failures, &all, 1, MPI::INT, MPI::SUM);
  if (all == 0 && MPI::COMM_WORLD.Get_rank() == 0) std::printf("everything holds\n");
  MPI::Finalize();
  return all == 0 ? 0 : 1;
}
