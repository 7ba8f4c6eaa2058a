#include "launch/launcher.h"

#include <gmock/gmock.h>

namespace concilio::tools {
namespace {

using testing::Contains;
using testing::ElementsAre;

const RankSettings settings{"/lib/c.so", {{"CONCILIO_HINTS", "a=1;b=2"}}};

TEST(Launcher, IsKnownByName) {
  for (const char* name :
       {"mpirun", "/usr/bin/mpiexec", "mpirun.openmpi", "mpiexec.hydra", "srun", "orterun"})
    EXPECT_TRUE(is_launcher_name(name)) << name;
  for (const char* name : {"./app", "python3", "mpirunner", ""}) EXPECT_FALSE(is_launcher_name(name)) << name;
}

TEST(Launcher, KindIsWhatItsVersionSays) {
  EXPECT_EQ(launcher_kind("mpirun", "mpirun (Open MPI) 5.0.1"), LauncherKind::openmpi);
  EXPECT_EQ(launcher_kind("mpirun", "mpirun.openmpi (OpenRTE) 4.1.4"), LauncherKind::openmpi);
  EXPECT_EQ(launcher_kind("mpiexec", "HYDRA build details:\n"), LauncherKind::hydra);
  EXPECT_EQ(launcher_kind("srun", "slurm 22.05"), LauncherKind::slurm);
  EXPECT_EQ(launcher_kind("jsrun", ""), LauncherKind::other);
}

TEST(ProgramCandidates, ValuesOfOptionsAreNone) {
  const Words words = {"mpirun", "-n", "4", "--map-by", "node", "--mca", "io", "ompio", "./app", "in"};
  EXPECT_THAT(program_candidates(words, LauncherKind::openmpi), ElementsAre(ElementsAre(8, 9)));
}

TEST(ProgramCandidates, ValueInTheSameWordTakesNoOther) {
  const Words words = {"srun", "--ntasks=4", "-n", "4", "./app"};
  EXPECT_THAT(program_candidates(words, LauncherKind::slurm), ElementsAre(ElementsAre(4)));
}

TEST(ProgramCandidates, EveryPartOfAnMpmdLineHasItsOwn) {
  const Words words = {"mpirun", "-n", "1", "./a", ":", "-n", "2", "./b"};
  EXPECT_THAT(program_candidates(words, LauncherKind::openmpi), ElementsAre(ElementsAre(3), ElementsAre(7)));
}

TEST(RankSettings, OpenMpiGetsExportsInEveryPart) {
  Environment environment;
  EXPECT_THAT(with_rank_settings({"mpirun", "-n", "1", "./a", ":", "./b"}, LauncherKind::openmpi, settings,
                                 environment),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "CONCILIO_HINTS=a=1;b=2", "-n", "1",
                          "./a", ":", "-x", "LD_PRELOAD=/lib/c.so", "-x", "CONCILIO_HINTS=a=1;b=2", "./b"));
  EXPECT_FALSE(environment.has("LD_PRELOAD"));
}

TEST(RankSettings, PreloadOfTheEnvironmentStaysBeforeOurs) {
  Environment environment;
  environment.set("LD_PRELOAD", "/lib/t.so");
  EXPECT_THAT(with_rank_settings({"mpirun", "./a"}, LauncherKind::openmpi, settings, environment),
              Contains("LD_PRELOAD=/lib/t.so:/lib/c.so"));
  EXPECT_THAT(with_rank_settings({"mpiexec", "./a"}, LauncherKind::hydra, settings, environment),
              Contains("/lib/t.so:/lib/c.so"));
}

TEST(RankSettings, PreloadOnTheOpenMpiLineIsExtendedNotDoubled) {
  Environment environment;
  EXPECT_THAT(
      with_rank_settings({"mpirun", "-x", "LD_PRELOAD=/lib/t.so", "./a", "-x", "LD_PRELOAD=theirs"},
                         LauncherKind::openmpi, {"/lib/c.so", {}}, environment),
      ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/t.so:/lib/c.so", "./a", "-x", "LD_PRELOAD=theirs"));
}

TEST(RankSettings, HydraGetsGenv) {
  Environment environment;
  EXPECT_THAT(with_rank_settings({"mpiexec", "-n", "2", "./a"}, LauncherKind::hydra, settings, environment),
              ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "CONCILIO_HINTS", "a=1;b=2",
                          "-n", "2", "./a"));
}

TEST(RankSettings, PreloadOnTheHydraLineIsExtendedNotDoubled) {
  Environment environment;
  EXPECT_THAT(with_rank_settings({"mpiexec", "-genv", "LD_PRELOAD", "/lib/t.so", "./a"}, LauncherKind::hydra,
                                 {"/lib/c.so", {}}, environment),
              ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/t.so:/lib/c.so", "./a"));
}

TEST(RankSettings, SlurmGetsOneExportWhoseValuesHoldNoComma) {
  Environment environment;
  EXPECT_THAT(with_rank_settings({"srun", "-n", "2", "./a"}, LauncherKind::slurm, settings, environment),
              ElementsAre("srun", "--export=ALL,LD_PRELOAD=/lib/c.so,CONCILIO_HINTS", "-n", "2", "./a"));
  EXPECT_EQ(environment.get("CONCILIO_HINTS"), "a=1;b=2");
}

TEST(RankSettings, ExportOfTheSlurmLineIsExtended) {
  Environment environment;
  EXPECT_THAT(with_rank_settings({"srun", "--export=NONE", "./a"}, LauncherKind::slurm, {"/lib/c.so", {}},
                                 environment),
              ElementsAre("srun", "--export=NONE,LD_PRELOAD=/lib/c.so", "./a"));
}

TEST(RankSettings, UnknownLauncherGetsTheEnvironment) {
  Environment environment;
  environment.set("LD_PRELOAD", "/lib/t.so");
  EXPECT_THAT(with_rank_settings({"jsrun", "./a"}, LauncherKind::other, settings, environment),
              ElementsAre("jsrun", "./a"));
  EXPECT_EQ(environment.get("LD_PRELOAD"), "/lib/t.so:/lib/c.so");
  EXPECT_EQ(environment.get("CONCILIO_HINTS"), "a=1;b=2");
}

}  // namespace
}  // namespace concilio::tools
