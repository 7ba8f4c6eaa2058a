// Every rank opens the file and transfers its own part, as in programs that call HDF5 directly.
#include <mpi.h>

#include "scorpio/hdf5_support.h"
#include "scorpio/method.h"

namespace concilio::bench::scorpio {

namespace {

class Hdf5Method final : public Method {
 public:
  Hdf5Method(const Workload& workload, Transfer transfer) : workload_(workload), transfer_(transfer) {}

  std::string name() const override {
    return transfer_ == Transfer::collective ? "hdf5-collective" : "hdf5-independent";
  }

  std::string init() override {
    access_ = Handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    transfers_ = Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    const H5FD_mpio_xfer_t mode =
        transfer_ == Transfer::collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT;
    if (!access_.ok() || !transfers_.ok() ||
        H5Pset_fapl_mpio(access_.id(), MPI_COMM_WORLD, MPI_INFO_NULL) < 0 ||
        H5Pset_dxpl_mpio(transfers_.id(), mode) < 0)
      return hdf5_failure("property lists");
    return {};
  }

  std::string open_input(const std::string& path) override {
    input_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_.id()), H5Fclose);
    return input_.ok() ? "" : hdf5_failure("open " + path);
  }

  std::string read(const Dataset& dataset, void* data) override {
    Handle set(H5Dopen2(input_.id(), dataset.name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle memory = memory_space(), file = make_space(workload_.extents, workload_.part);
    if (!set.ok() || !memory.ok() || !file.ok() ||
        H5Dread(set.id(), memory_type(dataset.type), memory.id(), file.id(), transfers_.id(), data) < 0 ||
        !set.close())
      return hdf5_failure("read " + dataset.name);
    return {};
  }

  std::string open_output(const std::string& path) override {
    output_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_.id()), H5Fclose);
    return output_.ok() ? "" : hdf5_failure("create " + path);
  }

  std::string write(const Dataset& dataset, const void* data) override {
    Handle set = create_dataset(output_.id(), dataset, workload_.extents);
    const Handle memory = memory_space(), file = make_space(workload_.extents, workload_.part);
    if (!set.ok() || !memory.ok() || !file.ok() ||
        H5Dwrite(set.id(), memory_type(dataset.type), memory.id(), file.id(), transfers_.id(), data) < 0 ||
        !set.close())
      return hdf5_failure("write " + dataset.name);
    return {};
  }

  std::string close() override {
    const bool output = output_.close(), input = input_.close();
    return output && input ? "" : hdf5_failure("close");
  }

  std::string finish() override {
    const bool access = access_.close(), transfers = transfers_.close();
    return access && transfers ? "" : hdf5_failure("property lists");
  }

 private:
  Handle memory_space() const {
    return make_space(workload_.part.extents, {workload_.part.extents, Extents(workload_.extents.size(), 0)});
  }

  const Workload& workload_;
  Transfer transfer_;
  Handle access_, transfers_, input_, output_;
};

}  // namespace

std::unique_ptr<Method> make_hdf5_method(const Workload& workload, Transfer transfer) {
  return std::make_unique<Hdf5Method>(workload, transfer);
}

}  // namespace concilio::bench::scorpio
