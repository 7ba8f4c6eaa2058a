#include "exec/call/plain_write.h"

namespace concilio::exec {

Status PlainWrite::begin() {
  if (call_.guard == WriteGuard::held || call_.guard == WriteGuard::noticed) return {};
  announced_ = call_.guard == WriteGuard::announced && call_.opened.rewriting.board().begin_write();
  if (announced_) return {};
  // If only threads of this rank can be rewriting, a lock on the file is not needed.
  return lock_.acquire(store::LockMode::shared,
                       call_.guard == WriteGuard::locked || call_.opened.team.size() > 1);
}

Status write_plainly(const RunningCall& call, std::span<const store::Transfer> transfers, bool at_once) {
  const store::Transfer& last = transfers.back();
  PlainWrite guard(call, {transfers.front().offset, last.offset + last.length});
  if (auto status = guard.begin(); !status) return status;
  return guard.end(call.opened.storage.write(transfers, at_once));
}

}  // namespace concilio::exec
