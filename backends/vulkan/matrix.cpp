// Cooperative matrices: what a driver lists, and the types that GLSL of this compiler's age has no words for, put into
// the SPIR-V.
#include <algorithm>
#include <map>

#include "backends/vulkan/kernel.h"
#include "core/device/matrix_form.h"

namespace sonde::vulkan {

namespace {
using Spirv = std::vector<std::uint32_t>;

/// VkCooperativeMatrixPropertiesKHR, which headers of Vulkan 1.3.239 lack, as many structs of this extension
/// (physical.h).
struct Listed {
    VkStructureType sType = static_cast<VkStructureType>(1000506001);
    void* pNext = nullptr;
    std::uint32_t m, n, k, a, b, c, result;
    VkBool32 saturates;
    std::uint32_t scope;
};
constexpr std::uint32_t kScopeWorkgroup = 2, kScopeSubgroup = 3;

/// How SPIR-V declares a number format, and what it must ask for to do so.
struct Component {
    std::string_view name;
    std::uint32_t vulkan; // VkComponentTypeKHR
    Spirv type;           // opcode, and its operands behind the id
    Spirv capabilities;
    std::string_view extension = "";
};
std::span<const Component> components() {
    constexpr std::uint32_t kFloatType = 22, kIntegerType = 21;
    static const Component kComponents[] = {{"f16", 0, {kFloatType, 16}, {9}}, {"f32", 1, {kFloatType, 32}, {}},
        {"s8", 3, {kIntegerType, 8, 1}, {39}}, {"s32", 5, {kIntegerType, 32, 1}, {}},
        {"u8", 7, {kIntegerType, 8, 0}, {39}}, {"u32", 9, {kIntegerType, 32, 0}, {}},
        {"bf16", 1000141000, {kFloatType, 16, 0}, {5116, 5118}, "SPV_KHR_bfloat16"},
        {"e4m3", 1000491002, {kFloatType, 8, 4214}, {4212, 4213}, "SPV_EXT_float8"},
        {"e5m2", 1000491003, {kFloatType, 8, 4215}, {4212, 4213}, "SPV_EXT_float8"}};
    return kComponents;
}
const Component& component_of(const NumberFormat& format) {
    const auto found = std::ranges::find(components(), format.name, &Component::name);
    if (found == components().end())
        throw Unsupported(fmt::format("Vulkan has no cooperative matrices of {}", format.name));
    return *found;
}
std::string component_text(std::uint32_t type) {
    constexpr std::string_view kNames[] = {
        "f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"}; // VkComponentTypeKHR, from 0
    if (type < std::size(kNames)) return std::string(kNames[type]);
    const auto found = std::ranges::find(components(), type, &Component::vulkan);
    return found == components().end() ? fmt::format("VkComponentTypeKHR {}", type) : std::string(found->name);
}

void put(Spirv& to, std::uint32_t opcode, const Spirv& operands) {
    to.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
    to.insert(to.end(), operands.begin(), operands.end());
}

Spirv literal(std::string_view text) {
    Spirv words(text.size() / 4 + 1);
    for (std::size_t i = 0; i < text.size(); ++i)
        words[i / 4] |= std::uint32_t{static_cast<unsigned char>(text[i])} << 8 * (i % 4);
    return words;
}

constexpr std::uint32_t kExtension = 10, kCapability = 17, kVoidType = 19, kIntegerType = 21, kFloatType = 22,
                        kFunction = 54, kMatrixType = 4456;

/// Of a module: what stands before its types, its scalar types, and all else. A scalar type names no other id, so that
/// all of them may stand in front.
struct Parts {
    Spirv front, scalars, rest;
    std::map<Spirv, std::uint32_t> ids; // of scalar types, by opcode and operands
};
Parts parts_of(const Spirv& spirv, const Spirv& extensions) {
    Parts parts{.front = Spirv(spirv.begin(), spirv.begin() + 5)};
    bool before = true, code = false, extended = false;
    for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
        const std::uint32_t opcode = spirv[at] & 0xffff;
        const Spirv operands(spirv.begin() + static_cast<std::ptrdiff_t>(at) + 1,
            spirv.begin() + static_cast<std::ptrdiff_t>(at + (spirv[at] >> 16)));
        if (opcode >= kVoidType && opcode <= kFloatType) before = false;
        code = code || opcode == kFunction;
        if (before && opcode != kCapability && !extended)
            parts.front.insert(parts.front.end(), extensions.begin(), extensions.end()), extended = true;
        if (!before && !code && (opcode == kIntegerType || opcode == kFloatType)) {
            Spirv type{opcode};
            type.insert(type.end(), operands.begin() + 1, operands.end());
            parts.ids[type] = operands[0];
            put(parts.scalars, opcode, operands);
        } else put(before ? parts.front : parts.rest, opcode, operands);
    }
    return parts;
}
} // namespace

