// The reader of nvbandwidth: JSON, also within a log, and the text that it prints.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/analysis/curve_text.h"
#include "core/analysis/imported_readers.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

namespace sonde {

namespace {
/// "0: NVIDIA H100 (00000008:06:00): (host)": the name, and where it is.
std::pair<std::string, std::string> nvbandwidth_device(const std::string& line, std::size_t number) {
    const std::size_t begin = line.find(": "), open = line.find(" (");
    if (begin == std::string::npos) return {fmt::format("GPU {}", number), ""};
    const std::size_t close = line.find(')', open);
    return {line.substr(begin + 2, open == std::string::npos ? open : open - begin - 2),
        open == std::string::npos ? "" : line.substr(open + 2, close == std::string::npos ? close : close - open - 2)};
}

struct NvbandwidthRow {
    std::string_view test;
    Direction direction;
    Engine engine;
};
constexpr std::array kNvbandwidthRows{NvbandwidthRow{"host_to_device_memcpy_ce", Direction::to_device, Engine::copy},
    NvbandwidthRow{"device_to_host_memcpy_ce", Direction::to_host, Engine::copy},
    NvbandwidthRow{"host_to_device_memcpy_sm", Direction::to_device, Engine::kernel},
    NvbandwidthRow{"device_to_host_memcpy_sm", Direction::to_host, Engine::kernel}};

/// Between two cards: a row for each, which does the copying or the loads, and a column for each other one. Of both
/// ways at once the sum, which each side's reads give: writes ask the same again.
struct NvbandwidthPairs {
    std::string_view test;
    ImportedQuestion question;
    const char *place = "largest", *unit = "GB/s";
};
ImportedQuestion between_cards(ImportedQuestion question, const char* method = "") {
    question.path = "peer", question.method = method;
    return question;
}
const std::array kNvbandwidthPairs{
    NvbandwidthPairs{"device_to_device_memcpy_read_ce", between_cards(copy_question(Direction::from_peer))},
    NvbandwidthPairs{"device_to_device_memcpy_write_ce", between_cards(copy_question(Direction::to_peer))},
    NvbandwidthPairs{
        "device_to_device_memcpy_read_sm", between_cards(copy_question(Direction::from_peer, {}, Engine::kernel))},
    NvbandwidthPairs{
        "device_to_device_memcpy_write_sm", between_cards(copy_question(Direction::to_peer, {}, Engine::kernel))},
    NvbandwidthPairs{
        "device_to_device_bidirectional_memcpy_read_ce_total", between_cards(copy_question(Direction::both))},
    NvbandwidthPairs{"device_to_device_bidirectional_memcpy_read_sm_total",
        between_cards(copy_question(Direction::both, {}, Engine::kernel), "a kernel on each of the two cards")},
    NvbandwidthPairs{"device_to_device_latency_sm", between_cards(latency_question("peer")), "peer memory", "ns"}};

/// Of the next card no option tells, as in series of ours.
ImportedQuestion pair_question(const NvbandwidthPairs& pairs, std::size_t card, std::size_t other, std::size_t count) {
    ImportedQuestion question = pairs.question;
    if (other != (card + 1) % count) question.options.set(option::peer, std::to_string(other));
    return question;
}

std::string nvbandwidth_objection(const std::string& test) {
    if (test.ends_with("bidirectional_memcpy_write_ce_total") || test.ends_with("bidirectional_memcpy_write_sm_total"))
        return "both ways at once by writes, where reads ask the same";
    if (test.find("bidirectional") != std::string::npos)
        return "one direction of two at once, where transfer counts both";
    if (test.find("latency") != std::string::npos) return "its footprint is not given";
    if (test == "device_local_copy") return "a copy engine's copy within a device, where stream copies by a kernel";
    return "between several devices, or of one beside others";
}

/// The JSON document in a log; empty where there is none.
std::string_view document_in(std::string_view text) {
    const std::size_t word = text.find("\"nvbandwidth\""),
                      begin = word == std::string_view::npos ? word : text.rfind('{', word), end = text.rfind("\n}");
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, end == std::string_view::npos || end < begin ? end : end + 2 - begin);
}

/// `root`: the object "nvbandwidth" of its JSON.
ImportedFile read_document(const Json& root, const ImportSource& source) {
    const std::string version = text_field(root, "version");
    ImportedFile file("nvbandwidth" + (version.empty() ? "" : " " + printable(version.substr(0, 40))), source);
    const Json& names = list_at(root, "GPU Device list");
    std::vector<std::size_t> devices;
    const auto device = [&](std::size_t number) {
        while (devices.size() <= number) {
            const std::size_t next = devices.size();
            const auto [card, bus] = nvbandwidth_device(
                next < names.size() && names[next].is_string() ? names[next].get<std::string>() : "", next);
            devices.push_back(file.add_device(
                "cuda", card, text_field(root, "Driver Version"), bus.empty() ? fmt::format("GPU {}", next) : bus));
        }
        return devices[number];
    };
    for (const Json& test : list_at(root, "testcases")) {
        const std::string quantity = printable(text_field(test, "name").substr(0, 80));
        const Json& matrix = list_at(test, "bandwidth_matrix");
        const auto row = std::find_if(kNvbandwidthRows.begin(), kNvbandwidthRows.end(),
            [&](const NvbandwidthRow& each) { return each.test == quantity; });
        std::size_t count = 0;
        for (const Json& line : matrix) count += line.size();
        const std::string status = text_field(test, "status");
        if (count == 0) {
            if (!quantity.empty())
                file.leave_out("without a value" + (status.empty() ? "" : ", status " + status), quantity);
            continue;
        }
        const auto pairs = std::ranges::find(kNvbandwidthPairs, quantity, &NvbandwidthPairs::test);
        if (pairs != kNvbandwidthPairs.end()) {
            const std::size_t cards = std::min<std::size_t>(matrix.size(), 64);
            for (std::size_t card = 0; card < cards; ++card)
                for (std::size_t other = 0; other < std::min(matrix[card].size(), cards); ++other) {
                    if (other == card) continue;
                    if (const auto value = number_at(Json{{"value", matrix[card][other]}}, "value"))
                        file.add_figure(device(card), pair_question(*pairs, card, other, cards), quantity, pairs->place,
                            *value, pairs->unit);
                    else file.leave_out("without a value", quantity);
                }
            continue;
        }
        if (row == kNvbandwidthRows.end() || matrix.size() != 1) {
            file.leave_out(row == kNvbandwidthRows.end() ? nvbandwidth_objection(quantity) : "of several host nodes",
                quantity, count);
            continue;
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(matrix[0].size(), 1024); ++i)
            if (const auto value = number_at(Json{{"value", matrix[0][i]}}, "value"))
                file.add_figure(device(i), copy_question(row->direction, option::pageable.as(false), row->engine),
                    quantity, "largest", *value, "GB/s");
            else file.leave_out("without a value", quantity);
    }
    return file;
}

/// Its text as that object: devices, and below "Running <test>." a line of numbers of columns, then a row for each
/// node.
class NvbandwidthText {
public:
    explicit NvbandwidthText(const ImportSource& source) : text_(lines_of(source.text, source.path)) {
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            const std::string_view line = trimmed(text_.lines[i]);
            if (!is_blank(line) && !take(line)) unread_.add(i);
        }
        close();
    }
    bool any() const { return !root_["testcases"].empty(); }
    ImportedFile file(const ImportSource& source) const {
        ImportedFile file = read_document(root_, source);
        file.leave_lines(text_, unread_);
        return file;
    }

private:
    bool take(std::string_view line) {
        for (const auto& [begin, field] : {std::pair<std::string_view, const char*>{"nvbandwidth Version: ", "version"},
                 {"Driver Version: ", "Driver Version"}})
            if (line.starts_with(begin)) return root_[field] = std::string(line.substr(begin.size())), true;
        if (line.starts_with("Device ")) {
            root_["GPU Device list"].push_back(std::string(line.substr(7)));
            return true;
        }
        if (line.starts_with("Running ")) {
            close();
            test_ = std::string(trimmed(line.substr(8), " ."));
            return true;
        }
        for (const std::string_view known : {"Built from", "CUDA Runtime", "CUDA Driver", "NOTE:", "SUM ", "memcpy "})
            if (line.starts_with(known)) return true;
        if (test_.empty()) return false;
        for (const std::string_view status : {"ERROR", "Error", "WAIVED", "Waived", "ASSERT"})
            if (line.starts_with(status)) return status_ = status, true;
        return take_row(line);
    }

