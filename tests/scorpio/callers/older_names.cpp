// C++ code that calls the library by its older names (ASCEM-IO), as Amanzi does.
#include <parallelIO.h>

#include <string>
#include <vector>

#include "callers.h"

namespace {

class DataFile {
 public:
  DataFile(const std::string& name, file_mode_t mode) {
    make_group(&group_);
    file_ = parallelIO_open_file(name.c_str(), &group_, mode);
    EXPECT(file_ >= 0);
  }
  ~DataFile() {
    EXPECT(parallelIO_close_file(file_, &group_) == 0);
    EXPECT(parallelIO_IOgroup_cleanup(&group_) == 0);
  }

  void write(const std::string& path) {
    int global[] = {2 * ranks, 1}, local[] = {2, 1};
    double data[] = {rank + 0.25, rank + 0.5};
    std::vector<char> name(path.c_str(), path.c_str() + path.size() + 1);
    EXPECT(parallelIO_write_dataset(data, PIO_DOUBLE, 2, global, local, file_, name.data(), &group_,
                                    NONUNIFORM_CONTIGUOUS_WRITE) == 0);
  }

  void write_attribute(const std::string& name, const std::string& path, const std::string& value) {
    EXPECT(parallelIO_create_dataset_group(path.c_str(), file_, &group_) == 0);
    EXPECT(parallelIO_close_dataset_group(file_, &group_) == 0);
    EXPECT(parallelIO_write_simple_attr(name.c_str(), (void*)value.c_str(), PIO_STRING, file_, path.c_str(),
                                        &group_) == 0);
  }

  std::string attribute(const std::string& name, const std::string& path) {
    char* value = nullptr;
    EXPECT(parallelIO_read_simple_attr(name.c_str(), reinterpret_cast<void**>(&value), PIO_STRING, file_,
                                       path.c_str(), &group_) == 0);
    const std::string text = value ? value : "";
    std::free(value);
    return text;
  }

  // Rank 0 checks, and tells the others.
  bool has(const std::string& path) {
    int there = 0;
    if (rank == 0) {
      iofile_t* current = group_.file[file_];
      there = parallelIO_name_exists(current->fid, path.c_str());
    }
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return there != 0;
  }

  void check(const std::string& path) {
    int ndims = 0, global[2], size = 0;
    EXPECT(parallelIO_get_dataset_ndims(&ndims, file_, path.c_str(), &group_) == 0 && ndims == 2);
    EXPECT(parallelIO_get_dataset_dims(global, file_, path.c_str(), &group_) == 0);
    EXPECT(parallelIO_get_dataset_size(&size, file_, path.c_str(), &group_) == 0 && size == 2 * ranks);
    int local[] = {2, global[1]};
    double data[2] = {};
    EXPECT(parallelIO_read_dataset(data, PIO_DOUBLE, ndims, global, local, file_, path.c_str(), &group_,
                                   NONUNIFORM_CONTIGUOUS_READ) == 0);
    EXPECT(data[0] == rank + 0.25 && data[1] == rank + 0.5);
  }

 private:
  iogroup_t group_;
  int file_ = FAILURE;
};

}  // namespace

void test_older_names(void) {
  const std::string name = path_of("older.h5");
  {
    DataFile file(name, FILE_CREATE);
    file.write("pressure.cell.0/7");
    file.write_attribute("Time", "/my_group/", "12.5 s");
  }
  DataFile file(name, FILE_READONLY);
  file.check("pressure.cell.0/7");
  EXPECT(file.attribute("Time", "/my_group/") == "12.5 s");
  EXPECT(file.has("pressure.cell.0/7") && file.has("my_group") && file.has("/my_group"));
  EXPECT(!file.has("pressure.cell.0/8") && !file.has("nothing/at/all"));
}
