// A machine that is pretended: a folder with its sys, proc, dev and etc, and variables of its own.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/device/checkup.h"
#include "tests/command.h"

namespace pretended {

/// Unset, and back again with it.
class Variables {
public:
    explicit Variables(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const char* value = std::getenv(name.c_str());
            before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
            unsetenv(name.c_str());
        }
    }
    Variables(const Variables&) = delete;
    ~Variables() {
        for (const auto& [name, value] : before_)
            value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }

private:
    std::map<std::string, std::optional<std::string>> before_;
};

struct Machine {
    command::Folder folder;
    sonde::Surroundings surroundings{.root = folder.path};
    std::map<std::string, sonde::Json> libraries; // what opening them gives; the others lie in /lib
    Machine() {
        surroundings.ask = [this](std::string_view, const std::string& asked) {
            const std::string name = asked.substr(0, asked.find(' ')); // before the symbol that it is asked for
            return libraries.contains(name) ? libraries.at(name) : sonde::Json{{"path", "/lib/" + name}};
        };
    }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = folder.path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << "\n";
        return file;
    }
    /// Files of a card by name besides those that each has; `driver`: the kernel's, or "".
    std::filesystem::path card(const std::string& address, const std::string& vendor, const std::string& driver,
        const std::map<std::string, std::string>& files = {}) const {
        const std::string at = "sys/bus/pci/devices/" + address + "/";
        for (const auto& [name, text] :
            std::map<std::string, std::string>{{"vendor", vendor}, {"device", "0x2330"}, {"class", "0x030000"}})
            write(at + name, text);
        for (const auto& [name, text] : files) write(at + name, text);
        if (!driver.empty()) std::filesystem::create_symlink("../../drivers/" + driver, folder.path / at / "driver");
        return folder.path / at;
    }
    void shown(const std::string& id, const std::string& pci, const std::string& uuid = "") {
        sonde::DeviceInfo info;
        info.id = id;
        info.api = id.substr(0, id.find(':'));
        info.name = "a card";
        info.pci = pci;
        info.uuid = uuid;
        info.memory_bytes = std::uint64_t{24} << 30;
        surroundings.devices.push_back(info);
    }
};

/// The row of that check whose subject ends so; one with the check "" where there is none.
inline sonde::CheckRow row_of(
    const std::vector<sonde::CheckRow>& rows, const std::string& check, const std::string& subject = "") {
    const auto found = std::find_if(rows.begin(), rows.end(),
        [&](const sonde::CheckRow& row) { return row.check == check && row.subject.ends_with(subject); });
    return found == rows.end() ? sonde::CheckRow{} : *found;
}

} // namespace pretended
