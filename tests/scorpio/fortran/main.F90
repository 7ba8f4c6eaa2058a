! main pflotran | features | oracle SEED CASES
program main
  use support
  use pflotran
  use oracle
  use features
  implicit none
  character(len=20) :: words(3)
  integer :: at, first_seed, cases, wrong
  external :: fixed
  call start()
  do at = 1, 3
    call get_command_argument(at, words(at))
  end do
  select case (words(1))
  case ('pflotran')
    call run_pflotran()
  case ('features')
    call run_features()
    call fixed(MPI_COMM_WORLD, path_of('fixed.h5'), wrong)
    call expect(wrong == 0, 'fixed form')
  case ('oracle')
    read(words(2:3), *) first_seed, cases
    call run_oracle(first_seed, cases)
  case default
    call expect(.false., 'a part is named: pflotran, features or oracle SEED CASES')
  end select
  call finish(words(1))
end program main
