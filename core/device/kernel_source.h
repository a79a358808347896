// Kernel texts, embedded at build time, and the name of a variant: one kernel for one path with its defines.
#pragma once
#include <string>
#include <string_view>

#include "core/device/device.h"

namespace sonde {

/// The text of an embedded file, its includes resolved: "kernels/chase.h", "shaders/dialect_glsl.h". Throws Error when
/// there is none.
std::string_view embedded_text(std::string_view file);

/// The common kernel of that name: `kernels/<name>.h`.
Source kernel_source(std::string_view name);

/// "read-global-LOADS4-TURNS1-WIDTH4": kernel, path of A (and of B where used), defines by name. WIDTH defaults to 1
/// and is always named. Kernels that are compiled at build time (host, CUDA) are found by it, so the build uses the
/// same rule (cmake/kernels.cmake).
std::string variant_name(const Source&, const Build&);

/// The defines that every dialect expects for a build, as "NAME VALUE" pairs: the paths, WIDTH, the kernel's own.
std::vector<std::pair<std::string, std::string>> build_defines(const Build&);

/// The same as lines of a text, with GROUP_SIZE, the work-items of a workgroup, and REPEATED where the build repeats a
/// text.
std::string define_lines(const Build&);

/// How a kernel reads one of its sources: the memory that it lies in, and the words of an element.
struct KernelSource {
    Space space = Space::global;
    std::uint32_t width = 1;
};
KernelSource source_a(const Build&);
/// Elements of one word, or with WIDE_B as wide as those of A. Of a kernel without B: words on `global`.
KernelSource source_b(const Build&);
/// Bytes of the array that a kernel declares in place of a scratchpad from its launch (STATIC_WORDS), else 0.
std::uint32_t declared_scratchpad_bytes(const Build&);
/// Bits of a load of A whose elements are less than a word (BITS: 8, 16), else 32.
std::uint32_t bits_of(const Build&);

/// 64-bit FNV-1a of a text as 16 hex digits: names a kernel text or a listing in the evidence.
std::string text_hash(std::string_view text);

} // namespace sonde
