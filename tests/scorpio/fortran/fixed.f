C     The include file in fixed form: a rank's row of numbers, there and
C     back. Returns what went wrong, 0 if nothing did.
      SUBROUTINE FIXED(COMM, NAME, WRONG)
      IMPLICIT NONE
      INCLUDE 'scorpiof.h'
      INTEGER COMM, WRONG, FAILURE
      CHARACTER*(*) NAME
C     Names of the program's own, which the include file leaves to it.
      PARAMETER (FAILURE = -1)
      INTEGER GROUP, FILE, IERR, I, NUMBERS(4), BACK(4), N
      WRONG = 0
      DO 10 I = 1, 4
        NUMBERS(I) = 10 * I
        BACK(I) = 0
   10 CONTINUE
      CALL FSCORPIO_IOGROUP_INIT(1, COMM, GROUP, IERR)
      IF (IERR .NE. 0) WRONG = 1
      CALL FSCORPIO_OPEN_FILE(NAME//CHAR(0), GROUP,
     &  SCORPIO_FILE_CREATE, FILE, IERR)
      IF (IERR .EQ. FAILURE) WRONG = 2
      CALL FSCORPIO_WRITE_DATASET_BLOCK(NUMBERS, SCORPIO_INTEGER, 1,
     &  4, 4, 0, FILE, 'Numbers/All'//CHAR(0), GROUP, IERR)
      IF (IERR .NE. 0) WRONG = 3
      CALL FSCORPIO_GET_DATASET_SIZE(N, FILE, 'Numbers/All'//CHAR(0),
     &  GROUP, IERR)
      IF (IERR .NE. 0 .OR. N .NE. 4) WRONG = 4
      CALL FSCORPIO_READ_DATASET(BACK, SCORPIO_INTEGER, 1, 4, 4, FILE,
     &  'Numbers/All'//CHAR(0), GROUP,
     &  SCORPIO_EVERYONE_ENTIRE_DATASET_READ, IERR)
      IF (IERR .NE. 0) WRONG = 5
      DO 20 I = 1, 4
        IF (BACK(I) .NE. NUMBERS(I)) WRONG = 6
   20 CONTINUE
      CALL FSCORPIO_CLOSE_FILE(FILE, GROUP, IERR)
      IF (IERR .NE. 0) WRONG = 7
      CALL FSCORPIO_IOGROUP_CLEANUP(GROUP, IERR)
      IF (IERR .NE. 0) WRONG = 8
      END
