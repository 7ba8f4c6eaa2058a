// The preloaded library consists of the archives that it links. Everything is set up at first use, so that a
// program without MPI, or without files, pays nothing. Only constructors run at once: to look for an MPI of
// another family, and for libraries that watch MPI-IO (aside.cpp); and to note for `concilio run` that the
// library is here (note_loading.cpp).
