#include "launch/launcher.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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

// The line of a launcher whose programs are the first words that may be that.
LauncherLine line_of(const Words& words, LauncherKind kind) {
  LauncherLine line{words, 0, kind, {}};
  for (const auto& candidates : program_candidates(line)) line.programs.push_back(candidates.at(0));
  return line;
}

Words words_with(const Words& words, LauncherKind kind, const RankSettings& wanted,
                 Environment environment = {}) {
  return *with_rank_settings(line_of(words, kind), wanted, environment);
}

TEST(PlaceOfLauncher, IsTheFirstWordOrBehindWrappers) {
  Environment environment;
  environment.set("PATH", "/usr/bin:/bin");
  std::string folder = testing::TempDir() + "/launchers-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string mpirun = folder + "/mpirun", program = folder + "/program";
  for (const std::string& name : {mpirun, program}) {
    std::ofstream(name) << "#!/bin/sh\n";
    ASSERT_EQ(chmod(name.c_str(), 0755), 0);
  }
  EXPECT_EQ(place_of_launcher({mpirun, "-n", "2", program}, environment), 0u);
  EXPECT_EQ(place_of_launcher({"timeout", "1h", mpirun, "-n", "2", program}, environment), 2u);
  EXPECT_EQ(place_of_launcher({"env", "A=1", "nice", "-n", "5", mpirun, program}, environment), 5u);
  EXPECT_FALSE(place_of_launcher({program, mpirun}, environment));
  EXPECT_FALSE(place_of_launcher({"timeout", "1h", program, mpirun}, environment));
  EXPECT_FALSE(place_of_launcher({"timeout", "1h", folder + "/no-such/mpirun", program}, environment));
  std::filesystem::remove_all(folder);
}

TEST(ProgramCandidates, ValuesOfOptionsAreNone) {
  const Words words = {"mpirun", "-n", "4", "--map-by", "node", "--mca", "io", "ompio", "./app", "in"};
  EXPECT_THAT(program_candidates({words, 0, LauncherKind::openmpi, {}}), ElementsAre(ElementsAre(8, 9)));
}

TEST(ProgramCandidates, OfSlurmAndOfNewerLaunchers) {
  const Words words = {"srun", "--gpus-per-node", "4", "--reservation", "r", "-L", "one", "./app"};
  EXPECT_THAT(program_candidates({words, 0, LauncherKind::slurm, {}}), ElementsAre(ElementsAre(7)));
  const Words tolerant = {"mpirun", "--with-ft", "ulfm", "./app"};
  EXPECT_THAT(program_candidates({tolerant, 0, LauncherKind::openmpi, {}}), ElementsAre(ElementsAre(3)));
}

TEST(ProgramCandidates, HydraTakesAVariableInOneWordOrInTwo) {
  const Words words = {"mpiexec", "-genv", "A=1", "-env", "B", "2", "./app"};
  EXPECT_THAT(program_candidates({words, 0, LauncherKind::hydra, {}}), ElementsAre(ElementsAre(6)));
}

TEST(ProgramCandidates, ValueInTheSameWordTakesNoOther) {
  const Words words = {"srun", "--ntasks=4", "-n", "4", "./app"};
  EXPECT_THAT(program_candidates({words, 0, LauncherKind::slurm, {}}), ElementsAre(ElementsAre(4)));
}

TEST(ProgramCandidates, EveryPartOfAnMpmdLineHasItsOwn) {
  const Words words = {"mpirun", "-n", "1", "./a", ":", "-n", "2", "./b"};
  EXPECT_THAT(program_candidates({words, 0, LauncherKind::openmpi, {}}),
              ElementsAre(ElementsAre(3), ElementsAre(7)));
}

TEST(EnvironmentOfRanks, HasWhatTheLineSetsForThem) {
  Environment environment;
  environment.set("KEPT", "1");
  const LauncherLine openmpi =
      line_of({"mpirun", "-x", "A=1", "-x", "KEPT", "./a", "-x", "A=2", ":", "-x", "B=3", "./b"},
              LauncherKind::openmpi);
  const Environment first = environment_of_ranks(openmpi, openmpi.programs[0], environment);
  EXPECT_EQ(first.get("A"), "1");
  EXPECT_EQ(first.get("KEPT"), "1");
  EXPECT_FALSE(first.has("B"));
  const Environment second = environment_of_ranks(openmpi, openmpi.programs[1], environment);
  EXPECT_FALSE(second.has("A"));
  EXPECT_EQ(second.get("B"), "3");

  const LauncherLine hydra =
      line_of({"mpiexec", "-genv", "A=1", "-env", "B", "2", "./a", ":", "-env", "C", "3", "./b"},
              LauncherKind::hydra);
  const Environment last = environment_of_ranks(hydra, hydra.programs[1], environment);
  EXPECT_EQ(last.get("A"), "1");
  EXPECT_FALSE(last.has("B"));
  EXPECT_EQ(last.get("C"), "3");

  const LauncherLine slurm = line_of({"srun", "--export", "ALL,A=1", "./a"}, LauncherKind::slurm);
  EXPECT_EQ(environment_of_ranks(slurm, slurm.programs[0], environment).get("A"), "1");
}

