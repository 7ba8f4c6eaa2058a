#include "binding.inc"
! The binding under test, and what all cases need.
module support
#if defined(BINDING_MPIFH)
  implicit none
  include 'mpif.h'
#elif defined(BINDING_MPI)
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer, parameter :: offset_kind = MPI_OFFSET_KIND, address_kind = MPI_ADDRESS_KIND
  integer :: me, ranks, failures = 0, cases_run = 0
  character(len=1000) :: folder
  character(len=64) :: now = ''
  ! What the error handlers below have seen.
  integer :: handler_calls = 0, handler_file = -1, handler_class = -1, other_calls = 0

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    print '(a,i0,5a)', 'rank ', me, ', ', trim(now), ': not so: ', what, ''
  end subroutine

  subroutine ok(code, what)
    integer, intent(in) :: code
    character(len=*), intent(in) :: what
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, error
    if (code == MPI_SUCCESS) return
    failures = failures + 1
    call MPI_Error_string(code, text, length, error)
    print '(a,i0,6a)', 'rank ', me, ', ', trim(now), ': ', what, ': ', text(1:length)
  end subroutine

  integer function class_of(code)
    integer, intent(in) :: code
    integer :: error
    call MPI_Error_class(code, class_of, error)
  end function

  ! A number that says who wrote it where.
  integer function value(rank, place)
    integer, intent(in) :: rank, place
    value = (rank + 1) * 1000000 + place
  end function

  function values(rank, many)
    integer, intent(in) :: rank, many
    integer :: values(many), i
    values = [(value(rank, i), i = 1, many)]
  end function

  logical function same(found, expected)
    integer, intent(in) :: found(:), expected(:)
    same = size(found) == size(expected) .and. all(found == expected)
  end function

  function path(name)
    character(len=*), intent(in) :: name
    character(len=1000) :: path
    path = trim(folder)//'/'//name
  end function

  subroutine barrier()
    integer :: error
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine open_fresh(name, file)
    character(len=*), intent(in) :: name
    HANDLE(MPI_File), intent(out) :: file
    integer :: error
    call MPI_File_open(MPI_COMM_WORLD, path(name), MPI_MODE_CREATE + MPI_MODE_EXCL + MPI_MODE_RDWR, MPI_INFO_NULL, &
                       file, error)
    call ok(error, 'open '//name)
  end subroutine

  subroutine close(file)
    HANDLE(MPI_File), intent(inout) :: file
    integer :: error
    call MPI_File_close(file, error)
    call ok(error, 'close')
    call check(file == MPI_FILE_NULL, 'a closed file is MPI_FILE_NULL')
  end subroutine

  ! The integers of a file, as it is on disk; -1 for those behind its end.
  subroutine contents(name, numbers)
    character(len=*), intent(in) :: name
    integer, intent(out) :: numbers(:)
    integer :: unit, i, status
    numbers = -1
    open(newunit=unit, file=trim(path(name)), access='stream', form='unformatted', action='read', status='old')
    do i = 1, size(numbers)
      read(unit, iostat=status) numbers(i)
      if (status /= 0) then
        numbers(i) = -1
        exit
      end if
    end do
    close(unit)
  end subroutine

  subroutine expect_contents(name, expected)
    character(len=*), intent(in) :: name
    integer, intent(in) :: expected(:)
    integer :: found(size(expected) + 1), i
    call barrier()
    call contents(name, found)
    do i = 1, size(expected)
      if (found(i) == expected(i)) cycle
      failures = failures + 1
      print '(a,i0,5a,i0,a,i0,a,i0)', 'rank ', me, ', ', trim(now), ': ', name, ': integer ', i, ' is ', found(i), &
        ', expected ', expected(i)
      exit
    end do
    call check(found(size(expected) + 1) == -1, name//' is no longer than expected')
    call barrier()
  end subroutine

  integer function count_of(status, type)
    STATUS(status)
    HANDLE(MPI_Datatype), intent(in) :: type
    integer :: error
    call MPI_Get_count(status, type, count_of, error)
  end function

  subroutine handler(file, code)
    HANDLE(MPI_File) :: file
    integer :: code
    handler_calls = handler_calls + 1
    handler_file = INTEGER_OF(file)
    handler_class = class_of(code)
  end subroutine

  subroutine deciding_handler(file, code)
    HANDLE(MPI_File) :: file
    integer :: code
    if (INTEGER_OF(file) /= 0) code = MPI_ERR_QUOTA
  end subroutine

  subroutine other_handler(file, code)
    HANDLE(MPI_File) :: file
    integer :: code
    if (INTEGER_OF(file) /= 0 .and. class_of(code) /= MPI_SUCCESS) other_calls = other_calls + 1
  end subroutine
end module
