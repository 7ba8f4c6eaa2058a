#include "binding.inc"
! main FOLDER [CASE...]: runs the named cases, or all, with files in FOLDER. Exit code 1 if anything was not as it should.
program main
  use support
  use basic
  use views
  use handlers
  use unfinished
  use representations
  implicit none
  integer :: error, total, level, length
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, folder)
  call get_environment_variable('CONCILIO_THREADS', length=length)
  call MPI_Query_thread(level, error)
  if (length > 0) call check(level == MPI_THREAD_MULTIPLE, 'CONCILIO_THREADS gives MPI_THREAD_MULTIPLE')

  call run('open_and_delete', open_and_delete)
  call run('explicit_offsets', explicit_offsets)
  call run('pointers', pointers)
  call run('sizes', sizes)
  call run('hints', hints)
  call run('vector_view', vector_view)
  call run('short_names', short_names)
  call run('subarray_view', subarray_view)
  call run('darray_view', darray_view)
  call run('bottom', bottom)
  call run('kinds', kinds)
#if defined(BINDING_MPIFH) && defined(HAVE_MPI1_TYPES)
  call run('mpi1_types', mpi1_types)
#endif
  call run('fortran_handlers', fortran_handlers)
  call run('deciding', deciding)
  call run('default_handler', default_handler)
  call run('mixed_handlers', mixed_handlers)
  call run('mixed_handles', mixed_handles)
  call run('nonblocking', nonblocking)
  call run('split', split)
  call run('shared_pointer', shared_pointer)
  call run('sequential', sequential)
  call run('external32', external32)
  call run('user_representation', user_representation)

  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (me == 0) print '(i0,a,i0,a)', cases_run, ' cases, ', total, ' expectations failed'
  if (cases_run == 0) total = 1
  call MPI_Finalize(error)
  if (total /= 0) stop 1

contains

  logical function chosen(name)
    character(len=*), intent(in) :: name
    character(len=64) :: given
    integer :: i
    chosen = command_argument_count() < 2
    do i = 2, command_argument_count()
      call get_command_argument(i, given)
      if (given == name) chosen = .true.
    end do
  end function

  subroutine run(name, body)
    character(len=*), intent(in) :: name
    interface
      subroutine body()
      end subroutine
    end interface
    if (.not. chosen(name)) return
    now = name
    cases_run = cases_run + 1
    call body()
    call barrier()
  end subroutine
end program
