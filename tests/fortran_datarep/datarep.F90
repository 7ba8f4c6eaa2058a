! A data representation whose functions are Fortran procedures, by mpif.h or, with F08 defined, by mpi_f08: every
! integer is written with a number added to it, and a 99 behind it. Ends with an error where something is not so.
#ifdef F08
#define DATATYPE type(MPI_Datatype)
#else
#define DATATYPE integer
#endif

module procedures
  use, intrinsic :: iso_c_binding
#ifdef F08
  use mpi_f08
#endif
  implicit none
#ifndef F08
  include 'mpif.h'
#endif
contains
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    integer :: error
    if (condition) return
    print *, 'not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine

  subroutine convert(into_file, user, items, file, position, added)
    logical, intent(in) :: into_file
    integer, intent(in) :: items
    integer :: user(*), file(*)
    integer(MPI_OFFSET_KIND), intent(in) :: position
    integer(MPI_ADDRESS_KIND), intent(in) :: added
    integer :: i
    do i = 1, items
      if (into_file) then
        file(2 * i - 1) = user(position + i) + int(added)
        file(2 * i) = 99
      else
        user(position + i) = file(2 * i - 1) - int(added)
      end if
    end do
  end subroutine

#ifdef F08
  subroutine at(user, items, file, position, u, f)
    type(c_ptr), value :: user, file
    integer, intent(in) :: items
    integer(MPI_OFFSET_KIND), intent(in) :: position
    integer, pointer :: u(:), f(:)
    call c_f_pointer(user, u, [int(position) + items])
    call c_f_pointer(file, f, [2 * items])
  end subroutine
#endif

  subroutine read_items(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    integer :: count, ierror
    DATATYPE :: datatype
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
#ifdef F08
    type(c_ptr), value :: userbuf, filebuf
    integer, pointer :: u(:), f(:)
    call at(userbuf, count, filebuf, position, u, f)
    call convert(.false., u, count, f, position, extra_state)
#else
    integer :: userbuf(*), filebuf(*)
    call convert(.false., userbuf, count, filebuf, position, extra_state)
#endif
    call expect(datatype == MPI_INTEGER, 'the datatype of a read')
    ierror = MPI_SUCCESS
  end subroutine

  subroutine write_items(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    integer :: count, ierror
    DATATYPE :: datatype
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
#ifdef F08
    type(c_ptr), value :: userbuf, filebuf
    integer, pointer :: u(:), f(:)
    call at(userbuf, count, filebuf, position, u, f)
    call convert(.true., u, count, f, position, extra_state)
#else
    integer :: userbuf(*), filebuf(*)
    call convert(.true., userbuf, count, filebuf, position, extra_state)
#endif
    call expect(datatype == MPI_INTEGER, 'the datatype of a write')
    ierror = MPI_SUCCESS
  end subroutine

  subroutine extent_in_file(datatype, extent, extra_state, ierror)
    DATATYPE :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    call expect(datatype == MPI_INTEGER .and. extra_state == 1000, 'what the extent procedure gets')
    extent = 8
    ierror = MPI_SUCCESS
  end subroutine
end module

program datarep
  use procedures
  implicit none
#ifdef F08
  type(MPI_File) :: file
  type(MPI_Status) :: status
#else
  integer :: file, status(MPI_STATUS_SIZE)
#endif
  integer, parameter :: items = 5000
  integer :: values(items), back(items), raw(2 * items), error, class, ignored, rank, i
  integer(MPI_ADDRESS_KIND) :: added
  integer(MPI_OFFSET_KIND) :: offset
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  added = 1000
  call MPI_Register_datarep('spaced  ', read_items, write_items, extent_in_file, added, error)
  call expect(error == MPI_SUCCESS, 'registered')
  call MPI_Register_datarep('written only', MPI_CONVERSION_FN_NULL, write_items, extent_in_file, added, error)
  call expect(error == MPI_SUCCESS, 'registered without a read procedure')
  call MPI_Register_datarep('spaced', read_items, write_items, extent_in_file, added, error)
  call MPI_Error_class(error, class, ignored)
  call expect(class == MPI_ERR_DUP_DATAREP, 'a name that is taken')
  added = -1 ! what it was when it was registered counts

  call MPI_File_open(MPI_COMM_WORLD, 'spaced.out', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, error)
  call expect(error == MPI_SUCCESS, 'opened')
  offset = 0
  call MPI_File_set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'spaced', MPI_INFO_NULL, error)
  call expect(error == MPI_SUCCESS, 'view set')
  values = [(rank * 100000 + i, i = 1, items)]
  offset = int(rank, MPI_OFFSET_KIND) * items
  call MPI_File_write_at_all(file, offset, values, items, MPI_INTEGER, status, error)
  call expect(error == MPI_SUCCESS, 'written')
  back = 0
  call MPI_File_read_at(file, offset, back, items, MPI_INTEGER, status, error)
  call expect(error == MPI_SUCCESS .and. all(back == values), 'read back')

  offset = 0
  call MPI_File_set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'written only', MPI_INFO_NULL, error)
  call expect(error == MPI_SUCCESS, 'view without a read procedure')
  offset = int(rank, MPI_OFFSET_KIND) * 2 * items
  call MPI_File_read_at_all(file, offset, raw, 2 * items, MPI_INTEGER, status, error)
  call expect(all(raw(1::2) == values + 1000) .and. all(raw(2::2) == 99), 'what is in the file')
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
  print *, 'passed'
end program
