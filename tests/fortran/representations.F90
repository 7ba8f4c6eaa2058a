#include "binding.inc"
! Data representations: external32, and one with conversion procedures in Fortran.
module representations
  use, intrinsic :: iso_c_binding
  use support
  implicit none
  integer :: conversions = 0
contains

  subroutine external32()
    HANDLE(MPI_File) :: file
    integer :: error, i, mine(10), found(10 * ranks), swapped(10 * ranks)
    integer(address_kind) :: extent
    integer(c_int8_t) :: bytes(4)
    character(len=MPI_MAX_DATAREP_STRING) :: name
    integer(offset_kind) :: displacement
    HANDLE(MPI_Datatype) :: etype, filetype
    call open_fresh('external32', file)
    displacement = me * 40
    call MPI_File_set_view(file, displacement, MPI_INTEGER, MPI_INTEGER, 'external32', MPI_INFO_NULL, error)
    call ok(error, 'set_view')
    call MPI_File_get_type_extent(file, MPI_INTEGER, extent, error)
    call check(extent == 4, 'an INTEGER takes 4 bytes')
    call MPI_File_get_view(file, displacement, etype, filetype, name, error)
    call check(name == 'external32', 'the representation is as set')
    mine = values(me, 10)
    call MPI_File_write_all(file, mine, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    mine = 0
    call MPI_File_read_at(file, 0_offset_kind, mine, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call check(same(mine, values(me, 10)), 'it is read back')
    call close(file)
    call contents('external32', found)
    do i = 1, size(found)
      bytes = transfer(found(i), bytes)
      swapped(i) = transfer(bytes(4:1:-1), swapped(i))
    end do
    call check(same(swapped, [(values(i, 10), i = 0, ranks - 1)]), 'the file is big-endian')
  end subroutine

  subroutine user_representation()
    HANDLE(MPI_File) :: file
    integer :: error, i, mine(10), expected(10 * ranks)
    integer(address_kind), save :: extra = 5
    integer(address_kind) :: extent
    call MPI_Register_datarep('shifted', from_shifted, to_shifted, shifted_extent, extra, error)
    call ok(error, 'register_datarep')
    call MPI_Register_datarep('shifted', from_shifted, to_shifted, shifted_extent, extra, error)
    call check(class_of(error) == MPI_ERR_DUP_DATAREP, 'a name is registered once')
    call open_fresh('shifted', file)
    call MPI_File_set_view(file, int(me * 40, offset_kind), MPI_INTEGER, MPI_INTEGER, 'shifted', MPI_INFO_NULL, error)
    call ok(error, 'set_view')
    call MPI_File_get_type_extent(file, MPI_INTEGER, extent, error)
    call check(extent == 4, 'the extent is the procedure''s')
    mine = values(me, 10)
    call MPI_File_write_all(file, mine, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    call check(same(mine, values(me, 10)), 'the program''s own data is left alone')
    mine = 0
    call MPI_File_read_at_all(file, 0_offset_kind, mine, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at_all')
    call check(same(mine, values(me, 10)), 'it is read back')
    call check(conversions >= 2, 'the procedures were called')
    call close(file)
    expected = [(values(i, 10) + 5, i = 0, ranks - 1)]
    call expect_contents('shifted', expected)
  end subroutine

#ifdef BINDING_F08
#define BUFFER(name) type(c_ptr), value :: name
#define AS_INTEGERS(buffer, numbers, last) call c_f_pointer(buffer, numbers, [last])
#else
#define BUFFER(name) integer, target :: name(*)
#define AS_INTEGERS(buffer, numbers, last) numbers(1:last) => buffer(1:last)
#endif

  ! Each number is `extra_state` larger in the file.
  subroutine from_shifted(user, type, items, file, position, extra_state, error)
    BUFFER(user)
    BUFFER(file)
    HANDLE(MPI_Datatype) :: type
    integer :: items, error
    integer(offset_kind) :: position
    integer(address_kind) :: extra_state
    integer, pointer :: inside(:), outside(:)
    AS_INTEGERS(user, inside, position + items)
    AS_INTEGERS(file, outside, items)
    inside(position + 1:) = outside - int(extra_state)
    conversions = conversions + 1
    error = merge(MPI_SUCCESS, MPI_ERR_TYPE, type == MPI_INTEGER)
  end subroutine

  subroutine to_shifted(user, type, items, file, position, extra_state, error)
    BUFFER(user)
    BUFFER(file)
    HANDLE(MPI_Datatype) :: type
    integer :: items, error
    integer(offset_kind) :: position
    integer(address_kind) :: extra_state
    integer, pointer :: inside(:), outside(:)
    AS_INTEGERS(user, inside, position + items)
    AS_INTEGERS(file, outside, items)
    outside = inside(position + 1:) + int(extra_state)
    conversions = conversions + 1
    error = merge(MPI_SUCCESS, MPI_ERR_TYPE, type == MPI_INTEGER)
  end subroutine

  subroutine shifted_extent(type, extent, extra_state, error)
    HANDLE(MPI_Datatype) :: type
    integer(address_kind) :: extent, extra_state
    integer :: error
    extent = 4
    error = merge(MPI_SUCCESS, MPI_ERR_TYPE, type == MPI_INTEGER .and. extra_state == 5)
  end subroutine
end module
