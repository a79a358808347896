// What probes keep that ask cores by number: core-to-core and core-sharing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sonde {

/// Cores that were asked: in a file a list of numbers, or a count.
struct CoresEvidence {
    std::vector<std::uint32_t> numbers{}; // core-to-core: by place
    std::optional<std::size_t> count{};   // core-sharing
    bool empty() const { return numbers.empty() && !count; }
};

struct AskedCoresEvidence {
    std::string by{};
    std::optional<std::uint32_t> core{};
    CoresEvidence cores{};
    std::string core_number{};
    std::optional<double> attempts_per_exchange{};
    std::optional<std::size_t> pairs{}, pairs_of_all_cores{};
};

} // namespace sonde
