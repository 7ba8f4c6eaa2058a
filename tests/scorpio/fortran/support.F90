! What the parts share: expectations, files, random numbers, boxes.
module support
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  implicit none
  integer, parameter :: root = 0
#ifndef WITH_MODULE
  ! What the include file does not have, and the module has.
  integer, parameter :: FAILURE = -1, SCORPIO_FILE_CREATE_NETCDF4 = 3
#endif
  integer :: rank = 0, ranks = 1, failures = 0
  integer(int64), private :: state = 1

  ! A part of a dataset: extents and offsets of up to 3 dimensions, slowest first.
  type box
    integer :: dims(3) = 1, starts(3) = 0
  end type box

contains

  subroutine start()
    integer :: ierr
    call MPI_INIT(ierr)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  end subroutine start

  subroutine finish(done)
    character(len=*), intent(in) :: done
    integer :: ierr, all
    call MPI_ALLREDUCE(failures, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_FINALIZE(ierr)
    if (all > 0) stop 1
    if (rank == root) print '(a)', 'ok: '//done
  end subroutine finish

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    character(len=500) :: said
    if (holds) return
    failures = failures + 1
    if (failures > 10) return
    call fscorpio_last_error(said)
    print '(a,i0,4a)', 'rank ', rank, ': not so: ', what, ' | last error: ', trim(said)
  end subroutine expect

  ! A call that must have failed, with a message that has `part` in it.
  subroutine expect_failure(ierr, part, what)
    integer, intent(in) :: ierr
    character(len=*), intent(in) :: part, what
    character(len=500) :: said
    call expect(ierr == -1, what//' fails')
    call fscorpio_last_error(said)
    call expect(index(said, part) > 0, what//': the message names '//part)
  end subroutine expect_failure

  function path_of(name) result(path)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: path
    character(len=1000) :: folder
    call get_environment_variable('CONCILIO_TEST_DIR', folder)
    path = trim(folder)//'/'//name
  end function path_of

  subroutine seed(value)
    integer, intent(in) :: value
    integer :: again, ignored
    state = value
    do again = 1, 5
      ignored = random(2)
    end do
  end subroutine seed

  ! 0 ... below - 1, the same on all ranks.
  integer function random(below)
    integer, intent(in) :: below
    state = modulo(state * 1103515245_int64 + 12345_int64, 2147483648_int64)
    random = int(modulo(state / 65536_int64, int(below, int64)))
  end function random

  ! The boxes of as many ranks, some of them perhaps empty: they tile the dataset.
  function random_tiles(ndims, dims) result(tiles)
    integer, intent(in) :: ndims, dims(3)
    type(box) :: tiles(0:ranks - 1), swapped
    integer :: made, cut, along, at
    tiles(0)%dims = dims
    do made = 1, ranks - 1
      cut = random(made)
      along = 1 + random(ndims)
      at = random(tiles(cut)%dims(along) + 1)
      tiles(made) = tiles(cut)
      tiles(made)%starts(along) = tiles(cut)%starts(along) + at
      tiles(made)%dims(along) = tiles(cut)%dims(along) - at
      tiles(cut)%dims(along) = at
    end do
    do made = ranks - 1, 1, -1
      at = random(made + 1)
      swapped = tiles(made)
      tiles(made) = tiles(at)
      tiles(at) = swapped
    end do
  end function random_tiles

  ! Any box inside the dataset, not empty.
  function random_box(ndims, dims) result(one)
    integer, intent(in) :: ndims, dims(3)
    type(box) :: one
    integer :: along
    do along = 1, ndims
      one%starts(along) = random(dims(along))
      one%dims(along) = 1 + random(dims(along) - one%starts(along))
    end do
  end function random_box
end module support
