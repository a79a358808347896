// What a record of a device keeps.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/device/device.h"

namespace sonde {

template <> inline constexpr auto fields_of<Fact> = std::tuple{Field{"name", &Fact::name, "of what"},
    Field{"value", &Fact::value, "as text, with its unit"}, Field{"source", &Fact::source, "the query that gave it"}};

template <> inline constexpr auto fields_of<L1Split> =
    std::tuple{Field{"scratchpad_bytes", &L1Split::scratchpad_bytes, "that are asked for; a K80 has 64 KiB more"},
        Field{"l1_bytes", &L1Split::l1_bytes, "that L1 then has"}};

template <> inline constexpr auto fields_of<Peer> = std::tuple{
    Field{"device", &Peer::device, "the other card's id in this API", R"({"pattern": "^[a-z]+:[0-9]+([.][0-9]+)?$"})"},
    Field{"mapped", &Peer::mapped, "kernels of this card read and write its memory"},
    where_known("link", &Peer::link, "what joins the two, as the system tells: \"18 NVLinks\""),
    Field{"link_bytes_per_second", &Peer::link_bytes_per_second, "theoretical, one way; 0: not reported", "",
        Presence::lenient}};

template <> inline constexpr auto fields_of<DeviceInfo> = std::tuple{
    Field{"id", &DeviceInfo::id, "API and number: \"vulkan:0\", \"opencl:1.0\" (platform.device)",
        R"({"pattern": "^[a-z]+:[0-9]+([.][0-9]+)?$"})"},
    Field{"api", &DeviceInfo::api, "through which it is seen"},
    Field{"name", &DeviceInfo::name, "as the driver or the system has it"},
    Field{"driver", &DeviceInfo::driver, "name and version"},
    Field{"software", &DeviceInfo::software, "a GPU API implemented on a CPU"},
    Field{"cpu", &DeviceInfo::cpu, "this machine's processor, whatever API shows it", "", Presence::lenient},
    Field{"uuid", &DeviceInfo::uuid, "32 hex digits, or empty: the same card shows the same one through every API", "",
        Presence::lenient},
    Field{"pci", &DeviceInfo::pci, "\"0000:65:00.0\", or empty", "", Presence::lenient},
    where_known("pci_id", &DeviceInfo::pci_id, "vendor and device, \"10de:1180\""),
    Field{"memory_bytes", &DeviceInfo::memory_bytes, "device-local memory", R"({"minimum": 0})"},
    Field{"largest_buffer", &DeviceInfo::largest_buffer, "bytes, one buffer on path `global`", "", Presence::lenient},
    Field{"cores", &DeviceInfo::cores, "SMs, CUs, threads; 0: nobody tells", "", Presence::lenient},
    Field{"subgroup", &DeviceInfo::subgroup, "lanes that run in lockstep; 1 where work-items run one after another", "",
        Presence::lenient},
    Field{"scratchpad_bytes", &DeviceInfo::scratchpad_bytes, "that a workgroup may have", "", Presence::lenient},
    Field{"scratchpad_default_bytes", &DeviceInfo::scratchpad_default_bytes,
        "without a kernel's asking for more; 0: the same", "", Presence::lenient},
    Field{"cache_bytes", &DeviceInfo::cache_bytes,
        "the largest cache that the driver or the system reports; 0: none reported", "", Presence::lenient},
    where_known("cache_levels", &DeviceInfo::cache_levels,
        "of a processor: bytes of the data caches that one core reaches, nearest first, as the system reports "
        "them"),
    Field{"bus_bytes_per_second", &DeviceInfo::bus_bytes_per_second, "theoretical memory bandwidth; 0: not reported",
        "", Presence::lenient},
    Field{"host_link_bytes_per_second", &DeviceInfo::host_link_bytes_per_second,
        "theoretical, one way; 0: not reported", "", Presence::lenient},
    Field{"clock", &DeviceInfo::clock, "counter that kernels read: \"clock64\"; empty: none", "", Presence::lenient},
    Field{"core_cycles", &DeviceInfo::core_cycles,
        "that counter counts core cycles: no other may be turned into a clock rate", "", Presence::lenient},
    where_known("l1_splits", &DeviceInfo::l1_splits,
        "all divisions of a core's memory into scratchpad and L1, of a card that has but a few"),
    where_known("peers", &DeviceInfo::peers, "other cards that the API reaches from this one"),
    Field{"facts", &DeviceInfo::facts, "everything worth recording, each with its source"}};

} // namespace sonde
