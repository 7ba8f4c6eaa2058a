// What planning found, in words: the one place where sentences are made of it.
#pragma once

#include <string>

#include "plan/plan.h"

namespace concilio {

std::string text_of(const Phrase& phrase);
std::string text_of(const Cost& cost);        // "requests 1.05 s + storage 13 ms"
std::string text_of(const Grounds& grounds);  // why a method was taken, without what it takes
std::string text_of(const Reason& reason);  // one sentence: "list: 3 pieces ... (predicted 1 ms against ...)"
// Of grounds of one method that are too many to be told one by one.
std::string text_of_various(Method method);
// Why a method is not legal, or what its price is made of.
std::string text_of(const Appraisal& appraisal);

}  // namespace concilio
