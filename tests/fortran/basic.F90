#include "binding.inc"
! Open, close, explicit offsets, individual pointers, sizes, hints.
module basic
  use support
  implicit none
contains

  subroutine open_and_delete()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Group) :: group
    integer :: error, amode, members
    call MPI_File_open(MPI_COMM_WORLD, path('missing'), MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
    call check(class_of(error) == MPI_ERR_NO_SUCH_FILE, 'a missing file is MPI_ERR_NO_SUCH_FILE')
    call open_fresh('deleted', file)
    call MPI_File_get_amode(file, amode, error)
    call ok(error, 'get_amode')
    call check(amode == MPI_MODE_CREATE + MPI_MODE_EXCL + MPI_MODE_RDWR, 'the access mode is as given')
    call MPI_File_get_group(file, group, error)
    call ok(error, 'get_group')
    call MPI_Group_size(group, members, error)
    call check(members == ranks, 'the group has all ranks')
    call MPI_Group_free(group, error)
    call close(file)
    call MPI_File_open(MPI_COMM_WORLD, path('deleted'), MPI_MODE_CREATE + MPI_MODE_EXCL + MPI_MODE_RDWR, &
                       MPI_INFO_NULL, file, error)
    call check(class_of(error) == MPI_ERR_FILE_EXISTS, 'MPI_MODE_EXCL finds the file')
    call barrier()
    if (me == 0) then
      call MPI_File_delete(path('deleted'), MPI_INFO_NULL, error)
      call ok(error, 'delete')
      call MPI_File_delete(path('deleted'), MPI_INFO_NULL, error)
      call check(class_of(error) == MPI_ERR_NO_SUCH_FILE, 'what is deleted cannot be deleted')
    end if
    call barrier()
  end subroutine

  subroutine explicit_offsets()
    integer, parameter :: many = 1000
    HANDLE(MPI_File) :: file
    STATUS(status)
    integer :: error, i, mine(many), back(many), expected(2 * many * ranks)
    integer(offset_kind) :: place
    mine = values(me, many)
    call open_fresh('explicit', file)
    place = int(me, offset_kind) * many * 4
    call MPI_File_write_at(file, place, mine, many, MPI_INTEGER, status, error)
    call ok(error, 'write_at')
    call check(count_of(status, MPI_INTEGER) == many, 'write_at counts')
    place = int(ranks + me, offset_kind) * many * 4
    call MPI_File_write_at_all(file, place, mine, many, MPI_INTEGER, status, error)
    call ok(error, 'write_at_all')
    call check(count_of(status, MPI_INTEGER) == many, 'write_at_all counts')
    call MPI_File_sync(file, error)
    call barrier()
    call MPI_File_sync(file, error)
    call ok(error, 'sync')
    back = 0
    place = int(modulo(me + 1, ranks), offset_kind) * many * 4
    call MPI_File_read_at(file, place, back, many, MPI_INTEGER, status, error)
    call ok(error, 'read_at')
    call check(same(back, values(modulo(me + 1, ranks), many)), 'read_at finds what the next rank wrote')
    back = 0
    place = int(2 * ranks - 1 - me, offset_kind) * many * 4
    call MPI_File_read_at_all(file, place, back, many, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at_all')
    call check(same(back, values(ranks - 1 - me, many)), 'read_at_all finds what another rank wrote')
    place = int(2 * ranks, offset_kind) * many * 4 - 20
    call MPI_File_read_at(file, place, back, many, MPI_INTEGER, status, error)
    call check(count_of(status, MPI_INTEGER) == 5, 'a read at the end is short')
    call close(file)
    do i = 0, 2 * ranks - 1
      expected(i * many + 1:(i + 1) * many) = values(modulo(i, ranks), many)
    end do
    call expect_contents('explicit', expected)
  end subroutine

  subroutine pointers()
    integer, parameter :: many = 12
    HANDLE(MPI_File) :: file
    integer :: error, i, back(many), expected(many * ranks)
    integer(offset_kind) :: place
    call open_fresh('pointers', file)
    place = int(me, offset_kind) * many * 4
    call MPI_File_seek(file, place, MPI_SEEK_SET, error)
    call ok(error, 'seek')
    call MPI_File_write(file, values(me, many), many / 2, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write')
    back = values(me, many)
    call MPI_File_write_all(file, back(many / 2 + 1:), many / 2, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    call MPI_File_get_position(file, place, error)
    call ok(error, 'get_position')
    call check(place == int(me + 1, offset_kind) * many * 4, 'writes move the pointer')
    call MPI_File_get_byte_offset(file, place, place, error)
    call check(place == int(me + 1, offset_kind) * many * 4, 'bytes are bytes in the default view')
    place = -many * 4
    call MPI_File_seek(file, place, MPI_SEEK_CUR, error)
    back = 0
    call MPI_File_read_all(file, back, many, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_all')
    call check(same(back, values(me, many)), 'read_all finds it')
    call barrier()
    call MPI_File_seek(file, place, MPI_SEEK_END, error)
    back = 0
    call MPI_File_read(file, back, many, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call check(same(back, values(ranks - 1, many)), 'read finds the last rank''s at the end')
    call close(file)
    expected = [(values(i, many), i = 0, ranks - 1)]
    call expect_contents('pointers', expected)
  end subroutine

  subroutine sizes()
    HANDLE(MPI_File) :: file
    integer :: error
    logical :: atomic
    integer(offset_kind) :: length
    integer(address_kind) :: extent
    call open_fresh('sizes', file)
    length = 4000
    call MPI_File_set_size(file, length, error)
    call ok(error, 'set_size')
    length = 0
    call MPI_File_get_size(file, length, error)
    call check(length == 4000, 'the size is what was set')
    length = 8000
    call MPI_File_preallocate(file, length, error)
    call ok(error, 'preallocate')
    call MPI_File_get_size(file, length, error)
    call check(length == 8000, 'preallocate lengthens')
    call MPI_File_get_atomicity(file, atomic, error)
    call ok(error, 'get_atomicity')
    call check(.not. atomic, 'files begin nonatomic')
    call MPI_File_set_atomicity(file, .true., error)
    call ok(error, 'set_atomicity')
    call MPI_File_get_atomicity(file, atomic, error)
    call check(atomic, 'the file is atomic')
    length = int(me, offset_kind) * 4
    call MPI_File_write_at_all(file, length, me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'an atomic write')
    call MPI_File_set_atomicity(file, .false., error)
    call MPI_File_get_atomicity(file, atomic, error)
    call check(.not. atomic, 'the file is nonatomic again')
    call MPI_File_get_type_extent(file, MPI_DOUBLE_PRECISION, extent, error)
    call ok(error, 'get_type_extent')
    call check(extent == 8, 'a DOUBLE PRECISION takes 8 bytes')
#ifdef BINDING_F08
    call MPI_File_sync(file)  ! f08 need not ask for the error
    call MPI_File_get_size(size=length, fh=file)
    call check(length == 8000, 'arguments by name')
#endif
    call close(file)
  end subroutine

  subroutine hints()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Info) :: info
    character(len=MPI_MAX_INFO_VAL) :: text
    integer :: error
    logical :: there
    call MPI_Info_create(info, error)
    call MPI_Info_set(info, 'cb_buffer_size', '2097152', error)
    call MPI_File_open(MPI_COMM_WORLD, path('hints'), MPI_MODE_CREATE + MPI_MODE_WRONLY, info, file, error)
    call ok(error, 'open with hints')
    call MPI_Info_free(info, error)
    call MPI_File_write_at_all(file, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_get_info(file, info, error)
    call ok(error, 'get_info')
    call MPI_Info_get(info, 'cb_buffer_size', MPI_MAX_INFO_VAL, text, there, error)
    call check(there, 'get_info has the hint')
    if (there) call check(text == '2097152', 'with its value')
    call MPI_Info_set(info, 'cb_buffer_size', '1048576', error)
    call MPI_File_set_info(file, info, error)
    call ok(error, 'set_info')
    call MPI_Info_free(info, error)
    call close(file)
  end subroutine
end module
