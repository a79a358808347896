// What keeps an API from showing a card, or a card from being fast: the rows of `sonde doctor`, who makes them, and
// what they are told.
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/device/device.h"
#include "core/device/drivers.h"

namespace sonde {

/// In the order in which a person reads them. note: worth knowing, and nothing that a program fails at. unknown: what
/// was asked gave no answer.
enum class CheckState { problem, note, unknown, ok };
inline std::span<const char* const> enum_names(CheckState) {
    static constexpr std::array kNames{"problem", "note", "unknown", "ok"};
    return kNames;
}

struct CheckRow {
    std::string check{}, subject{};
    CheckState state = CheckState::ok;
    std::string found{}, mend{};

    // Of how it is shown alone, and not in its JSON form.
    bool cause = false;           // of other rows of its state, before which it stands
    bool names_subject = false;   // in `found`
    bool subject_is_path = false; // an absolute one
};
void to_json(Json&, const CheckRow&);
void from_json(const Json&, CheckRow&);

/// An API that shows no device.
struct ApiAbsence {
    std::string api, reason;
    bool failed = false; // its driver crashed or hung
};

/// What the checks are told of the machine.
struct Surroundings {
    std::filesystem::path root = "/"; // the folder that holds sys, proc, dev, etc and usr: another one for tests. Paths
                                      // in variables and in files are taken as they are.
    std::vector<DeviceInfo> devices{};
    std::vector<ApiAbsence> absent{};
    /// Asks a driver something in a process of its own, by the name of a DriverQuestion: its answer, or {"trouble":
    /// "was killed by SIGABRT"}.
    std::function<Json(std::string_view question, const std::string& argument)> ask{};
};

using Check = std::vector<CheckRow> (*)(const Surroundings&);

/// What only a driver knows, and may die of: asked in a process of its own.
struct DriverQuestion {
    std::string_view name;
    Json (*answer)(const std::string& argument);
};

struct Checkup {
    std::span<const Check> checks{};
    std::span<const DriverQuestion> questions{};
    std::span<const ApiDrivers> drivers{};
};

} // namespace sonde
