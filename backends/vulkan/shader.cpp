// The shader compiler (shaderc, linked in) and the disassembler (SPIRV-Tools).
#include "backends/vulkan/shader.h"

#include <fmt/format.h>
#include <shaderc/shaderc.hpp>
#include <spirv-tools/libspirv.hpp>

#include "core/device/kernel_source.h"

namespace sonde::vulkan {

std::string glsl_text(const Source& source, const Build& build, const PhysicalDevice& physical) {
    std::string text = "#version 450\n";
    for (const auto& [word, value] : build_defines(build)) text += fmt::format("#define {} {}\n", word, value);
    text += fmt::format("#define GROUP_SIZE {}u\n", build.group_size);
    if (build.a->space == Space::constant || (build.b && build.b->space == Space::constant)) text += fmt::format("#define CONSTANT_BYTES {}\n", physical.info.reach_of(Space::constant).bytes);
    if (physical.subgroup_clock) text += "#define CLOCK_SUBGROUP 1\n";
    if (physical.core_number) text += "#define CORE_NUMBER 1\n";
    text += embedded_text("shaders/dialect_glsl.h");
    text += "#line 1\n"; // the log then counts lines of the kernel's own text
    text += source.text;
    return text;
}

std::vector<std::uint32_t> compile_glsl(const std::string& text, const std::string& name) {
    shaderc::CompileOptions options;
    options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
    options.SetTargetSpirv(shaderc_spirv_version_1_3);
    options.SetOptimizationLevel(shaderc_optimization_level_performance);
    static const shaderc::Compiler compiler; // for good: with the last one go the tables of built-in functions, which take longer to make than a kernel to compile
    const auto result = compiler.CompileGlslToSpv(text, shaderc_glsl_compute_shader, name.c_str(), options);
    if (result.GetCompilationStatus() != shaderc_compilation_status_success)
        throw Error(fmt::format("shaderc cannot compile {}:\n{}", name, result.GetErrorMessage()));
    return {result.cbegin(), result.cend()};
}

std::string disassemble(std::span<const std::uint32_t> spirv) {
    std::string text;
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    const auto options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    if (!tools.Disassemble(spirv.data(), spirv.size(), &text, options)) throw Error("SPIRV-Tools cannot disassemble the kernel");
    return text;
}

} // namespace sonde::vulkan
