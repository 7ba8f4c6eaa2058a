#include "scorpio.inc"
! As PFLOTRAN uses SCORPIO: material ids that are read by cell, and 3-D blocks of several variables that are written for
! every time step, with names relative to the group that is open.
module pflotran
  use support
  implicit none
  integer, parameter :: nx = 11, ny = 7, nz = 5, cells = nx * ny * nz
  integer, parameter :: steps = 3
  character(len=20), parameter :: pressure = 'Liquid_Pressure [Pa]', saturation = 'Liquid_Saturation', &
                                  material = 'Material_ID'
contains

  subroutine run_pflotran()
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer :: read_group, write_group, ierr, again
    ! Groups of several sizes side by side; the numbers of those that are gone are used again.
    do again = 1, 3
      call fscorpio_iogroup_init(1, MPI_COMM_WORLD, read_group, ierr)
      call expect(ierr == 0, 'one group')
      call fscorpio_iogroup_init2(again, 0, MPI_COMM_WORLD, write_group, ierr)
      call expect(ierr == 0, 'groups of a size')
      call expect(read_group /= write_group, 'groups have numbers of their own')
      call make_input(write_group)
      call read_and_close_on_roots(again)
      call read_input(read_group)
      call write_steps(write_group, again)
      call read_steps(read_group)
      call fscorpio_iogroup_cleanup(read_group, ierr)
      call expect(ierr == 0, 'cleanup')
      call fscorpio_cleanup(ierr)
      call expect(ierr == 0, 'cleanup of all')
      call fscorpio_iogroup_cleanup(write_group, ierr)
      call expect_failure(ierr, 'no I/O group', 'the cleanup of a group that is gone')
    end do
  end subroutine run_pflotran

  ! The cells of this rank, uneven: [first, first + count), from 0.
  subroutine my_cells(first, count)
    integer, intent(out) :: first, count
    first = cells * rank * rank / (ranks * ranks)
    count = cells * (rank + 1) * (rank + 1) / (ranks * ranks) - first
  end subroutine my_cells

  elemental integer function material_of(cell)
    integer, intent(in) :: cell
    material_of = 1 + mod(cell * 7, 5)
  end function material_of

  subroutine make_input(group)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group
    integer :: file, ierr, first, count, at
    integer, allocatable :: ids(:)
    call my_cells(first, count)
    ids = [(first + at, at = 1, count)]
    call fscorpio_open_file(path_of('input.h5')//CHAR(0), group, SCORPIO_FILE_CREATE, file, ierr)
    call expect(ierr == 0, 'input.h5 is made')
    call fscorpio_write_dataset(ids, SCORPIO_INTEGER, 1, [cells], [count], file, 'Materials/Cell Ids'//CHAR(0), &
                                group, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'Cell Ids are written')
    call fscorpio_write_dataset(material_of(ids), SCORPIO_INTEGER, 1, [cells], [count], file, &
                                'Materials/Material Ids'//CHAR(0), group, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'Material Ids are written')
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'input.h5 is closed')
  end subroutine make_input

  ! Only the roots close the file, which PFLOTRAN finds by its own count.
  subroutine read_and_close_on_roots(group_size)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group_size
    integer :: group, file, ierr, again, ids(cells)
    call fscorpio_iogroup_init(max(1, ranks / group_size), MPI_COMM_WORLD, group, ierr)
    call expect(ierr == 0, 'as many groups as there are of that size')
    do again = 0, 2
      call fscorpio_open_file(path_of('input.h5')//CHAR(0), group, SCORPIO_FILE_READONLY, file, ierr)
      call expect(ierr == 0 .and. file == again, 'handles follow each other')
      call fscorpio_read_dataset(ids, SCORPIO_INTEGER, 1, [cells], [-1], file, 'Materials/Cell Ids'//CHAR(0), &
                                 group, SCORPIO_EVERYONE_ENTIRE_DATASET_READ, ierr)
      call expect(ierr == 0 .and. ids(cells) == cells, 'all Cell Ids are read')
      if (mod(rank, ranks / max(1, ranks / group_size)) == 0) then
        call fscorpio_close_file(file, group, ierr)
        call expect(ierr == 0, 'roots close the file')
      end if
    end do
    call fscorpio_iogroup_cleanup(group, ierr)
    call expect(ierr == 0, 'cleanup')
  end subroutine read_and_close_on_roots

  subroutine read_input(group)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group
    integer :: file, ierr, ndims, size_there, first, count, at, dims(3)
    integer, allocatable :: ids(:), materials(:), part(:)
    ! A missing file, and then what is missing in a file.
    call fscorpio_open_file(path_of('missing.h5')//CHAR(0), group, SCORPIO_FILE_READONLY, file, ierr)
    call expect_failure(ierr, 'missing.h5', 'opening a missing file')
    call fscorpio_open_file(path_of('input.h5')//CHAR(0), group, SCORPIO_FILE_READONLY, file, ierr)
    call expect(ierr == 0, 'input.h5 is opened')
    call fscorpio_group_exists('Materials'//CHAR(0), file, group, ierr)
    call expect(ierr == 1, 'Materials is there')
    call fscorpio_group_exists('Regions'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'Regions is not there')
    call fscorpio_dataset_exists('Materials/Cell Ids'//CHAR(0), file, group, ierr)
    call expect(ierr == 1, 'Cell Ids is there')
    call fscorpio_dataset_exists('Materials/Nothing'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'Nothing is not there')
    call fscorpio_get_dataset_ndims(ndims, file, 'Materials/Cell Ids'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. ndims == 1, 'dimensions of Cell Ids')
    dims = -7
    call fscorpio_get_dataset_dims(dims, file, 'Materials/Cell Ids'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. all(dims == [cells, -7, -7]), 'extents of Cell Ids')
    call fscorpio_get_dataset_size(size_there, file, 'Materials/Material Ids'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. size_there == cells, 'size of Material Ids')
    call fscorpio_get_dataset_size(size_there, file, 'Materials/Nothing'//CHAR(0), group, ierr)
    call expect_failure(ierr, 'Materials/Nothing', 'the size of a missing dataset')

    call my_cells(first, count)
    allocate(ids(count), materials(count), source=-1)
    call fscorpio_read_dataset(ids, SCORPIO_INTEGER, ndims, dims, [count], file, 'Materials/Cell Ids'//CHAR(0), &
                               group, SCORPIO_NONUNIFORM_CONTIGUOUS_READ, ierr)
    call expect(ierr == 0 .and. all(ids == [(first + at, at = 1, count)]), 'Cell Ids of this rank')
    ! Without CHAR(0): the blanks at the end do not belong to the name.
    call fscorpio_read_dataset(materials, SCORPIO_INTEGER, ndims, dims, [count], file, 'Materials/Material Ids   ', &
                               group, SCORPIO_NONUNIFORM_CONTIGUOUS_READ, ierr)
    call expect(ierr == 0 .and. all(materials == material_of(ids)), 'Material Ids of this rank')
    deallocate(ids)
    allocate(ids(cells), source=-1)
    call fscorpio_read_dataset(ids, SCORPIO_INTEGER, 1, [cells], [cells], file, 'Materials/Cell Ids'//CHAR(0), &
                               group, SCORPIO_EVERYONE_ENTIRE_DATASET_READ, ierr)
    call expect(ierr == 0 .and. all(ids == [(at, at = 1, cells)]), 'Cell Ids, all of them')
    allocate(part(20), source=-1)
    call fscorpio_read_same_sub_dataset(part, SCORPIO_INTEGER, 1, [20], [100], file, &
                                        'Materials/Material Ids'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. all(part == material_of([(100 + at, at = 1, 20)])), 'the same Material Ids for all')
    call fscorpio_read_dataset(ids, SCORPIO_INTEGER, 1, [cells], [count], file, 'Materials/Nothing'//CHAR(0), group, &
                               SCORPIO_NONUNIFORM_CONTIGUOUS_READ, ierr)
    call expect_failure(ierr, 'Materials/Nothing', 'reading a missing dataset')
    call fscorpio_write_dataset(ids, SCORPIO_INTEGER, 1, [cells], [count], file, 'Materials/More'//CHAR(0), group, &
                                SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect_failure(ierr, 'input.h5', 'writing to a file that is open to be read')
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'input.h5 is closed')
    call fscorpio_close_file(file, group, ierr)
    call expect_failure(ierr, 'handle', 'closing once more')
  end subroutine read_input

  ! The processes as a grid along all three dimensions: this rank's block, slowest dimension (z) first.
  function my_block() result(mine)
    type(box) :: mine
    integer :: shape(3), at(3), along, extents(3)
    extents = [nz, ny, nx]
    shape = 0
    call MPI_DIMS_CREATE(ranks, 3, shape, along)
    at = [rank / (shape(2) * shape(3)), mod(rank / shape(3), shape(2)), mod(rank, shape(3))]
    do along = 1, 3
      mine%starts(along) = extents(along) * at(along) / shape(along)
      mine%dims(along) = extents(along) * (at(along) + 1) / shape(along) - mine%starts(along)
    end do
  end function my_block

  ! What a variable has in a cell, i, j, k from 0.
  elemental double precision function value_of(i, j, k, variable, step)
    integer, intent(in) :: i, j, k, variable, step
    value_of = 101325d0 * variable + 0.25d0 * (i + nx * (j + ny * k)) + 1000d0 * step
  end function value_of

  function values_of(part, variable, step) result(values)
    type(box), intent(in) :: part
    integer, intent(in) :: variable, step
    double precision :: values(part%dims(3), part%dims(2), part%dims(1))
    integer :: i, j, k
    do k = 1, part%dims(1)
      do j = 1, part%dims(2)
        do i = 1, part%dims(3)
          values(i, j, k) = value_of(part%starts(3) + i - 1, part%starts(2) + j - 1, part%starts(1) + k - 1, &
                                     variable, step)
        end do
      end do
    end do
  end function values_of

  function time_name(step) result(name)
    integer, intent(in) :: step
    character(len=40) :: name
    write(name, '(i4,a,es12.5,a)') step - 1, ' Time', 0.5d0 * step, ' y'
  end function time_name

  subroutine write_steps(group, again)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, again
    integer :: file, ierr, groupid, at, step
    character(len=100) :: filename
    ! PFLOTRAN trims its names.
    filename = path_of('output.h5')
    call fscorpio_open_file(trim(filename)//CHAR(0), group, SCORPIO_FILE_CREATE, file, ierr)
    call expect(ierr == 0, 'output.h5 is made')
    call fscorpio_create_dataset_group(groupid, 'Coordinates'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'Coordinates is made')
    call write_coordinates('X [m]', nx + 1)
    call write_coordinates('Y [m]', ny + 1)
    call write_coordinates('Z [m]', nz + 1)
    call fscorpio_close_dataset_group(groupid, file, group, ierr)
    call expect(ierr == 0, 'Coordinates is closed')
    do step = 1, steps - 1
      call write_step(file, group, step)
    end do
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'output.h5 is closed')

    ! One step more, in the file as it is.
    call fscorpio_open_file(trim(filename)//CHAR(0), group, SCORPIO_FILE_READWRITE, file, ierr)
    call expect(ierr == 0, 'output.h5 is opened again')
    if (again == 2) call write_step(file, group, 1)
    call write_step(file, group, steps)
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'output.h5 is closed again')

  contains

    ! Rank 0 has them all.
    subroutine write_coordinates(name, count)
      character(len=*), intent(in) :: name
      integer, intent(in) :: count
      call fscorpio_write_dataset([(dble(at), at = 0, count - 1)], SCORPIO_DOUBLE, 1, [count], &
                                  [merge(count, 0, rank == 0)], file, name//CHAR(0), group, &
                                  SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
      call expect(ierr == 0, name//' is written')
    end subroutine write_coordinates
  end subroutine write_steps

  subroutine write_step(file, group, step)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: file, group, step
    integer :: groupid, ierr, dims(3)
    type(box) :: mine
    double precision, allocatable :: values(:,:,:)
    mine = my_block()
    dims = [nz, ny, nx]
    call fscorpio_create_dataset_group(groupid, trim(time_name(step))//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'a group for a step')
    values = values_of(mine, 1, step)
    call fscorpio_write_dataset_block(values, SCORPIO_DOUBLE, 3, dims, mine%dims, mine%starts, file, &
                                      trim(pressure)//CHAR(0), group, ierr)
    call expect(ierr == 0, 'pressure is written')
    values = values_of(mine, 2, step)
    call fscorpio_write_dataset_block(values, SCORPIO_DOUBLE, 3, dims, mine%dims, mine%starts, file, &
                                      trim(saturation)//CHAR(0), group, ierr)
    call expect(ierr == 0, 'saturation is written')
    call fscorpio_write_dataset_block(int(values_of(mine, 3, step)), SCORPIO_INTEGER, 3, dims, mine%dims, &
                                      mine%starts, file, trim(material)//CHAR(0), group, ierr)
    call expect(ierr == 0, 'materials are written')
    call fscorpio_close_dataset_group(groupid, file, group, ierr)
    call expect(ierr == 0, 'the step''s group is closed')
  end subroutine write_step

  ! By other blocks than were written, with full names.
  subroutine read_steps(group)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group
    integer :: file, ierr, step, dims(3), ndims
    type(box) :: mine
    double precision, allocatable :: values(:,:,:), line(:)
    integer, allocatable :: materials(:,:,:)
    call fscorpio_open_file(path_of('output.h5')//CHAR(0), group, SCORPIO_FILE_READONLY, file, ierr)
    call expect(ierr == 0, 'output.h5 is opened to be read')
    allocate(line(nx + 1), source=-1d0)
    call fscorpio_read_dataset(line, SCORPIO_DOUBLE, 1, [nx + 1], [nx + 1], file, 'Coordinates/X [m]'//CHAR(0), &
                               group, SCORPIO_EVERYONE_ENTIRE_DATASET_READ, ierr)
    call expect(ierr == 0 .and. all(line == [(dble(step), step = 0, nx)]), 'X [m]')
    mine%dims = [nz, ny, nx]
    mine%starts(3) = rank
    mine%dims(3) = max(1, nx - 2 * rank)
    allocate(values(mine%dims(3), ny, nz), materials(mine%dims(3), ny, nz))
    do step = 1, steps
      call fscorpio_get_dataset_ndims(ndims, file, trim(time_name(step))//'/'//trim(pressure)//CHAR(0), group, ierr)
      call expect(ierr == 0 .and. ndims == 3, 'dimensions of the pressure')
      call fscorpio_get_dataset_dims(dims, file, trim(time_name(step))//'/'//trim(pressure)//CHAR(0), group, ierr)
      call expect(ierr == 0 .and. all(dims == [nz, ny, nx]), 'extents of the pressure')
      call fscorpio_read_dataset_block(values, SCORPIO_DOUBLE, 3, dims, mine%dims, mine%starts, file, &
                                       trim(time_name(step))//'/'//trim(pressure)//CHAR(0), group, ierr)
      call expect(ierr == 0 .and. all(values == values_of(mine, 1, step)), 'the pressure is as it was written')
      call fscorpio_read_dataset_block(values, SCORPIO_DOUBLE, 3, dims, mine%dims, mine%starts, file, &
                                       trim(time_name(step))//'/'//trim(saturation), group, ierr)
      call expect(ierr == 0 .and. all(values == values_of(mine, 2, step)), 'the saturation is as it was written')
      call fscorpio_read_dataset_block(materials, SCORPIO_INTEGER, 3, dims, mine%dims, mine%starts, file, &
                                       trim(time_name(step))//'/'//trim(material)//CHAR(0), group, ierr)
      call expect(ierr == 0 .and. all(materials == int(values_of(mine, 3, step))), 'the materials are as written')
    end do
    ! Its end: every group closes what it has open.
  end subroutine read_steps
end module pflotran
