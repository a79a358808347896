// JSON of other programs that a strict reader refuses.
#pragma once
#include <string>
#include <string_view>

namespace sonde {

/// "line 5, column 199: the JSON ends in the middle; copy the file anew", of a text that is no JSON.
std::string broken_json_text(std::string_view text);

/// Whether the text is a JSON object that is broken; lines of JSON, as our own results are, are several objects.
bool is_broken_document(std::string_view text);

/// The text with inf, nan and numbers beyond a double as words in quotes ("inf"), so that the rest can be read.
std::string with_words_for_numbers(std::string_view text);

} // namespace sonde
