// The library that is preloaded is the archives it links. It has no constructor: everything is set up at
// first use, so that a program without MPI, or without files, pays nothing.
