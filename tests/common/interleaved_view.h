// A view in which the ranks of a file take turns, each with a piece of so many bytes.
#pragma once

#include <mpi.h>

#include "common/expect_mpi.h"

inline void set_interleaved_view(MPI_File file, int rank, int ranks, int piece_bytes) {
  MPI_Datatype piece, tile;
  MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, MPI_Aint{piece_bytes} * ranks, &tile);
  MPI_Type_commit(&tile);
  OK(MPI_File_set_view(file, MPI_Offset{piece_bytes} * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  MPI_Type_free(&piece);
  MPI_Type_free(&tile);
}
