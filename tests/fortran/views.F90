#include "binding.inc"
! Views and memory datatypes made in Fortran.
module views
  use support
  implicit none
contains

  subroutine set_view(file, displacement, filetype)
    HANDLE(MPI_File), intent(in) :: file
    integer, intent(in) :: displacement
    HANDLE(MPI_Datatype), intent(inout) :: filetype
    integer :: error
    call MPI_Type_commit(filetype, error)
    call MPI_File_set_view(file, int(displacement, offset_kind), MPI_INTEGER, filetype, 'native', MPI_INFO_NULL, error)
    call ok(error, 'set_view')
    call MPI_Type_free(filetype, error)
  end subroutine

  subroutine vector_view()
    integer, parameter :: blocks = 50, length = 3
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: filetype, etype
    character(len=MPI_MAX_DATAREP_STRING) :: datarep
    integer :: error, i, j, r, mine(blocks * length), expected(blocks * length * ranks), combiner, ints, adds, types
    integer(offset_kind) :: displacement
    call open_fresh('vector', file)
    call MPI_Type_vector(blocks, length, length * ranks, MPI_INTEGER, filetype, error)
    call set_view(file, me * length * 4, filetype)
    datarep = 'not set'
    call MPI_File_get_view(file, displacement, etype, filetype, datarep, error)
    call ok(error, 'get_view')
    call check(displacement == me * length * 4, 'the displacement is as set')
    call check(datarep == 'native', 'the data representation is as set, padded with blanks')
    call check(etype == MPI_INTEGER, 'the etype is as set')
    call MPI_Type_get_envelope(filetype, ints, adds, types, combiner, error)
    if (combiner /= MPI_COMBINER_NAMED) call MPI_Type_free(filetype, error)
    mine = values(me, size(mine))
    call MPI_File_write_all(file, mine, size(mine), MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    mine = 0
    call MPI_File_read_at(file, 7_offset_kind, mine, 20, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at in etypes')
    call check(same(mine(1:20), [(value(me, i), i = 8, 27)]), 'read_at counts in etypes')
    call close(file)
    do i = 0, blocks - 1
      do r = 0, ranks - 1
        do j = 1, length
          expected((i * ranks + r) * length + j) = value(r, i * length + j)
        end do
      end do
    end do
    call expect_contents('vector', expected)
  end subroutine

  ! Variables as short as the name, and blank: that is all the room there is behind MPI's wrappers.
  subroutine short_names()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: etype, filetype
    character(len=6) :: tight
    character(len=25) :: roomy
    integer :: error, i
    integer(offset_kind) :: displacement
    call open_fresh('short_names', file)
    do i = 1, 200
      tight = ''
      call MPI_File_get_view(file, displacement, etype, filetype, tight, error)
      call ok(error, 'get_view')
      call check(tight == 'native', 'the name fills the variable')
      roomy = ''
      call MPI_File_get_view(file, displacement, etype, filetype, roomy, error)
      call ok(error, 'get_view')
      call check(roomy == 'native', 'blanks follow the name')
    end do
    call MPI_File_write_at_all(file, int(me * 4, offset_kind), me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call close(file)
  end subroutine

  ! Columns of a matrix that Fortran stores by columns: rows are what is scattered.
  subroutine subarray_view()
    integer, parameter :: rows_each = 5, columns = 40, ghost = 2
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: filetype, memory
    integer :: error, i, j, mine(1 - ghost:rows_each + ghost, columns), expected(rows_each * columns * ranks)
    call open_fresh('subarray', file)
    call MPI_Type_create_subarray(2, [rows_each * ranks, columns], [rows_each, columns], [rows_each * me, 0], &
                                  MPI_ORDER_FORTRAN, MPI_INTEGER, filetype, error)
    call set_view(file, 0, filetype)
    call MPI_Type_create_subarray(2, shape(mine), [rows_each, columns], [ghost, 0], MPI_ORDER_FORTRAN, MPI_INTEGER, &
                                  memory, error)
    call MPI_Type_commit(memory, error)
    mine = -7
    do j = 1, columns
      do i = 1, rows_each
        mine(i, j) = (j - 1) * rows_each * ranks + me * rows_each + i
      end do
    end do
    call MPI_File_write_all(file, mine, 1, memory, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    mine = -7
    call MPI_File_read_at_all(file, 0_offset_kind, mine, 1, memory, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at_all')
    call check(all(mine(0, :) == -7) .and. mine(1, 2) == rows_each * ranks + me * rows_each + 1, &
               'ghosts are left alone, the rest is read')
    call MPI_Type_free(memory, error)
    call close(file)
    expected = [(i, i = 1, size(expected))]
    call expect_contents('subarray', expected)
  end subroutine

  subroutine darray_view()
    integer, parameter :: edge = 12
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: filetype
    integer :: error, i, bytes, mine(edge * edge), expected(edge * edge), owned, column, row
    call open_fresh('darray', file)
    call MPI_Type_create_darray(ranks, me, 2, [edge, edge], [MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC], &
                                [MPI_DISTRIBUTE_DFLT_DARG, 2], [1, ranks], MPI_ORDER_FORTRAN, MPI_INTEGER, filetype, &
                                error)
    call MPI_Type_size(filetype, bytes, error)
    owned = 0
    do column = 0, edge - 1
      if (modulo(column / 2, ranks) /= me) cycle
      do row = 1, edge
        owned = owned + 1
        mine(owned) = column * edge + row
      end do
    end do
    call check(bytes == 4 * owned, 'the datatype has its columns')
    call set_view(file, 0, filetype)
    call MPI_File_write_all(file, mine, owned, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'write_all')
    call close(file)
    expected = [(i, i = 1, size(expected))]
    call expect_contents('darray', expected)
  end subroutine

  ! Memory datatypes with absolute addresses.
  subroutine bottom()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: memory
    HANDLE(MPI_Request) :: request
    integer, asynchronous :: one(3), two(5)
    integer :: error, expected(8 * ranks), i
    integer(address_kind) :: places(2)
    STATUS(status)
    call open_fresh('bottom', file)
    call MPI_Get_address(one, places(1), error)
    call MPI_Get_address(two, places(2), error)
    call MPI_Type_create_struct(2, [3, 5], places, [MPI_INTEGER, MPI_INTEGER], memory, error)
    call MPI_Type_commit(memory, error)
    one = [(value(me, i), i = 1, 3)]
    two = [(value(me, i), i = 4, 8)]
    call MPI_File_write_at_all(file, int(me * 32, offset_kind), MPI_BOTTOM, 1, memory, status, error)
    call ok(error, 'write_at_all from MPI_BOTTOM')
    call check(count_of(status, MPI_INTEGER) == 8, 'all of it is counted')
    one = 0
    two = 0
    call MPI_File_read_at_all(file, int(me * 32, offset_kind), MPI_BOTTOM, 1, memory, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at_all to MPI_BOTTOM')
    call look_at(one, two)
    one = 0
    two = 0
    call MPI_File_read_at(file, int(me * 32, offset_kind), MPI_BOTTOM, 1, memory, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at to MPI_BOTTOM')
    call look_at(one, two)
    one = 0
    two = 0
    call MPI_File_iread_at(file, int(me * 32, offset_kind), MPI_BOTTOM, 1, memory, request, error)
    call ok(error, 'iread_at to MPI_BOTTOM')
    call MPI_Wait(request, status, error)
    call ok(error, 'wait')
    call look_at(one, two)
    one = 0
    two = 0
    call MPI_File_read_at_all_begin(file, int(me * 32, offset_kind), MPI_BOTTOM, 1, memory, error)
    call ok(error, 'read_at_all_begin to MPI_BOTTOM')
    call MPI_File_read_at_all_end(file, MPI_BOTTOM, MPI_STATUS_IGNORE, error)
    call ok(error, 'read_at_all_end')
    call look_at(one, two)
    call MPI_Type_free(memory, error)
    call close(file)
    expected = [(values(i, 8), i = 0, ranks - 1)]
    call expect_contents('bottom', expected)
  end subroutine

  ! Not inlined into the caller, whose compiler does not know that MPI changed the arrays.
  subroutine look_at(one, two)
    integer, intent(in) :: one(3), two(5)
    integer :: i
    call check(same(one, [(value(me, i), i = 1, 3)]) .and. same(two, [(value(me, i), i = 4, 8)]), 'it is read back')
  end subroutine

  subroutine kinds()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: wide, integers
    integer, parameter :: real_kind = selected_real_kind(12, 200), integer_kind = selected_int_kind(15)
    real(real_kind) :: reals(4), reals_back(4)
    integer(integer_kind) :: longs(3), longs_back(3)
    complex :: pairs(2), pairs_back(2)
    logical :: flags(5), flags_back(5)
    character(len=10) :: text, text_back
    double precision :: two(2, 3), two_back(2, 3)
    integer :: error
    integer(offset_kind) :: base
    call open_fresh('kinds', file)
    base = me * 1000
    call MPI_Type_create_f90_real(12, 200, wide, error)
    call MPI_Type_create_f90_integer(15, integers, error)
    reals = [1.5_real_kind, -2.25_real_kind, 1e100_real_kind, real(me, real_kind)]
    longs = [1_integer_kind, 2_integer_kind**40, -7_integer_kind]
    pairs = [(1.0, 2.0), (-3.0, 4.5)]
    flags = [.true., .false., .true., .true., .false.]
    text = 'Fortran is'
    two = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0], [2, 3])
    call MPI_File_write_at_all(file, base, reals, 4, wide, MPI_STATUS_IGNORE, error)
    call ok(error, 'F90 reals')
    call MPI_File_write_at_all(file, base + 100, longs, 3, integers, MPI_STATUS_IGNORE, error)
    call ok(error, 'F90 integers')
    call MPI_File_write_at_all(file, base + 200, pairs, 2, MPI_COMPLEX, MPI_STATUS_IGNORE, error)
    call ok(error, 'complex')
    call MPI_File_write_at_all(file, base + 300, flags, 5, MPI_LOGICAL, MPI_STATUS_IGNORE, error)
    call ok(error, 'logical')
    call MPI_File_write_at_all(file, base + 400, text, len(text), MPI_CHARACTER, MPI_STATUS_IGNORE, error)
    call ok(error, 'character')
    call MPI_File_write_at_all(file, base + 500, two, 3, MPI_2DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
    call ok(error, 'pairs of double precision')
    call MPI_File_read_at_all(file, base, reals_back, 4, wide, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at_all(file, base + 100, longs_back, 3, integers, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at_all(file, base + 200, pairs_back, 2, MPI_COMPLEX, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at_all(file, base + 300, flags_back, 5, MPI_LOGICAL, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at_all(file, base + 400, text_back, len(text), MPI_CHARACTER, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at_all(file, base + 500, two_back, 3, MPI_2DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
    call check(all(reals == reals_back), 'F90 reals come back')
    call check(all(longs == longs_back), 'F90 integers come back')
    call check(all(pairs == pairs_back), 'complex numbers come back')
    call check(all(flags .eqv. flags_back), 'logicals come back')
    call check(text == text_back, 'characters come back')
    call check(all(two == two_back), 'pairs come back')
    call close(file)
  end subroutine

#if defined(BINDING_MPIFH) && defined(HAVE_MPI1_TYPES)
  ! MPI-1's constructors, which take addresses as INTEGER.
  subroutine mpi1_types()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: filetype, inner
    integer :: error, i, expected(12 * ranks), mine(12)
    call open_fresh('mpi1', file)
    mine = values(me, 12)
    ! Blocks of 2, 4 and 6 integers, each followed by the other ranks'.
    call MPI_TYPE_HINDEXED(3, [2, 4, 6], [8 * me, 8 * ranks + 16 * me, 24 * ranks + 24 * me], MPI_INTEGER, filetype, &
                           error)
    call set_view(file, 0, filetype)
    call MPI_File_write_all(file, mine, 12, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call ok(error, 'a view by MPI_TYPE_HINDEXED')
    call MPI_TYPE_HVECTOR(6, 1, 8, MPI_INTEGER, inner, error)
    call MPI_TYPE_STRUCT(2, [1, 1], [0, 4], [inner, inner], filetype, error)
    call MPI_Type_commit(filetype, error)
    mine = 0
    call MPI_File_read_at_all(file, 0_offset_kind, mine, 1, filetype, MPI_STATUS_IGNORE, error)
    call ok(error, 'into memory by MPI_TYPE_STRUCT of MPI_TYPE_HVECTOR')
    call check(same(mine(1:12:2), [(value(me, i), i = 1, 6)]) .and. same(mine(2:12:2), [(value(me, i), i = 7, 12)]), &
               'it is read to its places')
    call MPI_Type_free(inner, error)
    call MPI_Type_free(filetype, error)
    call close(file)
    expected = [([value(i, 1), value(i, 2)], i = 0, ranks - 1), ([value(i, 3), value(i, 4), value(i, 5), value(i, 6)], &
                i = 0, ranks - 1), ([value(i, 7), value(i, 8), value(i, 9), value(i, 10), value(i, 11), value(i, 12)], &
                i = 0, ranks - 1)]
    call expect_contents('mpi1', expected)
  end subroutine
#endif
end module
