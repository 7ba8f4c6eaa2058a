#include "scorpio.inc"
! What PFLOTRAN does not use: attributes, strings, links, creation, lists of rows, XDMF, and calls that must fail.
module features
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use support
  implicit none
contains

  subroutine run_features()
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer :: group, file, ierr, groups, number, local, members
    integer(int64) :: peak
    call fscorpio_iogroup_init(2, MPI_COMM_WORLD, group, ierr)
    call expect(ierr == 0, 'an I/O group')
    call fscorpio_set_relative_names(1, group, ierr)
    call expect(ierr == 0, 'all names relative to the open group')
    call fscorpio_iogroup_info(groups, number, local, members, group, ierr)
    call expect(ierr == 0 .and. groups == min(2 + mod(ranks, 2), ranks), 'how many groups there are')
    call expect(number >= 0 .and. number < groups .and. local >= 0 .and. local < members .and. members <= ranks, &
                'where this rank is')
    call fscorpio_set_expected_bytes(1000000_int64, group, ierr)
    call expect(ierr == 0, 'set_expected_bytes')
    call fscorpio_set_buffer_bytes(8192_int64, group, ierr)
    call expect(ierr == 0, 'set_buffer_bytes')
    call fscorpio_open_file(path_of('features.h5'), group, SCORPIO_FILE_CREATE, file, ierr)
    call expect(ierr == 0, 'features.h5 is made')
    call characters(group, file)
    call strings(group, file)
    call attributes(group, file)
    call string_attributes(group, file)
    call calls_of_roots(group, file, local == 0)
    call calls_that_differ(group, file)
    call links(group, file)
    call creation(group, file)
    call xdmf(group, file)
    call refusals(group, file)
    call fscorpio_peak_buffer_bytes(peak, group, ierr)
    ! A root that is alone moves its own data, without a buffer.
    call expect(ierr == 0 .and. peak <= 8192 .and. (peak > 0 .or. local > 0 .or. members == 1), 'the peak of buffers')
    call fscorpio_close_file(file, group, ierr)
    call expect(ierr == 0, 'features.h5 is closed')
    call fscorpio_iogroup_cleanup(group, ierr)
    call expect(ierr == 0, 'cleanup')
  end subroutine run_features

  ! CHARACTER data, whose length the compiler passes along before the name's.
  subroutine characters(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    character :: letters(5), back(5)
    character(len=4) :: tags(5)
    character(len=32) :: name
    integer(int8) :: codes(5)
    integer :: ierr
    letters = achar(iachar('a') + rank)
    call fscorpio_write_dataset(letters, SCORPIO_CHAR, 1, [5 * ranks], [5], file, 'letters'//CHAR(0), group, &
                                SCORPIO_UNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'letters are written')
    back = '?'
    call fscorpio_read_dataset_block(back, SCORPIO_CHAR, 1, [5 * ranks], [5], [5 * rank], file, 'letters', group, ierr)
    call expect(ierr == 0 .and. all(back == letters), 'letters are read, the name ended by the length')
    codes = 0
    call fscorpio_read_dataset_block(codes, SCORPIO_CHAR, 1, [5 * ranks], [5], [5 * rank], file, 'letters'//CHAR(0), &
                                     group, ierr)
    call expect(ierr == 0 .and. all(codes == iachar('a') + rank), 'letters are read as integers')
    ! Texts of 4 letters, and a name of which CHAR(0) and blanks follow.
    tags = 'tags'
    name = 'Materials'//CHAR(0)
    call fscorpio_write_dataset(tags, SCORPIO_CHAR, 2, [5 * ranks, 4], [5, 4], file, name, group, &
                                SCORPIO_UNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'tags are written')
    call fscorpio_dataset_exists('Materials', file, group, ierr)
    call expect(ierr == 1, 'the name of tags is whole')
  end subroutine characters

  subroutine strings(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    character(len=12) :: words(3), back(4), short(2)
    character(len=4) :: narrow(4)
    integer :: ierr, n, length
    words = [character(len=12) :: 'sand', '', 'clay and silt'(1:12)]
    call fscorpio_write_str_array(words, 3, file, 'Names/words'//CHAR(0), group, ierr)
    call expect(ierr == 0, 'words are written')
    call fscorpio_get_str_array_size(n, length, file, 'Names/words'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. n == 3 .and. length == 12, 'how many words, and how long')
    back = '?'
    n = 4
    call fscorpio_read_str_array(back, n, file, 'Names/words'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. n == 3 .and. all(back(1:3) == words) .and. back(4) == '?', 'words are read')
    n = 2
    call fscorpio_read_str_array(short, n, file, 'Names/words'//CHAR(0), group, ierr)
    call expect(n == 3, 'how many there would have been')
    call expect_failure(ierr, 'room for 2', 'reading words into an array that is too short')
    ! Too narrow on one rank only: all of them fail.
    n = 4
    if (rank == ranks - 1) then
      call fscorpio_read_str_array(narrow, n, file, 'Names/words'//CHAR(0), group, ierr)
    else
      call fscorpio_read_str_array(back, n, file, 'Names/words'//CHAR(0), group, ierr)
    end if
    call expect_failure(ierr, 'room for 4', 'reading words into strings that are too short')
  end subroutine strings

  subroutine attributes(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, ndims, dims(3), one, grid(3, 2), small(2)
    integer(int64) :: long(2)
    real(real64) :: values(4), back(4)
    real(real32) :: single
    call fscorpio_write_simple_attr('steps'//CHAR(0), 17, SCORPIO_INTEGER, file, '/', group, ierr)
    call expect(ierr == 0, 'an attribute of the file')
    one = -1
    call fscorpio_read_simple_attr('steps', one, SCORPIO_INTEGER, file, '/'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. one == 17, 'the attribute of the file is read')
    call fscorpio_write_simple_attr('factor', 2.5_real32, SCORPIO_FLOAT, file, 'letters', group, ierr)
    call expect(ierr == 0, 'an attribute of a dataset')
    call fscorpio_read_simple_attr('factor', single, SCORPIO_FLOAT, file, 'letters', group, ierr)
    call expect(ierr == 0 .and. single == 2.5_real32, 'the attribute of a dataset is read')

    grid = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call fscorpio_write_attr('grid', grid, SCORPIO_INTEGER, 2, [2, 3], file, 'Names', group, ierr)
    call expect(ierr == 0, 'an attribute with dimensions')
    ndims = 3
    dims = -1
    call fscorpio_get_attr_dims('grid', SCORPIO_INTEGER, ndims, dims, file, 'Names', group, ierr)
    call expect(ierr == 0 .and. ndims == 2 .and. all(dims == [2, 3, -1]), 'the extents of an attribute')
    grid = 0
    ndims = 3
    call fscorpio_read_attr('grid', grid, SCORPIO_INTEGER, 6_int64, ndims, dims, file, 'Names', group, ierr)
    call expect(ierr == 0 .and. all(reshape(grid, [6]) == [1, 2, 3, 4, 5, 6]), 'an attribute with dimensions is read')
    small = 0
    ndims = 3
    call fscorpio_read_attr('grid', small, SCORPIO_INTEGER, int(merge(2, 6, rank == 0), int64), ndims, dims, file, &
                            'Names', group, ierr)
    call expect_failure(ierr, 'room for 2', 'reading an attribute into an array that is too small')
    call expect(all(small == 0), 'nothing is put there')
    ndims = 1
    call fscorpio_read_attr('grid', grid, SCORPIO_INTEGER, 6_int64, ndims, dims, file, 'Names', group, ierr)
    call expect(ndims == 2, 'how many dimensions there are')
    call expect_failure(ierr, '2 dimensions', 'reading an attribute of more dimensions')

    values = [1d0, 0.5d0, -3d300, 0d0]
    call fscorpio_write_attr('values', values, SCORPIO_DOUBLE, 1, [4], file, '/Names/words', group, ierr)
    call expect(ierr == 0, 'an attribute of doubles')
    ndims = 1
    call fscorpio_read_attr('values', back, SCORPIO_DOUBLE, 4_int64, ndims, dims, file, '/Names/words', group, ierr)
    call expect(ierr == 0 .and. all(back == values), 'an attribute of doubles is read')
    call fscorpio_write_attr('long', [2_int64**40, -1_int64], SCORPIO_LONG, 1, [2], file, '/', group, ierr)
    call expect(ierr == 0, 'an attribute of 64 bits')
    ndims = 1
    call fscorpio_read_attr('long', long, SCORPIO_LONG, 2_int64, ndims, dims, file, '/', group, ierr)
    call expect(ierr == 0 .and. all(long == [2_int64**40, -1_int64]), 'an attribute of 64 bits is read')
    call fscorpio_read_simple_attr('missing', one, SCORPIO_INTEGER, file, '/', group, ierr)
    call expect_failure(ierr, 'missing', 'reading a missing attribute')
    call fscorpio_write_simple_attr('text', 1, 6, file, '/', group, ierr)
    call expect_failure(ierr, 'strings have routines', 'an attribute of numbers, of type string')
  end subroutine attributes

  subroutine string_attributes(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    character(len=20) :: text, long_words(2)
    character(len=3) :: short
    integer :: ierr, n
    call fscorpio_write_str_attr('title', 'two phases  ', file, '/', group, ierr)
    call expect(ierr == 0, 'a text')
    call fscorpio_read_str_attr('title'//CHAR(0), text, file, '/'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. text == 'two phases', 'a text is read')
    call fscorpio_read_str_attr('title', short, file, '/', group, ierr)
    call expect_failure(ierr, 'room for 3', 'reading a text that is too long')
    call fscorpio_write_str_array_attr('axes', ['north', 'up   '], 2, file, 'Names', group, ierr)
    call expect(ierr == 0, 'texts')
    n = 2
    call fscorpio_read_str_array_attr('axes', long_words, n, file, 'Names', group, ierr)
    call expect(ierr == 0 .and. n == 2 .and. all(long_words == [character(len=20) :: 'north', 'up']), 'texts are read')
  end subroutine string_attributes

  ! Only the roots write attributes and strings.
  subroutine calls_of_roots(group, file, is_root)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    logical, intent(in) :: is_root
    integer :: ierr, n, found(2), ndims, dims(1)
    character(len=8) :: text, texts(1)
    if (is_root) then
      call fscorpio_write_simple_attr('roots one', 5, SCORPIO_INTEGER, file, '/', group, ierr)
      call expect(ierr == 0, 'roots write an attribute')
      call fscorpio_write_attr('roots two', [6, 7], SCORPIO_INTEGER, 1, [2], file, '/', group, ierr)
      call expect(ierr == 0, 'roots write an attribute with dimensions')
      call fscorpio_write_simple_attr('roots none', 1, 6, file, '/', group, ierr)
      call expect_failure(ierr, 'strings have routines', 'roots write an attribute of numbers, of type string')
      call fscorpio_write_str_attr('roots text', 'rock', file, '/', group, ierr)
      call expect(ierr == 0, 'roots write a text')
      call fscorpio_write_str_array_attr('roots texts', ['clay'], 1, file, '/', group, ierr)
      call expect(ierr == 0, 'roots write an attribute of texts')
      call fscorpio_write_str_array(['sand'], 1, file, 'roots words', group, ierr)
      call expect(ierr == 0, 'roots write words')
    end if
    call fscorpio_get_dataset_ndims(n, file, 'roots words', group, ierr)
    call expect(ierr == 0 .and. n == 1, 'all ranks ask')
    call fscorpio_read_simple_attr('roots one', n, SCORPIO_INTEGER, file, '/', group, ierr)
    call expect(ierr == 0 .and. n == 5, 'the attribute of roots is read')
    ndims = 1
    call fscorpio_read_attr('roots two', found, SCORPIO_INTEGER, 2_int64, ndims, dims, file, '/', group, ierr)
    call expect(ierr == 0 .and. all(found == [6, 7]), 'the attribute of roots with dimensions is read')
    call fscorpio_read_str_attr('roots text', text, file, '/', group, ierr)
    call expect(ierr == 0 .and. text == 'rock', 'the text of roots is read')
    n = 1
    call fscorpio_read_str_array_attr('roots texts', texts, n, file, '/', group, ierr)
    call expect(ierr == 0 .and. texts(1) == 'clay', 'the texts of roots are read')
  end subroutine calls_of_roots

  ! Rank 0 makes another call than the others.
  subroutine calls_that_differ(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, n, ndims, dims(1)
    if (ranks == 1) return
    if (rank == 0) then
      call fscorpio_read_simple_attr('steps', n, SCORPIO_INTEGER, file, '/', group, ierr)
    else
      call fscorpio_get_dataset_ndims(n, file, 'letters', group, ierr)
    end if
    call expect_failure(ierr, 'calls differ', 'reading an attribute on one rank')
    if (rank == 0) then
      call fscorpio_get_attr_dims('steps', SCORPIO_INTEGER, ndims, dims, file, '/', group, ierr)
    else
      call fscorpio_get_dataset_ndims(n, file, 'letters', group, ierr)
    end if
    call expect_failure(ierr, 'calls differ', 'asking for an attribute on one rank')
    if (rank == 0) then
      call fscorpio_xdmf_begin_uniform(0d0, 2, [2_int64, 2_int64], [0d0, 0d0], [1d0, 1d0], group, ierr)
      call fscorpio_write_xdmf(file, group, ierr)
    else
      call fscorpio_get_dataset_ndims(n, file, 'letters', group, ierr)
    end if
    call expect_failure(ierr, 'calls differ', 'writing a grid on one rank')
  end subroutine calls_that_differ

  subroutine links(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, groupid, inner
    character :: back(5)
    call fscorpio_create_dataset_group(groupid, 'Shortcuts/Of mine'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'a group, with the one on its path')
    call fscorpio_create_link('/letters'//CHAR(0), groupid, 'again'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'a link in the group')
    call fscorpio_create_link('/Shortcuts/Of mine'//CHAR(0), 0, 'mine'//CHAR(0), file, group, ierr)
    call expect(ierr == 0, 'a link in the root')
    call fscorpio_create_dataset_group(inner, 'Inner'//CHAR(0), file, group, ierr)
    call expect(ierr == 0 .and. inner /= groupid, 'a group in the group')
    call fscorpio_close_dataset_group(inner, file, group, ierr)
    call expect(ierr == 0, 'the inner group is closed')
    call fscorpio_close_dataset_group(groupid, file, group, ierr)
    call expect(ierr == 0, 'the group is closed')
    call fscorpio_group_exists('/Shortcuts/Of mine/Inner', file, group, ierr)
    call expect(ierr == 1, 'the inner group is where it belongs')
    call fscorpio_read_dataset_block(back, SCORPIO_CHAR, 1, [5 * ranks], [5], [5 * rank], file, &
                                     'mine/again'//CHAR(0), group, ierr)
    call expect(ierr == 0 .and. all(back == achar(iachar('a') + rank)), 'read by two links')
    call fscorpio_close_dataset_group(groupid, file, group, ierr)
    call expect(ierr == FAILURE, 'closing a group once more fails')
  end subroutine links

  subroutine creation(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, at
    integer :: values(40, 10)
    integer(int64) :: size_there
    call fscorpio_set_creation(2, [5_int64, 20_int64], 6, 1, ' ', file, group, ierr)
    call expect(ierr == 0, 'chunks, compressed')
    values = reshape([(rank * 400 + at, at = 0, 399)], [40, 10])
    call fscorpio_write_dataset_block(values, SCORPIO_INTEGER, 2, [10 * ranks, 40], [10, 40], [10 * rank, 0], file, &
                                      'packed', group, ierr)
    call expect(ierr == 0, 'a dataset in chunks is written')
    values = 0
    call fscorpio_read_dataset_64(values, SCORPIO_INTEGER, 2, [10_int64 * ranks, 40_int64], [10_int64, 40_int64], &
                                  file, 'packed', group, SCORPIO_UNIFORM_CONTIGUOUS_READ, ierr)
    call expect(ierr == 0 .and. all(reshape(values, [400]) == [(rank * 400 + at, at = 0, 399)]), &
                'a dataset in chunks is read')
    call fscorpio_get_dataset_size_64(size_there, file, 'packed', group, ierr)
    call expect(ierr == 0 .and. size_there == 400 * ranks, 'its size')
    call fscorpio_set_creation(0, [0_int64], 10, 0, ' ', file, group, ierr)
    call expect(ierr == FAILURE, 'there is no level 10')
    call fscorpio_set_creation(0, [0_int64], 0, 0, ' ', file, group, ierr)
    call expect(ierr == 0, 'plain again')
  end subroutine creation

  subroutine xdmf(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, step
    real(real64) :: edges(11)
    call fscorpio_write_dataset([1d0], SCORPIO_DOUBLE, 2, [ranks, 1], [1, 1], file, 'field', group, &
                                SCORPIO_UNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'a field is written')
    edges = [(dble(step), step = 0, 10)]
    call fscorpio_write_dataset(edges, SCORPIO_DOUBLE, 1, [ranks + 1], [merge(ranks + 1, 0, rank == 0)], file, &
                                'edges/z', group, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call fscorpio_write_dataset(edges, SCORPIO_DOUBLE, 1, [2], [merge(2, 0, rank == 0)], file, 'edges/x', group, &
                                SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE, ierr)
    call expect(ierr == 0, 'coordinates are written')
    do step = 1, 2
      if (step == 1) then
        call fscorpio_xdmf_begin_uniform(0.5d0, 2, [ranks + 1_int64, 2_int64], [0d0, 0d0], [1d0, 2d0], group, ierr)
      else
        call fscorpio_xdmf_begin_rectilinear(1.5d0, 2, [ranks + 1_int64, 2_int64], ['edges/z', 'edges/x'], group, ierr)
      end if
      call expect(ierr == 0, 'a grid is begun')
      call fscorpio_xdmf_add_field('field'//CHAR(0), 'Pressure', 1, group, ierr)
      call expect(ierr == 0, 'a field is added')
      call fscorpio_write_xdmf(file, group, ierr)
      call expect(ierr == 0, 'the description is written')
    end do
    call MPI_BARRIER(MPI_COMM_WORLD, ierr)
    call expect(lines_with('Pressure') == 2, 'each step has its field')
    call expect(lines_with('edges/x') >= 1, 'the rectilinear grid has its coordinates')
    ! Without a grid, or with one that is none on one rank.
    call fscorpio_write_xdmf(file, group, ierr)
    call expect_failure(ierr, 'no grid', 'a description of nothing')
    call fscorpio_xdmf_add_field('field', ' ', 1, group, ierr)
    call expect_failure(ierr, 'without a grid', 'a field of no grid')
    call fscorpio_xdmf_begin_uniform(2.5d0, merge(7, 2, rank == ranks - 1), [ranks + 1_int64, 2_int64], [0d0, 0d0], &
                                     [1d0, 2d0], group, ierr)
    call expect(ierr == merge(FAILURE, 0, rank == ranks - 1), 'a grid of 7 dimensions')
    call fscorpio_write_xdmf(file, group, ierr)
    call expect_failure(ierr, 'no grid', 'a grid that one rank has not')
  end subroutine xdmf

  integer function lines_with(text)
    character(len=*), intent(in) :: text
    character(len=400) :: line
    integer :: unit, status
    lines_with = 0
    open(newunit=unit, file=path_of('features.xmf'), action='read', status='old', iostat=status)
    if (status /= 0) return
    do
      read(unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (index(line, text) > 0) lines_with = lines_with + 1
    end do
    close(unit)
  end function lines_with

  subroutine refusals(group, file)
    USE_SCORPIO
    INCLUDE_SCORPIO
    integer, intent(in) :: group, file
    integer :: ierr, ndims, other, value(5)
    character(len=10) :: short
    call fscorpio_get_dataset_ndims(ndims, file, 'letters', 4711, ierr)
    call expect_failure(ierr, '4711', 'a call with an I/O group that is none')
    call fscorpio_last_error(short)
    call expect(short == 'there is n', 'a message is cut where the caller''s string ends')
    call fscorpio_iogroup_init(1, MPI_COMM_NULL, other, ierr)
    call expect(ierr == FAILURE .and. other == FAILURE, 'an I/O group of no communicator')
    call fscorpio_open_file(path_of('no folder/new.h5'), group, SCORPIO_FILE_CREATE, other, ierr)
    call expect(other == FAILURE, 'no handle')
    call expect_failure(ierr, 'no folder', 'a file in a folder that is not there')
    value = 1
    ! One rank has other extents of the dataset.
    call fscorpio_write_dataset_block(value, SCORPIO_INTEGER, 1, [merge(10, 9, rank == 0) * ranks], [5], [0], file, &
                                      'differing', group, ierr)
    call expect(ierr == merge(0, FAILURE, ranks == 1), 'extents that differ')
    call fscorpio_write_dataset_block(value, 99, 1, [5], [5], [0], file, 'of no type', group, ierr)
    call expect(ierr == FAILURE, 'a type that is none')
    call fscorpio_read_dataset_block(value, SCORPIO_INTEGER, 1, [5 * ranks], [5], [merge(1, 5 * ranks, rank > 0)], &
                                     file, 'letters', group, ierr)
    call expect_failure(ierr, 'letters', 'a block outside the dataset')
    call fscorpio_read_dataset(value, SCORPIO_INTEGER, 1, [5 * ranks], [5], file, 'letters', group, 77, ierr)
    call expect(ierr == FAILURE, 'a pattern that is none')
  end subroutine refusals
end module features
