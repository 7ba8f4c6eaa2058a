! SCORPIO for Fortran: the constants of scorpiof.h and some more, and an explicit interface of every routine of libconcilio_scorpio.
!
! Nothing here is to be linked: compile it with your program's compiler, and have the module file. Calls are those
! of the old include file, so that a program may use either. Extents and offsets are C's: the slowest varying
! dimension, the last of a Fortran array, comes first, and offsets begin at 0. A name ends at CHAR(0), or, without
! one, before the blanks at its end. ierr is 0 or FAILURE on all ranks alike.
module concilio_scorpio
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private :: int64, real64
  public

  integer, parameter :: FAILURE = -1

  integer, parameter :: SCORPIO_UNIFORM_CONTIGUOUS_READ = 0
  integer, parameter :: SCORPIO_NONUNIFORM_CONTIGUOUS_READ = 1
  integer, parameter :: SCORPIO_NONCONTIGUOUS_READ = 2
  integer, parameter :: SCORPIO_EVERYONE_ENTIRE_DATASET_READ = 3
  integer, parameter :: SCORPIO_UNIFORM_CONTIGUOUS_WRITE = 4
  integer, parameter :: SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE = 5
  integer, parameter :: SCORPIO_NONCONTIGUOUS_WRITE = 6

  integer, parameter :: SCORPIO_FILE_CREATE = 0
  integer, parameter :: SCORPIO_FILE_READONLY = 1
  integer, parameter :: SCORPIO_FILE_READWRITE = 2
  integer, parameter :: SCORPIO_FILE_CREATE_NETCDF4 = 3

  ! integer, real(real64), real(real32), integer(int64), character, integer(int8) taken as 0 to 255
  integer, parameter :: SCORPIO_INTEGER = 0
  integer, parameter :: SCORPIO_DOUBLE = 1
  integer, parameter :: SCORPIO_FLOAT = 2
  integer, parameter :: SCORPIO_LONG = 3
  integer, parameter :: SCORPIO_CHAR = 4
  integer, parameter :: SCORPIO_BYTE = 5

  interface
    ! --- I/O groups and files

    ! comm: of mpif.h or use mpi; of use mpi_f08 give comm%MPI_VAL
    subroutine fscorpio_iogroup_init(numgroups, comm, gid, ierr)
      integer, intent(in) :: numgroups, comm
      integer, intent(out) :: gid, ierr
    end subroutine fscorpio_iogroup_init

    ! numgroups decides if it is above 0. With neither above 0 the library chooses the groups.
    subroutine fscorpio_iogroup_init2(preferredsize, numgroups, comm, gid, ierr)
      integer, intent(in) :: preferredsize, numgroups, comm
      integer, intent(out) :: gid, ierr
    end subroutine fscorpio_iogroup_init2

    subroutine fscorpio_iogroup_cleanup(gid, ierr)
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_iogroup_cleanup

    ! All groups there are.
    subroutine fscorpio_cleanup(ierr)
      integer, intent(out) :: ierr
    end subroutine fscorpio_cleanup

    ! How many groups there are, the number of this rank's, its rank in it, its size. Local.
    subroutine fscorpio_iogroup_info(numgroups, number, localrank, localsize, gid, ierr)
      integer, intent(out) :: numgroups, number, localrank, localsize
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_iogroup_info

    subroutine fscorpio_open_file(filename, gid, mode, fid, ierr)
      character(len=*), intent(in) :: filename
      integer, intent(in) :: gid, mode
      integer, intent(out) :: fid, ierr
    end subroutine fscorpio_open_file

    subroutine fscorpio_close_file(fid, gid, ierr)
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_close_file

    ! Why this rank's last call failed. Local.
    subroutine fscorpio_last_error(text)
      character(len=*), intent(out) :: text
    end subroutine fscorpio_last_error

    subroutine fscorpio_set_buffer_bytes(bytes, gid, ierr)
      import :: int64
      integer(int64), intent(in) :: bytes
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_set_buffer_bytes

    ! Local.
    subroutine fscorpio_peak_buffer_bytes(bytes, gid, ierr)
      import :: int64
      integer(int64), intent(out) :: bytes
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_peak_buffer_bytes

    subroutine fscorpio_set_expected_bytes(bytes, gid, ierr)
      import :: int64
      integer(int64), intent(in) :: bytes
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_set_expected_bytes

    ! Not 0: with a group of the file open, all relative names begin there; of files opened from now on.
    subroutine fscorpio_set_relative_names(relative, gid, ierr)
      integer, intent(in) :: relative, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_set_relative_names

    ! chunk: nchunk extents; dimension_names: "z,y,x", or blank
    subroutine fscorpio_set_creation(nchunk, chunk, deflate, shuffle, dimension_names, fid, gid, ierr)
      import :: int64
      integer, intent(in) :: nchunk
      integer(int64), intent(in) :: chunk(*)
      integer, intent(in) :: deflate, shuffle
      character(len=*), intent(in) :: dimension_names
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_set_creation

    ! --- What a file holds. For the two _exists ierr is the answer, 1 or 0.

    subroutine fscorpio_group_exists(name, fid, gid, ierr)
      character(len=*), intent(in) :: name
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_group_exists

    subroutine fscorpio_dataset_exists(name, fid, gid, ierr)
      character(len=*), intent(in) :: name
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_dataset_exists

    subroutine fscorpio_get_dataset_ndims(ndims, fid, name, gid, ierr)
      integer, intent(out) :: ndims
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_dataset_ndims

    subroutine fscorpio_get_dataset_dims(dims, fid, name, gid, ierr)
      integer, intent(out) :: dims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_dataset_dims

    subroutine fscorpio_get_dataset_dims_64(dims, fid, name, gid, ierr)
      import :: int64
      integer(int64), intent(out) :: dims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_dataset_dims_64

    subroutine fscorpio_get_dataset_size(size, fid, name, gid, ierr)
      integer, intent(out) :: size
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_dataset_size

    subroutine fscorpio_get_dataset_size_64(size, fid, name, gid, ierr)
      import :: int64
      integer(int64), intent(out) :: size
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_dataset_size_64

    ! --- Datasets

    subroutine fscorpio_read_dataset(data, type, ndims, globaldims, localdims, fid, name, gid, pattern, &
        ierr)
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims, globaldims(*), localdims(*), fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid, pattern
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_dataset

    subroutine fscorpio_read_dataset_64(data, type, ndims, globaldims, localdims, fid, name, gid, pattern, &
        ierr)
      import :: int64
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), localdims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid, pattern
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_dataset_64

    subroutine fscorpio_write_dataset(data, type, ndims, globaldims, localdims, fid, name, gid, pattern, &
        ierr)
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims, globaldims(*), localdims(*), fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid, pattern
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_dataset

    subroutine fscorpio_write_dataset_64(data, type, ndims, globaldims, localdims, fid, name, gid, pattern, &
        ierr)
      import :: int64
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), localdims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid, pattern
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_dataset_64

    subroutine fscorpio_read_dataset_block(data, type, ndims, globaldims, localdims, localstarts, fid, name, &
        gid, ierr)
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims, globaldims(*), localdims(*), localstarts(*), fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_dataset_block

    subroutine fscorpio_read_dataset_block_64(data, type, ndims, globaldims, localdims, localstarts, fid, &
        name, gid, ierr)
      import :: int64
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), localdims(*), localstarts(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_dataset_block_64

    subroutine fscorpio_write_dataset_block(data, type, ndims, globaldims, localdims, localstarts, fid, &
        name, gid, ierr)
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims, globaldims(*), localdims(*), localstarts(*), fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_dataset_block

    subroutine fscorpio_write_dataset_block_64(data, type, ndims, globaldims, localdims, localstarts, fid, &
        name, gid, ierr)
      import :: int64
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), localdims(*), localstarts(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_dataset_block_64

    subroutine fscorpio_read_same_sub_dataset(data, type, ndims, localdims, localstarts, fid, name, gid, &
        ierr)
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims, localdims(*), localstarts(*), fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_same_sub_dataset

    subroutine fscorpio_read_same_sub_dataset_64(data, type, ndims, localdims, localstarts, fid, name, gid, &
        ierr)
      import :: int64
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: localdims(*), localstarts(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_same_sub_dataset_64

    ! Local row i is row map(i) of the dataset, counted from 0.
    subroutine fscorpio_read_dataset_map(data, type, ndims, globaldims, nlocal, map, fid, name, gid, ierr)
      import :: int64
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), nlocal, map(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_dataset_map

    subroutine fscorpio_write_dataset_map(data, type, ndims, globaldims, nlocal, map, fid, name, gid, ierr)
      import :: int64
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims
      integer(int64), intent(in) :: globaldims(*), nlocal, map(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_dataset_map

    ! --- Arrays of strings. n: what the array has room for, then what there is, also if that is too much.

    subroutine fscorpio_write_str_array(strings, n, fid, name, gid, ierr)
      character(len=*), intent(in) :: strings(*)
      integer, intent(in) :: n, fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_str_array

    subroutine fscorpio_read_str_array(strings, n, fid, name, gid, ierr)
      character(len=*), intent(out) :: strings(*)
      integer, intent(inout) :: n
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_str_array

    ! length: of the longest
    subroutine fscorpio_get_str_array_size(n, length, fid, name, gid, ierr)
      integer, intent(out) :: n, length
      integer, intent(in) :: fid
      character(len=*), intent(in) :: name
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_str_array_size

    ! --- Attributes of an object: a dataset, a group, "/"

    subroutine fscorpio_write_simple_attr(attr, data, type, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      type(*), intent(in) :: data
      integer, intent(in) :: type, fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_simple_attr

    subroutine fscorpio_read_simple_attr(attr, data, type, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      type(*), intent(inout) :: data
      integer, intent(in) :: type, fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_simple_attr

    subroutine fscorpio_write_attr(attr, data, type, ndims, dims, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      type(*), dimension(*), intent(in) :: data
      integer, intent(in) :: type, ndims, dims(*), fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_attr

    ! capacity: the elements that data has room for; ndims: the extents that dims has room for, then how many there are
    subroutine fscorpio_read_attr(attr, data, type, capacity, ndims, dims, fid, object, gid, ierr)
      import :: int64
      character(len=*), intent(in) :: attr
      type(*), dimension(*), intent(inout) :: data
      integer, intent(in) :: type
      integer(int64), intent(in) :: capacity
      integer, intent(inout) :: ndims, dims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_attr

    subroutine fscorpio_get_attr_dims(attr, type, ndims, dims, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      integer, intent(in) :: type
      integer, intent(inout) :: ndims, dims(*)
      integer, intent(in) :: fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_get_attr_dims

    subroutine fscorpio_write_str_attr(attr, text, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr, text
      integer, intent(in) :: fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_str_attr

    subroutine fscorpio_read_str_attr(attr, text, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      character(len=*), intent(out) :: text
      integer, intent(in) :: fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_str_attr

    subroutine fscorpio_write_str_array_attr(attr, strings, n, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr, strings(*)
      integer, intent(in) :: n, fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_str_array_attr

    subroutine fscorpio_read_str_array_attr(attr, strings, n, fid, object, gid, ierr)
      character(len=*), intent(in) :: attr
      character(len=*), intent(out) :: strings(*)
      integer, intent(inout) :: n
      integer, intent(in) :: fid
      character(len=*), intent(in) :: object
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_read_str_array_attr

    ! --- Groups and links in the file

    subroutine fscorpio_create_dataset_group(groupid, name, fid, gid, ierr)
      integer, intent(out) :: groupid
      character(len=*), intent(in) :: name
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_create_dataset_group

    subroutine fscorpio_close_dataset_group(groupid, fid, gid, ierr)
      integer, intent(in) :: groupid, fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_close_dataset_group

    ! link_location: from fscorpio_create_dataset_group; 0 or less: the file's root
    subroutine fscorpio_create_link(target, link_location, link_name, fid, gid, ierr)
      character(len=*), intent(in) :: target
      integer, intent(in) :: link_location
      character(len=*), intent(in) :: link_name
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_create_link

    ! --- XDMF: begin a grid, add its fields (all local), then write it. points, origin, spacing, coordinates: slowest first.

    subroutine fscorpio_xdmf_begin_uniform(time, ndims, points, origin, spacing, gid, ierr)
      import :: int64, real64
      real(real64), intent(in) :: time
      integer, intent(in) :: ndims
      integer(int64), intent(in) :: points(*)
      real(real64), intent(in) :: origin(*), spacing(*)
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_xdmf_begin_uniform

    subroutine fscorpio_xdmf_begin_rectilinear(time, ndims, points, coordinates, gid, ierr)
      import :: int64, real64
      real(real64), intent(in) :: time
      integer, intent(in) :: ndims
      integer(int64), intent(in) :: points(*)
      character(len=*), intent(in) :: coordinates(*)
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_xdmf_begin_rectilinear

    subroutine fscorpio_xdmf_begin_unstructured(time, coordinates, topology, connectivity, cells, gid, ierr)
      import :: int64, real64
      real(real64), intent(in) :: time
      character(len=*), intent(in) :: coordinates, topology, connectivity
      integer(int64), intent(in) :: cells
      integer, intent(in) :: gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_xdmf_begin_unstructured

    ! name: blank: the last part of the dataset's; on_cells: not 0: a value a cell, else a value a point
    subroutine fscorpio_xdmf_add_field(dataset, name, on_cells, gid, ierr)
      character(len=*), intent(in) :: dataset, name
      integer, intent(in) :: on_cells, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_xdmf_add_field

    subroutine fscorpio_write_xdmf(fid, gid, ierr)
      integer, intent(in) :: fid, gid
      integer, intent(out) :: ierr
    end subroutine fscorpio_write_xdmf
  end interface
end module concilio_scorpio
