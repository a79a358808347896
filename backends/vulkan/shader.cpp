// The shader compiler (shaderc, linked in), the disassembler (SPIRV-Tools), and the compiled instructions of drivers
// that hand them out.
#include <shaderc/shaderc.hpp>
#include <spirv-tools/libspirv.hpp>

#include "backends/vulkan/kernel.h"

namespace sonde::vulkan {

namespace {

/// Whose text is worth having, under which name, and what it is. Of one driver's rows the first that is there wins.
struct Row {
    VkDriverId driver;
    std::string_view representation;
    const char* kind;
};
constexpr Row kRows[] = {
    {VK_DRIVER_ID_MESA_RADV, "Assembly", "gcn"},
    {VK_DRIVER_ID_MESA_RADV, "ACO IR",
        "gcn"}, // GCN 1 and 2 have no disassembler in Mesa; the IR names the same instructions
};

} // namespace

std::vector<std::uint32_t> compile_glsl(const Source& source, const Build& build, const PhysicalDevice& physical) {
    std::string text = "#version 450\n" + define_lines(build);
    if (build.a->space == Space::constant || (build.b && build.b->space == Space::constant))
        text += fmt::format("#define CONSTANT_BYTES {}\n", physical.info.reach_of(Space::constant).bytes);
    if (physical.features.clocks.shaderSubgroupClock) text += "#define CLOCK_SUBGROUP 1\n";
    if (physical.features.core_numbers.shaderSMBuiltins) text += "#define CORE_NUMBER 1\n";
    if (build.matrix) text += matrix_defines(*build.matrix);
    text += embedded_text("shaders/dialect_glsl.h");
    text += "#line 1\n"; // the log then counts lines of the kernel's own text
    text += source.text;
    shaderc::CompileOptions options;
    options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
    options.SetTargetSpirv(shaderc_spirv_version_1_3);
    options.SetOptimizationLevel(
        build.matrix ? shaderc_optimization_level_zero
                     : shaderc_optimization_level_performance); // spirv-opt of this age knows no matrices
    static const shaderc::Compiler compiler; // for good: with the last one go the tables of built-in functions, which
                                             // take longer to make than a kernel to compile
    const std::string name = variant_name(source, build);
    const auto result = compiler.CompileGlslToSpv(text, shaderc_glsl_compute_shader, name.c_str(), options);
    if (result.GetCompilationStatus() != shaderc_compilation_status_success)
        throw CompileRefused(fmt::format("shaderc cannot compile {}:\n{}", name, result.GetErrorMessage()));
    std::vector<std::uint32_t> spirv(result.cbegin(), result.cend());
    return build.matrix ? with_matrix_types(spirv, *build.matrix) : spirv;
}

Listing spirv_listing(std::span<const std::uint32_t> spirv) {
    std::string text;
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    const auto options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    if (!tools.Disassemble(spirv.data(), spirv.size(), &text, options))
        return {"", "SPIRV-Tools cannot disassemble this kernel: it is older than an instruction of it"};
    return {"spirv", text};
}

std::optional<Listing> driver_listing(const Context& context, VkPipeline pipeline) {
    using Representation = VkPipelineExecutableInternalRepresentationKHR;
    const VkPipelineExecutableInfoKHR executable{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline}; // a compute pipeline has one
    const auto ask = [&](std::uint32_t* count, Representation* found) {
        VK(context.api.vkGetPipelineExecutableInternalRepresentationsKHR(context.device, &executable, count, found));
    };
    // Asked once more with room for the texts, whose sizes are then known.
    auto found =
        list_of<Representation>(ask, {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
    std::vector<std::string> texts(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        texts[i].resize(found[i].dataSize);
        found[i].pData = texts[i].data();
    }
    auto count = static_cast<std::uint32_t>(found.size());
    ask(&count, found.data());
    for (const Row& row : kRows) {
        if (row.driver != context.physical.driver.driverID) continue;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (found[i].isText && row.representation == found[i].name &&
                texts[i].find("not supported") == std::string::npos)
                return Listing{row.kind, texts[i].substr(0, texts[i].find('\0'))};
    }
    return std::nullopt;
}

} // namespace sonde::vulkan
