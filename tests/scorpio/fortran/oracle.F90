#include "scorpio.inc"
! Random datasets, written by random blocks, rows or lists of rows and read by others, against values that follow from
! where an element stands. Everything is drawn from one seed, the same on all ranks.
module oracle
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use support
  implicit none

  ! One dataset.
  type drawn
    integer :: ndims = 1, dims(3) = 1, type = 0
    character(len=40) :: name = ''
  end type drawn

contains

  subroutine run_oracle(first_seed, cases)
    integer, intent(in) :: first_seed, cases
    integer :: one, before
    do one = first_seed, first_seed + cases - 1
      before = failures
      call run_case(one)
      if (failures > before) print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', ranks, ': failed with seed ', one
    end do
  end subroutine run_oracle

  subroutine run_case(chosen)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: chosen
    type(drawn) :: set
    integer :: group, other, file, ierr, again, datasets
    call seed(chosen)
    call make_group(group)
    call make_group(other)
    call fscorpio_open_file(path_of('oracle.h5')//CHAR(0), group, SCORPIO_FILE_CREATE, file, ierr)
    call expect(ierr == 0, 'the file is made')
    if (ierr /= 0) return
    if (random(3) == 0) then
      call fscorpio_set_creation(0, [1_int64], random(3), random(2), ' ', file, group, ierr)
      call expect(ierr == 0, 'set_creation')
    end if
    datasets = 1 + random(2)
    do again = 1, datasets
      call draw(set, again)
      call write_all(set, file, group)
      if (random(2) == 0) call read_all(set, file, group)
    end do
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'the file is closed')
    ! The last one, once more through other groups.
    call fscorpio_open_file(path_of('oracle.h5'), other, SCORPIO_FILE_READONLY, file, ierr)
    call expect(ierr == 0, 'the file is opened')
    if (ierr == 0) call read_all(set, file, other)
    call fscorpio_cleanup(ierr)
    call expect(ierr == 0, 'cleanup')
  end subroutine run_case

  subroutine make_group(group)
    integer, intent(out) :: group
    integer :: ierr
    if (random(2) == 0) then
      call fscorpio_iogroup_init(1 + random(ranks), MPI_COMM_WORLD, group, ierr)
    else
      ! 0: the library chooses.
      call fscorpio_iogroup_init2(random(ranks + 1), 0, MPI_COMM_WORLD, group, ierr)
    end if
    call expect(ierr == 0, 'an I/O group')
    if (random(2) == 0) then
      call fscorpio_set_buffer_bytes(int(4096 + random(3) * 2000, int64), group, ierr)
      call expect(ierr == 0, 'set_buffer_bytes')
    end if
  end subroutine make_group

  subroutine draw(set, number)
    USE_SCORPIO
    INCLUDE_SCORPIO
    type(drawn), intent(out) :: set
    integer, intent(in) :: number
    integer :: along
    integer, parameter :: types(5) = [SCORPIO_INTEGER, SCORPIO_DOUBLE, SCORPIO_FLOAT, SCORPIO_LONG, SCORPIO_BYTE]
    integer, parameter :: most(3) = [2000, 60, 16]
    set%ndims = 1 + random(3)
    do along = 1, set%ndims
      set%dims(along) = 1 + random(most(set%ndims))
    end do
    set%type = types(1 + random(5))
    write(set%name, '(a,i0,a,i0)') 'set ', number, '/values of type ', set%type
  end subroutine draw

  ! What stands in a box of the dataset, in order.
  function values_of(set, part) result(values)
    type(drawn), intent(in) :: set
    type(box), intent(in) :: part
    integer :: values(product(part%dims)), i, j, k, at
    at = 0
    do i = part%starts(1), part%starts(1) + part%dims(1) - 1
      do j = part%starts(2), part%starts(2) + part%dims(2) - 1
        do k = part%starts(3), part%starts(3) + part%dims(3) - 1
          at = at + 1
          ! Small enough for a byte.
          values(at) = mod((i * set%dims(2) + j) * set%dims(3) + k + set%type, 127)
        end do
      end do
    end do
  end function values_of

  ! The same as values of the dataset's type, seen as bytes.
  function bytes_of(set, part) result(bytes)
    USE_SCORPIO
    INCLUDE_SCORPIO
    type(drawn), intent(in) :: set
    type(box), intent(in) :: part
    integer(int8), allocatable :: bytes(:)
    integer :: values(product(part%dims))
    values = values_of(set, part)
    select case (set%type)
    case (SCORPIO_INTEGER)
      bytes = transfer(values, [0_int8])
    case (SCORPIO_DOUBLE)
      bytes = transfer(real(values, real64), [0_int8])
    case (SCORPIO_FLOAT)
      bytes = transfer(real(values, real32), [0_int8])
    case (SCORPIO_LONG)
      bytes = transfer(int(values, int64), [0_int8])
    case default
      bytes = int(values, int8)
    end select
  end function bytes_of

  ! Rows that follow each other in the order of ranks; or the same number for all, where that can be.
  function random_rows(set, even) result(tiles)
    type(drawn), intent(in) :: set
    logical, intent(in) :: even
    type(box) :: tiles(0:ranks - 1)
    integer :: one, next, left
    next = 0
    do one = 0, ranks - 1
      left = set%dims(1) - next
      tiles(one)%dims = set%dims
      tiles(one)%starts(1) = next
      tiles(one)%dims(1) = merge(set%dims(1) / ranks, merge(left, random(left + 1), one == ranks - 1), even)
      next = next + tiles(one)%dims(1)
    end do
  end function random_rows

  ! The rows dealt out as cards are: each is in one rank's list, in some order.
  subroutine random_map(set, map)
    type(drawn), intent(in) :: set
    integer(int64), allocatable, intent(out) :: map(:)
    integer :: owner(set%dims(1)), row, step
    do row = 1, set%dims(1)
      owner(row) = random(ranks)
    end do
    ! In no order: by a step that meets every row once.
    step = 1 + random(set%dims(1))
    do while (common(step, set%dims(1)) /= 1)
      step = step + 1
    end do
    map = [(int(mod(row * step, set%dims(1)), int64), row = 1, set%dims(1))]
    map = pack(map, [(owner(map(row) + 1) == rank, row = 1, size(map))])
  end subroutine random_map

  integer function common(one, other)
    integer, intent(in) :: one, other
    integer :: a, b, rest
    a = one
    b = other
    do while (b /= 0)
      rest = mod(a, b)
      a = b
      b = rest
    end do
    common = a
  end function common

  function bytes_of_rows(set, map) result(bytes)
    type(drawn), intent(in) :: set
    integer(int64), intent(in) :: map(:)
    integer(int8), allocatable :: bytes(:)
    type(box) :: row
    integer :: at
    allocate(bytes(0))
    row%dims = set%dims
    row%dims(1) = 1
    do at = 1, size(map)
      row%starts(1) = int(map(at))
      bytes = [bytes, bytes_of(set, row)]
    end do
  end function bytes_of_rows

  subroutine write_all(set, file, group)
    USE_SCORPIO
    INCLUDE_SCORPIO
    type(drawn), intent(in) :: set
    integer, intent(in) :: file, group
    type(box) :: tiles(0:ranks - 1), mine
    integer(int8), allocatable :: bytes(:)
    integer(int64), allocatable :: map(:)
    integer :: ierr, how
    logical :: even
    how = random(5)
    if (how == 3) then
      call random_map(set, map)
      bytes = bytes_of_rows(set, map)
      call fscorpio_write_dataset_map(bytes, set%type, set%ndims, int(set%dims, int64), size(map, kind=int64), map, &
                                      file, set%name, group, ierr)
    else if (how == 4) then
      even = mod(set%dims(1), ranks) == 0
      tiles = random_rows(set, even)
      bytes = bytes_of(set, tiles(rank))
      call fscorpio_write_dataset(bytes, set%type, set%ndims, set%dims, tiles(rank)%dims, file, set%name, group, &
                                  merge(SCORPIO_UNIFORM_CONTIGUOUS_WRITE, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, even), &
                                  ierr)
    else
      tiles = random_tiles(set%ndims, set%dims)
      mine = tiles(rank)
      bytes = bytes_of(set, mine)
      if (how == 0) then
        call fscorpio_write_dataset_block_64(bytes, set%type, set%ndims, int(set%dims, int64), &
                                             int(mine%dims, int64), int(mine%starts, int64), file, set%name, group, &
                                             ierr)
      else
        call fscorpio_write_dataset_block(bytes, set%type, set%ndims, set%dims, mine%dims, mine%starts, file, &
                                          trim(set%name)//CHAR(0), group, ierr)
      end if
    end if
    call expect(ierr == 0, 'a dataset is written')
  end subroutine write_all

  subroutine read_all(set, file, group)
    USE_SCORPIO
    INCLUDE_SCORPIO
    type(drawn), intent(in) :: set
    integer, intent(in) :: file, group
    type(box) :: mine, all_of_it, tiles(0:ranks - 1)
    integer(int8), allocatable :: bytes(:), expected(:)
    integer(int64), allocatable :: map(:)
    integer(int64) :: dims64(3)
    integer :: ierr, again, how, ndims, dims(3), one
    call fscorpio_get_dataset_ndims(ndims, file, set%name, group, ierr)
    call expect(ierr == 0 .and. ndims == set%ndims, 'the number of dimensions')
    dims = 1
    call fscorpio_get_dataset_dims(dims, file, set%name, group, ierr)
    call expect(ierr == 0 .and. all(dims == set%dims), 'the extents')
    dims64 = 1
    call fscorpio_get_dataset_dims_64(dims64, file, set%name, group, ierr)
    call expect(ierr == 0 .and. all(dims64 == set%dims), 'the extents in 64 bits')
    do again = 1, 3
      how = random(6)
      ! Blocks that tile the dataset; or that overlap, one drawn for each rank.
      tiles = random_tiles(set%ndims, set%dims)
      if (how == 1) then
        do one = 0, ranks - 1
          tiles(one) = random_box(set%ndims, set%dims)
        end do
      end if
      mine = tiles(rank)
      if (how == 2) mine = random_box(set%ndims, set%dims)
      all_of_it%dims = set%dims
      if (how == 3) mine = all_of_it
      if (how == 4) then
        tiles = random_rows(set, .false.)
        mine = tiles(rank)
      end if
      expected = bytes_of(set, mine)
      if (how == 5) then
        call random_map(set, map)
        expected = bytes_of_rows(set, map)
      end if
      bytes = not(expected)
      select case (how)
      case (0)
        call fscorpio_read_dataset_block_64(bytes, set%type, set%ndims, dims64, int(mine%dims, int64), &
                                            int(mine%starts, int64), file, set%name, group, ierr)
      case (1)
        call fscorpio_read_dataset_block(bytes, set%type, set%ndims, set%dims, mine%dims, mine%starts, file, &
                                         trim(set%name)//CHAR(0), group, ierr)
      case (2)
        call fscorpio_read_same_sub_dataset(bytes, set%type, set%ndims, mine%dims, mine%starts, file, set%name, &
                                            group, ierr)
      case (3)
        call fscorpio_read_dataset(bytes, set%type, set%ndims, set%dims, mine%dims, file, set%name, group, &
                                   SCORPIO_EVERYONE_ENTIRE_DATASET_READ, ierr)
      case (4)
        call fscorpio_read_dataset_64(bytes, set%type, set%ndims, dims64, int(mine%dims, int64), file, set%name, &
                                      group, SCORPIO_NONUNIFORM_CONTIGUOUS_READ, ierr)
      case default
        call fscorpio_read_dataset_map(bytes, set%type, set%ndims, dims64, size(map, kind=int64), map, file, &
                                       set%name, group, ierr)
      end select
      call expect(ierr == 0, 'a dataset is read, the way numbered '//achar(iachar('0') + how))
      call expect(all(bytes == expected), 'what is read is what was written, the way numbered '// &
                                          achar(iachar('0') + how))
      if (any(bytes /= expected)) then
        print '(a,i0,a,i0,3(a,3(1x,i0)),2(a,i0))', 'rank ', rank, ': type ', set%type, ', extents', set%dims, &
              ', block', mine%dims, ' at', mine%starts, ', bytes ', count(bytes /= expected), &
              ' wrong, the first at ', findloc(bytes /= expected, .true., 1)
      end if
    end do
  end subroutine read_all
end module oracle
