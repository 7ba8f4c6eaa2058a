// Which method the next call of a pattern takes. Measured times count more than predicted ones, so that a
// wrong price is found out within a few calls.
//
// The first call takes the method with the lowest price. From then on the fastest method stays, and another
// replaces it only if it was clearly faster. A method that has run in few calls or none, and that may be
// faster, is tried once a trial costs little of the time that calls have taken since the last trial of any
// method. So a method that is about as fast is tried soon and an expensive one seldom, and each more seldom
// the more often it was tried in vain. Methods that take equally long therefore do not alternate, and a
// program of few calls goes by prices.
#pragma once

#include <span>

#include "plan/choose/candidate.h"
#include "plan/facts/experience.h"

namespace concilio::plan {

// The method of the next call. The candidates are in the order of Method; at least one of them is legal.
Method next_method(std::span<const Candidate> candidates, const Experience& experience);

}  // namespace concilio::plan
