// The library that is preloaded is the archives it links. Everything is set up at first use, so that a
// program without MPI, or without files, pays nothing: its constructor only looks for an MPI of another
// family (aside.cpp).