TEST(FolderOfRanks, IsWhatTheLineSays) {
  const LauncherLine openmpi =
      line_of({"mpirun", "--wdir", "d", "./a", "-wdir", "e", ":", "./b"}, LauncherKind::openmpi);
  EXPECT_EQ(folder_of_ranks(openmpi, openmpi.programs[0]), "d");
  EXPECT_EQ(folder_of_ranks(openmpi, openmpi.programs[1]), "");
  const LauncherLine slurm = line_of({"srun", "--chdir=d", "./a"}, LauncherKind::slurm);
  EXPECT_EQ(folder_of_ranks(slurm, slurm.programs[0]), "d");
}

TEST(RankSettings, OpenMpiGetsExportsInEveryPart) {
  Environment environment;
  EXPECT_THAT(*with_rank_settings(line_of({"mpirun", "-n", "1", "./a", ":", "./b"}, LauncherKind::openmpi),
                                  settings, environment),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "CONCILIO_HINTS=a=1;b=2", "-n", "1",
                          "./a", ":", "-x", "LD_PRELOAD=/lib/c.so", "-x", "CONCILIO_HINTS=a=1;b=2", "./b"));
  EXPECT_FALSE(environment.has("LD_PRELOAD"));
}

TEST(RankSettings, WrappersStayBeforeTheLauncher) {
  const LauncherLine line{{"timeout", "1h", "mpirun", "-n", "2", "./a"}, 2, LauncherKind::openmpi, {5}};
  Environment environment;
  EXPECT_THAT(*with_rank_settings(line, {"/lib/c.so", {}}, environment),
              ElementsAre("timeout", "1h", "mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-n", "2", "./a"));
}

TEST(RankSettings, PreloadOfTheEnvironmentStaysBeforeOurs) {
  Environment environment;
  environment.set("LD_PRELOAD", "/lib/t.so");
  EXPECT_THAT(words_with({"mpirun", "./a"}, LauncherKind::openmpi, settings, environment),
              Contains("LD_PRELOAD=/lib/t.so:/lib/c.so"));
  EXPECT_THAT(words_with({"mpirun", "-x", "LD_PRELOAD", "./a"}, LauncherKind::openmpi, settings, environment),
              Contains("LD_PRELOAD=/lib/t.so:/lib/c.so"));
  EXPECT_THAT(words_with({"mpiexec", "./a"}, LauncherKind::hydra, settings, environment),
              Contains("/lib/t.so:/lib/c.so"));
}

TEST(RankSettings, PreloadOnTheOpenMpiLineIsExtendedNotDoubled) {
  EXPECT_THAT(
      words_with({"mpirun", "-x", "LD_PRELOAD=/lib/t.so", "./a", "-x", "LD_PRELOAD=theirs"},
                 LauncherKind::openmpi, {"/lib/c.so", {}}),
      ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/t.so:/lib/c.so", "./a", "-x", "LD_PRELOAD=theirs"));
}

TEST(RankSettings, OptionsThatNobodyKnowsHideNoOther) {
  const Words words = {"mpirun", "--unknown", "value", "-x", "LD_PRELOAD=/lib/t.so", "./a"};
  Environment environment;
  EXPECT_THAT(*with_rank_settings({words, 0, LauncherKind::openmpi, {5}}, {"/lib/c.so", {}}, environment),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/t.so:/lib/c.so", "--unknown", "value", "./a"));
}

TEST(RankSettings, VariablesOfTheLineGiveWay) {
  EXPECT_THAT(
      words_with({"mpirun", "-x", "CONCILIO_HINTS=c=3", "-x", "A=1", "./a"}, LauncherKind::openmpi, settings),
      ElementsAre("mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "CONCILIO_HINTS=a=1;b=2", "-x", "A=1",
                  "./a"));
  EXPECT_THAT(words_with({"mpiexec", "-env", "CONCILIO_HINTS", "c=3", "-genv", "A=1", "./a"},
                         LauncherKind::hydra, settings),
              ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "CONCILIO_HINTS", "a=1;b=2",
                          "-genv", "A=1", "./a"));
}

TEST(RankSettings, HydraGetsGenv) {
  EXPECT_THAT(words_with({"mpiexec", "-n", "2", "./a"}, LauncherKind::hydra, settings),
              ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "CONCILIO_HINTS", "a=1;b=2",
                          "-n", "2", "./a"));
}

