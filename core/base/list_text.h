#pragma once
#include <string>
#include <vector>

namespace sonde {

std::string list_text(const std::vector<std::string>& words); // "a, b and c"

/// "a, b, c"
template <class List> std::string joined_text(const List& words, const char* between = ", ") {
    std::string text;
    for (const std::string& word : words) (text += text.empty() ? "" : between) += word;
    return text;
}

template <class List, class Text> std::vector<std::string> texts_of(const List& list, Text text) {
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (const auto& each : list) texts.push_back(text(each));
    return texts;
}
template <class List, class Text> std::string list_text(const List& list, Text text) {
    return list_text(texts_of(list, text));
}

} // namespace sonde
