#include "binding.inc"
! Error handlers made in Fortran and in C, and handles that cross between them.
module handlers
  use support
  implicit none
contains

  subroutine provoke(file, what)
    HANDLE(MPI_File), intent(in) :: file
    character(len=*), intent(in) :: what
    integer :: error
    call MPI_File_seek(file, -5_offset_kind, MPI_SEEK_SET, error)
    call check(error /= MPI_SUCCESS, what//': the call fails')
  end subroutine

  subroutine fortran_handlers()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: made, found, second
    integer :: error, before
    call open_fresh('handlers', file)
    call MPI_File_create_errhandler(handler, made, error)
    call ok(error, 'create_errhandler')
    call MPI_File_create_errhandler(other_handler, second, error)
    call ok(error, 'create_errhandler, another')
    call MPI_File_get_errhandler(file, found, error)
    call check(found == MPI_ERRORS_RETURN, 'files begin with MPI_ERRORS_RETURN')
    call MPI_File_set_errhandler(file, made, error)
    call ok(error, 'set_errhandler')
    before = handler_calls
    call provoke(file, 'a Fortran handler')
    call check(handler_calls == before + 1, 'the handler was called')
    call check(handler_file == INTEGER_OF(file), 'with the file')
    call check(handler_class /= MPI_SUCCESS, 'and the error')
    call MPI_File_call_errhandler(file, MPI_ERR_QUOTA, error)
    call ok(error, 'call_errhandler')
    call check(handler_calls == before + 2 .and. handler_class == MPI_ERR_QUOTA, 'call_errhandler calls it')
    call MPI_File_get_errhandler(file, found, error)
    call check(found == made, 'get_errhandler gives the same handle')
    call MPI_Errhandler_free(made, error)
    call ok(error, 'free')
    call check(made == MPI_ERRHANDLER_NULL, 'a freed handler is MPI_ERRHANDLER_NULL')
    call provoke(file, 'a freed handler')
    call check(handler_calls == before + 3, 'a freed handler stays the file''s')
    call MPI_File_set_errhandler(file, second, error)
    before = other_calls
    call provoke(file, 'another handler')
    call check(other_calls == before + 1, 'the second handler took over')
    call MPI_File_set_errhandler(file, MPI_ERRORS_RETURN, error)
    call provoke(file, 'MPI_ERRORS_RETURN')
    call check(other_calls == before + 1, 'no handler is called')
    call MPI_Errhandler_free(second, error)
    call MPI_File_write_at_all(file, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call close(file)
  end subroutine

  ! What the handler leaves in its argument is what the call gives.
  subroutine deciding()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: made
    HANDLE(MPI_Request) :: request
    integer :: error
    call open_fresh('deciding', file)
    call MPI_File_create_errhandler(deciding_handler, made, error)
    call MPI_File_set_errhandler(file, made, error)
    call MPI_File_seek(file, -5_offset_kind, MPI_SEEK_SET, error)
    call check(error == MPI_ERR_QUOTA, 'seek')
    call MPI_File_write_at_all(file, -5_offset_kind, me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call check(error == MPI_ERR_QUOTA, 'write_at_all')
    call MPI_File_iwrite_at_all(file, -5_offset_kind, me, 1, MPI_INTEGER, request, error)
    call ok(error, 'iwrite_at_all')
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call check(error == MPI_ERR_QUOTA, 'wait')
    call MPI_File_call_errhandler(file, MPI_ERR_IO, error)
    call ok(error, 'call_errhandler')
    call MPI_Errhandler_free(made, error)
    call MPI_File_write_at_all(file, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call close(file)
  end subroutine

  subroutine default_handler()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: made, found
    integer :: error, before
    call MPI_File_create_errhandler(handler, made, error)
    call MPI_File_set_errhandler(MPI_FILE_NULL, made, error)
    call ok(error, 'set_errhandler of MPI_FILE_NULL')
    call MPI_File_get_errhandler(MPI_FILE_NULL, found, error)
    call check(found == made, 'get_errhandler of MPI_FILE_NULL')
    before = handler_calls
    call MPI_File_open(MPI_COMM_WORLD, path('missing'), MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
    call check(error /= MPI_SUCCESS, 'a missing file cannot be opened')
    call check(handler_calls == before + 1, 'the default handler was called')
    call check(handler_file == INTEGER_OF(MPI_FILE_NULL), 'with MPI_FILE_NULL')
    call check(handler_class == MPI_ERR_NO_SUCH_FILE, 'and the error')
    call MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_QUOTA, error)
    call check(handler_calls == before + 2 .and. handler_class == MPI_ERR_QUOTA, 'call_errhandler calls it')
    call open_fresh('inherits', file)
    call provoke(file, 'an inherited handler')
    call check(handler_calls == before + 3 .and. handler_file == INTEGER_OF(file), 'files inherit it')
    call MPI_File_write_at_all(file, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call close(file)
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, error)
    call MPI_Errhandler_free(made, error)
  end subroutine

  subroutine mixed_handlers()
    HANDLE(MPI_File) :: one, two
    HANDLE(MPI_Errhandler) :: made, found
    integer :: error, before, calls, error_class, is_same
    call open_fresh('mixed-1', one)
    call open_fresh('mixed-2', two)
    call c_install_handler(INTEGER_OF(one), error)
    call ok(error, 'a C handler on a Fortran file')
    call c_noted(INTEGER_OF(one), before, error_class, is_same)
    call provoke(one, 'a C handler')
    call c_noted(INTEGER_OF(one), calls, error_class, is_same)
    call check(calls == before + 1 .and. is_same == 1 .and. error_class /= MPI_SUCCESS, 'C''s handler is called as C''s')
    call MPI_File_get_errhandler(one, found, error)
    call MPI_File_set_errhandler(two, found, error)
    call ok(error, 'a C handler set by Fortran')
    call provoke(two, 'a C handler set by Fortran')
    call c_noted(INTEGER_OF(two), calls, error_class, is_same)
    call check(calls == before + 2 .and. is_same == 1, 'it is still called as C''s')

    call MPI_File_create_errhandler(handler, made, error)
    call MPI_File_set_errhandler(one, made, error)
    call c_copy_handler(INTEGER_OF(one), INTEGER_OF(two), error)
    call ok(error, 'a Fortran handler copied in C')
    before = handler_calls
    call c_provoke(INTEGER_OF(two), error)
    call check(error /= MPI_SUCCESS, 'a failing call from C')
    call check(handler_calls == before + 1 .and. handler_file == INTEGER_OF(two), 'Fortran''s is called as Fortran''s')
    call c_call_handler(INTEGER_OF(two), MPI_ERR_NO_SPACE, error)
    call check(handler_calls == before + 2 .and. handler_class == MPI_ERR_NO_SPACE, 'C''s call_errhandler calls it')
    call MPI_Errhandler_free(made, error)
    call MPI_File_write_at_all(one, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_write_at_all(two, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call close(one)
    call close(two)
  end subroutine

  subroutine mixed_handles()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: type
    integer :: error, integer_file, is_same, pair(4), expected(2 * ranks), i
    integer(offset_kind) :: length
    call c_open(INTEGER_OF(MPI_COMM_WORLD), trim(path('handles'))//char(0), integer_file, error)
    call ok(error, 'opened in C')
    INTEGER_OF(file) = integer_file
    call c_round_trip(integer_file, is_same)
    call check(is_same == 1, 'a handle comes back as the same integer')
    call c_round_trip(INTEGER_OF(MPI_FILE_NULL), is_same)
    call check(is_same == 1, 'so does MPI_FILE_NULL')
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    pair = [value(me, 1), 0, value(me, 2), 0]
    call c_write(INTEGER_OF(file), 8 * me, INTEGER_OF(type), pair, error)
    call ok(error, 'written in C with a datatype made in Fortran')
    call MPI_Type_free(type, error)
    call barrier()
    call MPI_File_get_size(file, length, error)
    call ok(error, 'Fortran uses the file that C opened')
    call check(length == 8 * ranks, 'it has its size')
    call c_close(INTEGER_OF(file), error)
    call ok(error, 'closed in C')
    call check(file == MPI_FILE_NULL, 'and null in Fortran')
    expected = [([value(i, 1), value(i, 2)], i = 0, ranks - 1)]
    call expect_contents('handles', expected)
  end subroutine
end module
