// Paths: how a load reaches memory. A path is a row of a table; dialects and backends switch on its define, nothing subclasses it.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace sonde {

/// Where a buffer of a path lives, which is also how a kernel binds it.
enum class Space { global, host, constant, texel, image2d, push };

struct Path {
    std::string_view name;   // "global", "local", ... the same intent in every API
    Space space;             // memory that source A of such a kernel is allocated in
    std::string_view intent; // what a load on this path asks for, in one phrase
};

/// All paths, in the order in which tables show them.
std::span<const Path> all_paths();
/// nullptr when there is no path of that name.
const Path* find_path(std::string_view name);
/// The preprocessor word that selects a path for one source of a kernel: ("A", global.cg) -> "A_GLOBAL_CG".
std::string path_define(std::string_view source, const Path& path);

} // namespace sonde
