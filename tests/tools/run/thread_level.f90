! The same in Fortran, by either binding: BINDING is mpi or mpi_f08.
program thread_level
  use BINDING
  implicit none
  integer :: told, level, rank, code
  character(len=32) :: how

  told = -1
  call get_command_argument(1, how)
  if (how == 'MPI_Init_thread') then
    call MPI_Init_thread(MPI_THREAD_FUNNELED, told, code)
  else
    call MPI_Init(code)
  end if
  call MPI_Query_thread(level, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  if (rank == 0) then
    if (level /= MPI_THREAD_MULTIPLE) then
      print '(a)', 'lower level, told the truth'
    else if (told == -1 .or. told == level) then
      print '(a)', 'multiple level, told the truth'
    else
      print '(a)', 'multiple level, told something else'
    end if
  end if
  call MPI_Finalize(code)
end program
