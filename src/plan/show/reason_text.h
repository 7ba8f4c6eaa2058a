// What planning found, in words. All sentences about it are made here.
#pragma once

#include <string>

#include "plan/plan.h"

namespace concilio::plan {

std::string text_of(const Phrase& phrase);
std::string text_of(const Cost& cost);        // "requests 1.05 s + storage 13 ms"
std::string text_of(const Grounds& grounds);  // why a method was taken, without its time
std::string text_of(const Reason& reason);  // one sentence: "list: 3 pieces ... (predicted 1 ms against ...)"
// Stands for all further calls by this method if a report has no room for their many different grounds.
std::string text_of_various(Method method);
// Says why a method is not legal, or which terms its price has.
std::string text_of(const Appraisal& appraisal);

}  // namespace concilio::plan
