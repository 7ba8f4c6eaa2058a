// Which method the next call of a pattern takes. Measured time goes before a predicted one: a wrong price is
// found out within a few calls.
//
// The first call takes the cheapest by price. From then on the fastest stays, and another gets its place
// where it was clearly faster. A method of which few calls have told yet, and which may be faster, is tried
// as soon as that costs little of the time that calls have taken since it was last tried: soon where it is
// about as fast, seldom where it is dear, and the more seldom the more often it was tried in vain. So methods
// that take equally long do not alternate.
#pragma once

#include <span>

#include "plan/choose/candidate.h"
#include "plan/facts/experience.h"

namespace concilio {

// The method of the next call, of candidates in the order of Method of which one at least is legal.
Method next_method(std::span<const Candidate> candidates, const Experience& experience);

}  // namespace concilio