std::vector<std::uint32_t> with_matrix_types(const std::vector<std::uint32_t>& spirv, const MatrixForm& form) {
    const Component &in = component_of(*form.in), &sum = component_of(*form.sum);
    Spirv wanted; // capabilities, then extensions: as a module has them
    for (const Component* component : {&in, &sum})
        for (const std::uint32_t capability : component->capabilities) put(wanted, kCapability, {capability});
    if (!in.extension.empty()) put(wanted, kExtension, literal(in.extension));
    Parts parts = parts_of(spirv, wanted);
    std::uint32_t bound = spirv[3]; // the first free id
    const auto scalar = [&](const Component& component) {
        const auto [found, added] = parts.ids.try_emplace(component.type, bound);
        if (added) {
            Spirv operands{bound++};
            operands.insert(operands.end(), component.type.begin() + 1, component.type.end());
            put(parts.scalars, component.type[0], operands);
        }
        return found->second;
    };
    for (std::size_t at = 0; at < parts.rest.size();
         at += parts.rest[at] >> 16) // the marks INPUT and SUM of kernels/matrix.h
        if ((parts.rest[at] & 0xffff) == kMatrixType) parts.rest[at + 2] = scalar(parts.rest[at + 2] == 1 ? in : sum);
    Spirv all = std::move(parts.front);
    all[3] = bound;
    all.insert(all.end(), parts.scalars.begin(), parts.scalars.end());
    all.insert(all.end(), parts.rest.begin(), parts.rest.end());
    return all;
}

std::string matrix_defines(const MatrixForm& form) {
    constexpr std::uint32_t kSignedOperands = 1 | 2, kSignedSums = 4 | 8;
    const auto is_signed = [](const NumberFormat& format) { return format.is_signed && !format.is_float(); };
    return fmt::format("#define MATRIX_M {}u\n#define MATRIX_N {}u\n#define MATRIX_K {}u\n#define ROW_WORDS "
                       "{}u\n#define SUM_ROW_WORDS {}u\n#define SIGNS {}\n",
        form.m, form.n, form.k, form.k * form.in->bits / 32, form.n * form.sum->bits / 32,
        (is_signed(*form.in) ? kSignedOperands : 0) | (is_signed(*form.sum) ? kSignedSums : 0));
}

std::vector<MatrixShape> listed_matrices(VkPhysicalDevice device) {
    using List = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*, Listed*);
    const auto list = reinterpret_cast<List>(
        vkGetInstanceProcAddr(volkGetLoadedInstance(), "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
    std::vector<MatrixShape> shapes;
    if (!list) return shapes;
    const auto ask = [&](std::uint32_t* count, Listed* found) { VK(list(device, count, found)); };
    for (const Listed& each : list_of<Listed>(ask))
        shapes.push_back(
            {each.m, each.n, each.k, each.a, each.b, each.c, each.result, each.scope, each.saturates != 0});
    return shapes;
}

std::string matrices_text(std::span<const MatrixShape> shapes) {
    std::vector<std::pair<std::string, std::string>> by_types;
    for (const MatrixShape& shape : shapes) {
        std::string types =
            fmt::format("{} x {} + {}", component_text(shape.a), component_text(shape.b), component_text(shape.c));
        if (shape.result != shape.c) types += fmt::format(" to {}", component_text(shape.result));
        if (shape.saturates) types += " saturated";
        if (shape.scope != kScopeSubgroup)
            types += fmt::format(
                " of {}", shape.scope == kScopeWorkgroup ? "a workgroup" : fmt::format("VkScopeKHR {}", shape.scope));
        auto row = std::ranges::find(by_types, types, &std::pair<std::string, std::string>::first);
        if (row == by_types.end()) row = by_types.emplace(row, types, "");
        row->second += fmt::format("{}{}x{}x{}", row->second.empty() ? "" : ", ", shape.m, shape.n, shape.k);
    }
    std::string text;
    for (const auto& [types, sizes] : by_types) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", types, sizes);
    return text.empty() ? "none" : text;
}

std::optional<std::string> why_not_listed(const PhysicalDevice& physical, const MatrixForm& form) {
    const Component &in = component_of(*form.in), &sum = component_of(*form.sum);
    const MatrixShape wanted{form.m, form.n, form.k, in.vulkan, in.vulkan, sum.vulkan, sum.vulkan, kScopeSubgroup};
    if (std::ranges::find(physical.matrices, wanted) == physical.matrices.end())
        return fmt::format("the driver lists no cooperative matrices of {} with sums in {}, {} x {} x {}", in.name,
            sum.name, form.m, form.n, form.k);
    if (form.in->name == "bf16" && !physical.features.bfloat16.matrices)
        return "the device has no shaderBFloat16CooperativeMatrix (VK_KHR_shader_bfloat16)";
    if (in.extension == "SPV_EXT_float8" && !physical.features.float8.matrices)
        return "the device has no shaderFloat8CooperativeMatrix (VK_EXT_shader_float8)";
    return std::nullopt;
}

} // namespace sonde::vulkan
