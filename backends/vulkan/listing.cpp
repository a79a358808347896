// The compiled instructions of a pipeline, from drivers that hand them out.
#include "backends/vulkan/listing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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
    {VK_DRIVER_ID_MESA_RADV, "ACO IR", "gcn"}, // GCN 1 and 2 have no disassembler in Mesa; the IR names the same instructions
};

using Representation = VkPipelineExecutableInternalRepresentationKHR;

/// Vulkan asks twice: once for the sizes, once for the text.
std::vector<std::string> read_texts(const Context& context, const VkPipelineExecutableInfoKHR& executable,
                                    std::vector<Representation>& found) {
    const auto ask = context.api.vkGetPipelineExecutableInternalRepresentationsKHR;
    std::uint32_t count = 0;
    check(ask(context.device, &executable, &count, nullptr), "vkGetPipelineExecutableInternalRepresentationsKHR");
    found.assign(count, {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
    check(ask(context.device, &executable, &count, found.data()), "vkGetPipelineExecutableInternalRepresentationsKHR");
    std::vector<std::string> texts(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        texts[i].resize(found[i].dataSize);
        found[i].pData = texts[i].data();
    }
    check(ask(context.device, &executable, &count, found.data()), "vkGetPipelineExecutableInternalRepresentationsKHR");
    for (std::string& text : texts) text.resize(std::min(text.size(), text.find('\0')));
    return texts;
}

} // namespace

std::optional<Listing> driver_listing(const Context& context, VkPipeline pipeline) {
    // A compute pipeline has one executable, the first.
    const VkPipelineExecutableInfoKHR executable{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    std::vector<Representation> found;
    const std::vector<std::string> texts = read_texts(context, executable, found);
    for (const Row& row : kRows) {
        if (row.driver != context.physical.driver_id) continue;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (found[i].isText && row.representation == found[i].name && texts[i].find("not supported") == std::string::npos)
                return Listing{row.kind, texts[i]};
    }
    return std::nullopt;
}

} // namespace sonde::vulkan
