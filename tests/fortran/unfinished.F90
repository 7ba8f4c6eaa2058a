#include "binding.inc"
! Calls that return before they are done, and the shared pointer.
module unfinished
  use support
  implicit none
  integer, parameter :: many = 100
contains

  subroutine nonblocking()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Request) :: requests(4)
    STATUS(status)
    STATUSES(statuses, 4)
    integer, asynchronous :: data(many, 4), back(many, 4)
    integer :: error, i, expected(4 * many * ranks), index
    integer(offset_kind) :: base
    logical :: done
    call open_fresh('nonblocking', file)
    base = int(me, offset_kind) * many * 16
    data = reshape(values(me, 4 * many), [many, 4])
    call MPI_File_iwrite_at(file, base, data(1, 1), many, MPI_INTEGER, requests(1), error)
    call ok(error, 'iwrite_at')
    call MPI_File_iwrite_at_all(file, base + many * 4, data(1, 2), many, MPI_INTEGER, requests(2), error)
    call ok(error, 'iwrite_at_all')
    call MPI_File_seek(file, base + many * 8, MPI_SEEK_SET, error)
    call MPI_File_iwrite(file, data(1, 3), many, MPI_INTEGER, requests(3), error)
    call ok(error, 'iwrite')
    call MPI_File_iwrite_all(file, data(1, 4), many, MPI_INTEGER, requests(4), error)
    call ok(error, 'iwrite_all')
    call MPI_Waitall(4, requests, statuses, error)
    call ok(error, 'waitall')
    call check(all([(requests(i) == MPI_REQUEST_NULL, i = 1, 4)]), 'finished requests are null')
#ifdef BINDING_F08
    call check(all([(count_of(statuses(i), MPI_INTEGER) == many, i = 1, 4)]), 'each status has its count')
#else
    call check(all([(count_of(statuses(:, i), MPI_INTEGER) == many, i = 1, 4)]), 'each status has its count')
