// Which storage targets the aggregators begin with.
//
// A file that is striped over several targets returns to the first of them again and again. Realms of equal
// length often begin on the same target: aggregators that all begin at the front of their realms then queue
// at few targets, go on to the next ones together, and leave the others idle. So each aggregator begins with
// another window of its realm, goes on to the end, and then from the front on. Together they begin on all
// targets evenly.
#pragma once

#include "plan/layout/layout.h"

namespace concilio::plan {

// Fills in Realm::start of all realms. It stays 0 if the user asks for a policy other than `tree`: those go
// through their realms in order, as in other implementations. So it does if realms belong to the file.
void stagger(const Facts& facts, Layout& layout);

}  // namespace concilio::plan
