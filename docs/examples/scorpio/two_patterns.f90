! The access patterns of the SCORPIO paper, as a subsurface simulation has them.
!
!     two_patterns [FOLDER]
!
! Read pattern 1: every rank reads the same contiguous region, the boundary cells. Read pattern 2: every rank reads its
! chunk of a dataset with a value for each cell. Write pattern 1: every rank writes its 3-D block at its offset.
program two_patterns
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  use mpi
  use concilio_scorpio
  implicit none
  integer, parameter :: nz = 16, ny = 20, nx = 24, cells = nz * ny * nx, boundary_cells = ny * nx
  integer :: rank, ranks, readers, writers, file, ierr
  character(len=1000) :: folder

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  folder = '.'
  if (command_argument_count() > 0) call get_command_argument(1, folder)

  ! One reads for all; two ranks to a writer. Groups of both sizes live side by side.
  call fscorpio_iogroup_init(1, MPI_COMM_WORLD, readers, ierr)
  call need(ierr)
  call fscorpio_iogroup_init2(2, 0, MPI_COMM_WORLD, writers, ierr)
  call need(ierr)

  call make_input()
  call fscorpio_open_file(trim(folder)//'/input.h5', readers, SCORPIO_FILE_READONLY, file, ierr)
  call need(ierr)
  call read_pattern_1()
  call read_pattern_2()
  call fscorpio_close_file(file, readers, ierr)
  call need(ierr)
  call write_pattern_1()

  call fscorpio_cleanup(ierr)
  call need(ierr)
  call MPI_FINALIZE(ierr)

contains

  subroutine need(result)
    integer, intent(in) :: result
    character(len=500) :: why
    integer :: ignored
    if (result /= FAILURE) return
    call fscorpio_last_error(why)
    write(error_unit, '(a,i0,2a)') 'rank ', rank, ': ', trim(why)
    call MPI_ABORT(MPI_COMM_WORLD, 1, ignored)
  end subroutine need

  real(real64) function sum_of_all(mine)
    real(real64), intent(in) :: mine
    integer :: ignored
    sum_of_all = 0
    call MPI_REDUCE(mine, sum_of_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ignored)
  end function sum_of_all

  ! Where this rank's part of `extent` begins, of `parts` of nearly one size.
  pure integer function begin_of(part, parts, extent)
    integer, intent(in) :: part, parts, extent
    begin_of = int(int(extent, int64) * part / parts)
  end function begin_of

  subroutine make_input()
    integer :: first, count, at, cell(2 * boundary_cells)
    real(real64), allocatable :: porosity(:)
    call fscorpio_open_file(trim(folder)//'/input.h5', writers, SCORPIO_FILE_CREATE, file, ierr)
    call need(ierr)
    first = begin_of(rank, ranks, cells)
    count = begin_of(rank + 1, ranks, cells) - first
    allocate(porosity(count))
    do at = 1, count
      porosity(at) = 0.25_real64 + mod(first + at - 1, 64) / 256.0_real64
    end do
    call fscorpio_write_dataset(porosity, SCORPIO_DOUBLE, 1, [cells], [count], file, 'Porosity', writers, &
                                SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call need(ierr)

    ! The cells of the lowest layer, counted from 1; then of the highest.
    cell = [(at, at = 1, boundary_cells), (cells - boundary_cells + at, at = 1, boundary_cells)]
    first = begin_of(rank, ranks, size(cell))
    count = begin_of(rank + 1, ranks, size(cell)) - first
    call fscorpio_write_dataset(cell(first + 1:first + count), SCORPIO_INTEGER, 1, [size(cell)], [count], file, &
                                'Regions/Boundary Cells', writers, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call need(ierr)
    call fscorpio_close_file(file, writers, ierr)
    call need(ierr)
  end subroutine make_input

  subroutine read_pattern_1()
    integer :: cell(boundary_cells)
    real(real64) :: total, least, most
    call fscorpio_read_same_sub_dataset(cell, SCORPIO_INTEGER, 1, [boundary_cells], [0], file, &
                                        'Regions/Boundary Cells', readers, ierr)
    call need(ierr)
    total = sum(cell)
    call MPI_REDUCE(total, least, 1, MPI_DOUBLE_PRECISION, MPI_MIN, 0, MPI_COMM_WORLD, ierr)
    call MPI_REDUCE(total, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0 .and. least == most) then
      print '(a,i0,a,i0)', 'pattern 1: every rank read the ', boundary_cells, ' boundary cells, sum ', nint(most)
    end if
  end subroutine read_pattern_1

  subroutine read_pattern_2()
    integer :: all, first, count
    real(real64), allocatable :: porosity(:)
    real(real64) :: total, number
    call fscorpio_get_dataset_size(all, file, 'Porosity', readers, ierr)
    call need(ierr)
    first = begin_of(rank, ranks, all)
    count = begin_of(rank + 1, ranks, all) - first
    allocate(porosity(count))
    call fscorpio_read_dataset_block(porosity, SCORPIO_DOUBLE, 1, [all], [count], [first], file, 'Porosity', readers, &
                                     ierr)
    call need(ierr)
    total = sum_of_all(sum(porosity))
    number = sum_of_all(real(count, real64))
    if (rank == 0) print '(a,i0,a,f0.4)', 'pattern 2: the ranks read ', nint(number), ' cells, sum ', total
  end subroutine read_pattern_2

  ! Extents and offsets have the slowest dimension first, and count from 0: those of pressure(x, y, z) are z, y, x.
  subroutine write_pattern_1()
    integer :: shape(3), grid(3), counts(3), starts(3), place, d, x, y, z
    real(real64), allocatable :: pressure(:,:,:)
    real(real64) :: total
    shape = [nz, ny, nx]
    grid = 0
    call MPI_DIMS_CREATE(ranks, 3, grid, ierr)
    place = rank
    do d = 3, 1, -1
      starts(d) = begin_of(mod(place, grid(d)), grid(d), shape(d))
      counts(d) = begin_of(mod(place, grid(d)) + 1, grid(d), shape(d)) - starts(d)
      place = place / grid(d)
    end do
    allocate(pressure(counts(3), counts(2), counts(1)))
    do z = 1, counts(1)
      do y = 1, counts(2)
        do x = 1, counts(3)
          pressure(x, y, z) = 101325 + ((starts(1) + z - 1) * ny + starts(2) + y - 1) * nx + starts(3) + x - 1
        end do
      end do
    end do
    call fscorpio_open_file(trim(folder)//'/output.h5', writers, SCORPIO_FILE_CREATE, file, ierr)
    call need(ierr)
    call fscorpio_write_dataset_block(pressure, SCORPIO_DOUBLE, 3, shape, counts, starts, file, 'Time 0/Pressure', &
                                      writers, ierr)
    call need(ierr)
    call fscorpio_close_file(file, writers, ierr)
    call need(ierr)
    total = sum_of_all(sum(pressure))
    if (rank == 0) then
      print '(a,2(i0,a),i0,a,i0)', 'write 1: wrote ', nz, 'x', ny, 'x', nx, ' values as blocks, sum ', &
            nint(total, int64)
    end if
  end subroutine write_pattern_1
end program two_patterns
