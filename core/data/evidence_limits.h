// What the probe limits keeps: the sizes that a driver reports, takes and refuses.
#pragma once
#include <cstdint>
#include <optional>

namespace sonde {

struct LimitsEvidence {
    std::optional<std::uint64_t> reported_bytes{}, accepted_bytes{}, rejected_bytes{}, static_bytes{};
};

} // namespace sonde
