// Says whether what the ranks' calls returned, and what the file holds, can be so. Without faults every byte
// follows from the case. A call that failed may have done its work, a part of it or nothing: until the file
// is next looked at, its bytes are what they were or what they were to become.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/file_model.h"
#include "trial.h"

namespace adversary {

class Judge {
 public:
  // The file that the case begins with is made.
  explicit Judge(Trial& trial);

  // Looks at the records since the last time, and at the file. No rank uses the file meanwhile, and if
  // no call failed, all have synchronised or closed it. Returns what is wrong, or an empty text.
  std::string look();
  // Whether any call has failed.
  bool saw_failures() const { return saw_failures_; }
  // Of all that was seen; equal for equal runs.
  uint64_t hash() const { return hash_; }

 private:
  using Values = std::vector<uint8_t>;

  void wrong(const std::string& what) {
    if (mistake_.empty()) mistake_ = what;
  }
  bool may_fail();
  void look_at(const Record& record);
  void check_agreement(const Record& record);
  void apply_write(const Record& record);
  void check_read(const Record& record, int rank);
  void change_size(const Record& record);
  void check_file();
  void believe_file();
  void keep(int64_t offset, uint8_t value);
  void doubt(int64_t offset, uint8_t value);
  bool possible(int64_t offset, uint8_t value) const;
  void mix_in(uint64_t value);

  Trial& trial_;
  oracle::FileModel model_;       // if every call that failed has done its work
  int64_t least_size_ = 0;        // and the model's size is the greatest
  int64_t size_seen_ = 0;         // when the file was last right
  std::map<int64_t, Values> or_;  // what bytes of the model may be instead
  // What bytes have been since the file was last right: what is held back may be lost by a call that fails.
  std::map<int64_t, Values> before_;
  // When each rank must hear of an error of another one, through each opening.
  enum class Owed { nothing, later, now };
  std::vector<std::vector<Owed>> owed_;
  std::vector<bool> untold_;  // of each opening: an error of some ranks may still be told to all of them
  size_t judged_ = 0;
  int64_t strikes_ = 0;
  bool failures_ = false;  // since the last look
  bool excused_ = false;
  bool lock_stays_ = false;  // an unlock has failed: other opens may find the range in use
  bool saw_failures_ = false;
  std::string mistake_;
  uint64_t hash_ = 0;
};

}  // namespace adversary
