// Names of files that begin with what tells ROMIO the file system.
#include "situations/situation.h"

using namespace situations;

SITUATION(Names, PrefixesOfFileSystems, not_own) {
  for (const char* prefix : {"ufs:", "UFS:", "pvfs:", "hfs:", "bglockless:", "ime:", "zoidfs:"}) {
    const std::string path = context.fresh_file("prefixed"), name = prefix + path;
    File(name).close();
    barrier();
    EXPECT(exists(path));
    barrier();
    if (context.rank == 0) OK(MPI_File_delete(name.c_str(), MPI_INFO_NULL));
    barrier();
    EXPECT(!exists(path));
  }
}

SITUATION(Names, OtherColonsStay, not_own) {
  const std::string path = context.fresh_file("12:30");
  File(path).close();
  barrier();
  EXPECT(exists(path));
}
