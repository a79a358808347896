#pragma once
#include <string_view>

#include "core/facts/card_fact.h"

namespace sonde {

/// Title and wording by the name of a rule. Throws Error where a rule has none.
const Wording& words_of(std::string_view rule);

} // namespace sonde