TEST(RankSettings, PreloadOnTheHydraLineIsExtendedNotDoubled) {
  for (const Words& words : {Words{"mpiexec", "-genv", "LD_PRELOAD", "/lib/t.so", "./a"},
                             Words{"mpiexec", "-genv", "LD_PRELOAD=/lib/t.so", "./a"}})
    EXPECT_THAT(words_with(words, LauncherKind::hydra, {"/lib/c.so", {}}),
                ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/t.so:/lib/c.so", "./a"));
  EXPECT_THAT(words_with({"mpiexec", "./a", ":", "-env", "LD_PRELOAD", "/lib/t.so", "./b"},
                         LauncherKind::hydra, {"/lib/c.so", {}}),
              ElementsAre("mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "./a", ":", "-env", "LD_PRELOAD",
                          "/lib/t.so:/lib/c.so", "./b"));
}

TEST(RankSettings, SlurmGetsOneExportWhoseValuesHoldNoComma) {
  Environment environment;
  EXPECT_THAT(
      *with_rank_settings(line_of({"srun", "-n", "2", "./a"}, LauncherKind::slurm), settings, environment),
      ElementsAre("srun", "--export=ALL,LD_PRELOAD=/lib/c.so,CONCILIO_HINTS", "-n", "2", "./a"));
  EXPECT_EQ(environment.get("CONCILIO_HINTS"), "a=1;b=2");
  environment.set("LD_PRELOAD", "/lib/a,b.so");
  const auto refused =
      with_rank_settings(line_of({"srun", "./a"}, LauncherKind::slurm), settings, environment);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("comma"), std::string::npos);
}

TEST(RankSettings, ExportOfTheSlurmLineIsExtended) {
  for (const Words& words : {Words{"srun", "--export=NONE", "./a"}, Words{"srun", "--export", "NONE", "./a"}})
    EXPECT_THAT(words_with(words, LauncherKind::slurm, {"/lib/c.so", {}}),
                ElementsAre("srun", "--export=NONE,LD_PRELOAD=/lib/c.so", "./a"));
  EXPECT_THAT(words_with({"srun", "--gpus-per-node", "4", "--export=NONE", "./a"}, LauncherKind::slurm,
                         {"/lib/c.so", {}}),
              ElementsAre("srun", "--export=NONE,LD_PRELOAD=/lib/c.so", "--gpus-per-node", "4", "./a"));
  EXPECT_THAT(words_with({"srun", "--export=ALL,LD_PRELOAD=/lib/t.so,CONCILIO_HINTS=c=3", "./a"},
                         LauncherKind::slurm, settings),
              ElementsAre("srun", "--export=ALL,LD_PRELOAD=/lib/t.so:/lib/c.so,CONCILIO_HINTS", "./a"));
}

TEST(RankSettings, ExportOfSlurmsEnvironmentIsExtended) {
  Environment environment;
  environment.set("SLURM_EXPORT_ENV", "NONE");
  EXPECT_THAT(words_with({"srun", "./a"}, LauncherKind::slurm, {"/lib/c.so", {}}, environment),
              ElementsAre("srun", "--export=NONE,LD_PRELOAD=/lib/c.so", "./a"));
  EXPECT_THAT(
      words_with({"srun", "--export=ALL", "./a"}, LauncherKind::slurm, {"/lib/c.so", {}}, environment),
      ElementsAre("srun", "--export=ALL,LD_PRELOAD=/lib/c.so", "./a"));
}

TEST(RankSettings, UnknownLauncherGetsTheEnvironment) {
  Environment environment;
  environment.set("LD_PRELOAD", "/lib/t.so");
  EXPECT_THAT(*with_rank_settings(line_of({"jsrun", "./a"}, LauncherKind::other), settings, environment),
              ElementsAre("jsrun", "./a"));
  EXPECT_EQ(environment.get("LD_PRELOAD"), "/lib/t.so:/lib/c.so");
  EXPECT_EQ(environment.get("CONCILIO_HINTS"), "a=1;b=2");
}

}  // namespace
}  // namespace concilio::tools
