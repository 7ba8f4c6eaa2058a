#include "exec/locks/plain_write.h"

namespace concilio {

Status PlainWrite::begin() {
  if (engine_.range_locked) return {};
  announced_ = !engine_.guard_writes && engine_.rewriting.board().begin_write();
  if (announced_) return {};
  // Where only threads of this rank can be rewriting, the file need not know.
  return lock_.acquire(LockMode::shared, engine_.guard_writes || engine_.team.size() > 1);
}

Status write_plainly(Engine& engine, std::span<const Transfer> transfers, bool at_once) {
  const Transfer& last = transfers.back();
  PlainWrite guard(engine, {transfers.front().offset, last.offset + last.length});
  if (auto status = guard.begin(); !status) return status;
  return guard.end(engine.storage.write(transfers, at_once));
}

}  // namespace concilio