    /// "0 25.11 25.02" below "0 1".
    bool take_row(std::string_view line) {
        Json numbers = Json::array();
        for (const std::string& word : split(line, ' ')) {
            if (word.empty()) continue;
            if (!number_of<double>(word) && word != "N/A") return false;
            numbers.push_back(word);
        }
        if (columns_ == 0) return columns_ = numbers.size(), true;
        if (numbers.size() != columns_ + 1) return false;
        numbers.erase(0);
        matrix_.push_back(std::move(numbers));
        return true;
    }

    void close() {
        if (!test_.empty())
            root_["testcases"].push_back({{"name", test_}, {"status", status_}, {"bandwidth_matrix", matrix_}});
        test_.clear(), status_.clear(), matrix_ = Json::array(), columns_ = 0;
    }

    CurveText text_;
    UnreadLines unread_;
    Json root_{{"GPU Device list", Json::array()}, {"testcases", Json::array()}}, matrix_ = Json::array();
    std::string test_, status_;
    std::size_t columns_ = 0;
};
} // namespace

std::optional<ImportedFile> read_nvbandwidth(const ImportSource& source) {
    const Json in_log = source.document.is_object() ? Json() : read_json(document_in(source.text));
    const Json& document = source.document.is_object() ? source.document : in_log;
    if (!document.is_object() || !document.contains("nvbandwidth") || !document["nvbandwidth"].is_object())
        return std::nullopt;
    return read_document(document["nvbandwidth"], source);
}

std::optional<ImportedFile> read_nvbandwidth_text(const ImportSource& source) {
    if (source.text.find("memcpy") == std::string::npos || source.text.find("Running ") == std::string::npos)
        return std::nullopt;
    const NvbandwidthText reader(source);
    return reader.any() ? std::optional(reader.file(source)) : std::nullopt;
}

} // namespace sonde
