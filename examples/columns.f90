! Each rank writes some columns of a matrix: a block of the array as Fortran has it in memory, described by a datatype,
! in one collective call.
!
!   mpifort columns.f90 -o columns
!   concilio run --summary mpirun -n 4 ./columns FILE
program columns
  use mpi_f08
  implicit none
  integer, parameter :: rows = 512, mine = 64
  integer :: rank, ranks
  character(len=4096) :: name
  double precision :: matrix(rows, mine), back(rows, mine)
  type(MPI_Datatype) :: part
  type(MPI_File) :: file

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, name)
  matrix = rank

  ! In the file, the columns of all ranks are dealt out in turn.
  call MPI_Type_create_subarray(3, [rows, ranks, mine], [rows, 1, mine], [0, rank, 0], MPI_ORDER_FORTRAN, &
                                MPI_DOUBLE_PRECISION, part)
  call MPI_Type_commit(part)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, part, 'native', MPI_INFO_NULL)
  call MPI_File_write_all(file, matrix, size(matrix), MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  call MPI_File_read_at_all(file, 0_MPI_OFFSET_KIND, back, size(back), MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  call MPI_File_close(file)
  call MPI_Type_free(part)
  if (any(back /= matrix)) error stop 'the file does not hold what was written'
  call MPI_Finalize()
end program columns
