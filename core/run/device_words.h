// Words that choose among devices, and what is taken where nobody chose.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"

namespace sonde {

/// Besides ids (vulkan:0), APIs (vulkan), and a card's UUID (GPU-1e18...) or PCI address (0000:1b:00.0).
inline constexpr std::string_view kAllDevices = "all", kGpus = "gpu";

/// Whether one of the words chooses the device: by its id, its API, its kind, or its card's PCI address (0000:1b:00.0,
/// 1b:00.0) or UUID, as nvidia-smi prints it or the beginning of it (GPU-1e18a7c4); no words: all. One that is another
/// device once more (core/device/doubles.h) only its id chooses.
bool is_chosen(std::span<const std::string> words, const DeviceInfo&);
/// Whether a word has the form of a PCI address or of a UUID.
bool is_card_word(const std::string& word);
/// Whether a word may be of a device of that API, were there one.
bool may_choose(std::string_view word, std::string_view api);

/// Devices that a command takes, and processors that it leaves out because a GPU is here and nobody asked for them:
/// they take half of a run's time, and what they measure is no part of the answer.
struct Taken {
    std::vector<std::string> words{};
    std::vector<const DeviceInfo*> left_out{}, doubles{}; // the latter are there once already
};
Taken taken_of(const std::vector<std::string>& asked, const std::vector<const DeviceInfo*>& here);
/// A line for a person; "": none is left out.
std::string left_out_text(const Taken&);

} // namespace sonde
