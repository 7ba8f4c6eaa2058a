// A program that is not linked with MPI.
#include <stdio.h>

int main(void) {
  puts("no MPI here");
  return 0;
}
