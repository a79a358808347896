// Asking a driver's library something in a process of its own, which it may take down.
#pragma once
#include "core/device/checkup.h"

namespace sonde {

/// Starts `program` as `program ask QUESTION ARGUMENT`. Its answer, an object; {"trouble": "was killed by SIGABRT"}
/// where it gives none within `seconds`.
Json ask_driver(const std::string& program, std::string_view question, const std::string& argument, double seconds);

/// The child's side: writes the answer to standard output, one line. Throws UsageError for a question that there is
/// not.
int answer_question(std::span<const DriverQuestion> questions, const std::string& name, const std::string& argument);

} // namespace sonde
