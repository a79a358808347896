// Whether a card is as good as it should be: its numbers beside those of good cards or of documents, and what its
// instruments say. Pure functions.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/diagnosis/health_numbers.h"

namespace sonde {

/// What a number is held against: the first of these that has it.
enum class JudgedBy { recorded, equal_cards, documented };
std::span<const char* const> enum_names(JudgedBy);

struct Judgement {
    JudgedBy by{};
    std::size_t of = 1;   // cards or recordings; of a document 1
    double reference = 0; // their median, in the number's unit
    double share = 0;     // of that: below 1 the card is slower
    double least = 0;     // share that passes
};

struct JudgedNumber : HealthNumber {
    std::optional<Judgement> judged{}; // nullopt: nothing has such a number
    bool falls_short() const { return judged && judged->share < judged->least; }
};

/// What speaks against a card besides its numbers, or is worth a word. throttled: `what` is the driver's word, `value`
/// the share of samples. ecc_*: `value` errors more than at the beginning. link_*: PCIe's generation or lanes, and the
/// best that there could be. power_limit: W, and the default. clock_setting: MHz of the cores, and the default.
/// clock_below: MHz under the longest load, and the setting. failed, unstable: `what` is the series and the reason.
enum class SignKind {
    throttled,
    ecc_corrected,
    ecc_uncorrected,
    link_generation,
    link_lanes,
    power_limit,
    clock_setting,
    clock_below,
    failed,
    unstable
};
std::span<const char* const> enum_names(SignKind);
struct HealthSign {
    SignKind kind{};
    std::string what{};
    double value = 0, best = 0;
    bool bad = false; // else a note
};
std::string sign_text(const HealthSign&);

/// ok: all that was judged is well. slow: a number falls short. faulty: numbers are well, something else is not.
/// unjudged: there is no number, or nothing to hold one against. in_use: others used the card, so that no number
/// counts.
enum class HealthState { ok, slow, faulty, unjudged, in_use };
std::span<const char* const> enum_names(HealthState);

struct CardHealth {
    const Card* card = nullptr;
    std::string where{}; // which of several files or machines it is of
    HealthState state{};
    std::vector<JudgedNumber> numbers{};
    std::vector<HealthSign> signs{};
    std::vector<CardUser> users{};           // of other programs, where it is in use
    const TelemetryEvidence* load = nullptr; // around the longest load; null: no instruments
    const TelemetryEvidence* last = nullptr; // around the last series
};

/// Values of several cards or recordings, by what they are of: a number of one kind and place through one API.
using HealthKey = std::tuple<const HealthRow*, std::string, std::string>; // row, place, API
HealthKey key_of(const HealthNumber&);
using HealthValues = std::map<HealthKey, std::vector<double>>;
void add(HealthValues&, const HealthNumbers&);

/// Values that a card is held against besides documents: of recordings, and of other cards of its model. `tolerance`:
/// in place of each row's; negative: theirs.
struct GoodNumbers {
    HealthValues recorded{}, equal{};
    double tolerance = -1;
};
CardHealth health_of(const Card&, const HealthNumbers&, const GoodNumbers&);

} // namespace sonde
