// A probe as data: one question, one file. What runs it, measures with it or compares it reads this.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/finding.h"
#include "core/device/device.h"

namespace sonde {

class Bench;
struct KernelChoice;

struct Probe {
    std::string_view name, question;
    std::string_view x_name, x_unit, unit;
    Measure measure;
    std::vector<std::string_view> paths;                      // where the question has a meaning
    std::vector<std::map<std::string, std::string>> variants; // options; each is a series of its own
    std::vector<std::string_view> accepts;                    // options that may be asked for besides
    void (*run)(Bench&);
    std::vector<Finding> (*findings)(const Series&, const Json& device); // what follows from a series of it; null: nothing
    KernelChoice (*kernel)(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options); // what `run` measures with
    bool (*by_default)(std::string_view path, const std::map<std::string, std::string>& variant) = nullptr; // else on request only; null: all are
};

/// In the order in which a run takes them.
std::span<const Probe> all_probes();
const Probe* find_probe(std::string_view name);

} // namespace sonde