#endif
    call MPI_File_get_position(file, base, error)
    call check(base == int(me + 1, offset_kind) * many * 16, 'nonblocking writes move the pointer')
    call MPI_File_sync(file, error)
    call barrier()
    base = int(me, offset_kind) * many * 16
    back = 0
    call MPI_File_iread_at(file, base, back(1, 1), many, MPI_INTEGER, requests(1), error)
    call MPI_File_iread_at_all(file, base + many * 4, back(1, 2), many, MPI_INTEGER, requests(2), error)
    call MPI_File_seek(file, base + many * 8, MPI_SEEK_SET, error)
    call MPI_File_iread(file, back(1, 3), many, MPI_INTEGER, requests(3), error)
    call MPI_File_iread_all(file, back(1, 4), many, MPI_INTEGER, requests(4), error)
    call ok(error, 'iread_all')
    call MPI_Waitany(4, requests, index, status, error)
    call ok(error, 'waitany')
    ! MPICH's f08 counts the index from 0, so it is the requests that say.
    call check(count([(requests(i) == MPI_REQUEST_NULL, i = 1, 4)]) == 1, 'one is finished')
    do
      call MPI_Testall(4, requests, done, MPI_STATUSES_IGNORE, error)
      if (done) exit
    end do
    call ok(error, 'testall')
    call look_at(back, data)
    call MPI_File_iread_at(file, base, back(1, 1), many, MPI_INTEGER, requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call ok(error, 'wait without a status')
    call close(file)
    expected = [(values(i, 4 * many), i = 0, ranks - 1)]
    call expect_contents('nonblocking', expected)
  end subroutine

  subroutine look_at(found, expected)
    integer, intent(in) :: found(many, 4), expected(many, 4)
    call check(all(found == expected), 'what was written is read')
  end subroutine

  subroutine split()
    HANDLE(MPI_File) :: file
    STATUS(status)
    integer, asynchronous :: data(many, 2), back(many, 2)
    integer :: error, i, expected(2 * many * ranks)
    integer(offset_kind) :: base
    call open_fresh('split', file)
    base = int(me, offset_kind) * many * 8
    data = reshape(values(me, 2 * many), [many, 2])
    call MPI_File_write_at_all_begin(file, base, data(1, 1), many, MPI_INTEGER, error)
    call ok(error, 'write_at_all_begin')
    call MPI_File_write_at_all_end(file, data(1, 1), status, error)
    call ok(error, 'write_at_all_end')
    call check(count_of(status, MPI_INTEGER) == many, 'write_at_all_end counts')
    call MPI_File_seek(file, base + many * 4, MPI_SEEK_SET, error)
    call MPI_File_write_all_begin(file, data(1, 2), many, MPI_INTEGER, error)
    call ok(error, 'write_all_begin')
    call MPI_File_write_all_end(file, data(1, 2), MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all_end')
    call MPI_File_read_at_all_begin(file, base, back(1, 1), many, MPI_INTEGER, error)
    call MPI_File_read_at_all_end(file, back(1, 1), status, error)
    call ok(error, 'read_at_all_end')
    call MPI_File_seek(file, base + many * 4, MPI_SEEK_SET, error)
    call MPI_File_read_all_begin(file, back(1, 2), many, MPI_INTEGER, error)
    call MPI_File_read_all_end(file, back(1, 2), status, error)
    call ok(error, 'read_all_end')
    call check(count_of(status, MPI_INTEGER) == many, 'read_all_end counts')
    call check(all(back == data), 'what was written is read')
    call MPI_File_write_all_begin(file, data(1, 2), 0, MPI_INTEGER, error)
    call MPI_File_write_all_begin(file, data(1, 2), 0, MPI_INTEGER, error)
    call check(error /= MPI_SUCCESS, 'one split call at a time')
    call MPI_File_write_all_end(file, data(1, 2), MPI_STATUS_IGNORE, error)
    call ok(error, 'the first one ends')
    call close(file)
    expected = [(values(i, 2 * many), i = 0, ranks - 1)]
    call expect_contents('split', expected)
  end subroutine

  subroutine shared_pointer()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Request) :: request
    STATUS(status)
    integer, asynchronous :: block(many), back(many)
    integer :: error, i, expected(2 * many), owners(0:2 * ranks - 1), length
    integer(offset_kind) :: position, bytes
    call open_fresh('shared', file)
    block = value(me, 0)
    call MPI_File_write_shared(file, block, many, MPI_INTEGER, status, error)
    call ok(error, 'write_shared')
    call check(count_of(status, MPI_INTEGER) == many, 'write_shared counts')
    call MPI_File_iwrite_shared(file, block, many, MPI_INTEGER, request, error)
    call ok(error, 'iwrite_shared')
    call MPI_Wait(request, status, error)
    call ok(error, 'its wait')
    call barrier()
    call MPI_File_get_position_shared(file, position, error)
    call ok(error, 'get_position_shared')
    call check(position == int(ranks, offset_kind) * many * 8, 'the pointer is behind all')
    call MPI_File_sync(file, error)
    call barrier()
    call MPI_File_seek_shared(file, 0_offset_kind, MPI_SEEK_SET, error)
    call ok(error, 'seek_shared')
    call MPI_File_read_shared(file, back, many, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_shared')
    call check(all(back == back(1)), 'blocks of one rank each')
    call MPI_File_iread_shared(file, back, many, MPI_INTEGER, request, error)
    call MPI_Wait(request, status, error)
    call ok(error, 'iread_shared')
    call check(all(back == back(1)), 'blocks of one rank each, nonblocking')
    call barrier()
    ! Every rank's two blocks are there, in some order.
    do i = 0, 2 * ranks - 1
      call MPI_File_read_at(file, int(i, offset_kind) * many * 4, back, many, MPI_INTEGER, MPI_STATUS_IGNORE, error)
      owners(i) = back(1)
    end do
    do i = 0, ranks - 1
      call check(count(owners == value(i, 0)) == 2, 'two blocks of each rank')
    end do
    call close(file)

    call open_fresh('ordered', file)
    length = many - me
    if (ranks > 1 .and. me == ranks - 1) length = 0
    call MPI_File_write_ordered(file, values(me, many), length, MPI_INTEGER, status, error)
    call ok(error, 'write_ordered')
    call check(count_of(status, MPI_INTEGER) == length, 'write_ordered counts')
    block = values(me, many)
    call MPI_File_write_ordered_begin(file, block, many, MPI_INTEGER, error)
    call ok(error, 'write_ordered_begin')
    call MPI_File_write_ordered_end(file, block, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_ordered_end')
    call MPI_File_seek_shared(file, 0_offset_kind, MPI_SEEK_SET, error)
    call MPI_File_read_ordered(file, back, length, MPI_INTEGER, status, error)
    call ok(error, 'read_ordered')
    call check(same(back(1:length), [(value(me, i), i = 1, length)]), 'ordered blocks come back')
    call MPI_File_read_ordered_begin(file, back, many, MPI_INTEGER, error)
    call MPI_File_read_ordered_end(file, back, status, error)
    call ok(error, 'read_ordered_end')
    call check(same(back, values(me, many)), 'and the second round''s')
    call MPI_File_get_size(file, bytes, error)
    call MPI_File_get_position_shared(file, position, error)
    call check(position == bytes, 'the pointer is at the end')
    call close(file)
  end subroutine

  subroutine sequential()
    HANDLE(MPI_File) :: file
    integer :: error, number
    integer(offset_kind) :: bytes
    call MPI_File_open(MPI_COMM_WORLD, path('sequential'), MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_SEQUENTIAL, &
                       MPI_INFO_NULL, file, error)
    call ok(error, 'open with MPI_MODE_SEQUENTIAL')
    if (error /= MPI_SUCCESS) return
    number = value(me, 1)
    call MPI_File_write_shared(file, number, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_shared')
    call MPI_File_write_ordered(file, number, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_ordered')
    call MPI_File_write_at(file, 0_offset_kind, number, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call check(class_of(error) == MPI_ERR_UNSUPPORTED_OPERATION, 'explicit offsets are refused')
    call MPI_File_get_size(file, bytes, error)
    call check(bytes == 8 * ranks, 'each rank wrote twice')
    call close(file)
  end subroutine
end module
