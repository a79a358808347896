// Modules: a PTX text, or the pretended cubin that linking makes of it, stands for the host's kernel of the variant it
// names.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>

#include "tests/fake_cuda/fake.h"

using namespace fake;

namespace fake {
Table<Module>& modules() {
    static Table<Module> table;
    return table;
}
Table<Function>& functions() {
    static Table<Function> table;
    return table;
}
} // namespace fake

namespace {

constexpr std::string_view kCubinMark = "FAKE CUBIN\n",
                           kCubinMarkCa = "FAKE CUBIN ca\n"; // the second: compiled with cache mode ca
constexpr std::string_view kVariantMark = "// sonde variant: ";

/// The options of a compilation; the caller's arrays, as a real driver keeps them.
struct Jit {
    unsigned count;
    const int* options;
    void** values;

    int value_of(int option) const {
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == option) return static_cast<int>(reinterpret_cast<std::uintptr_t>(values[i]));
        return 0;
    }

    /// Writes into the error log, and its length over the value that told its size.
    void log(const std::string& text) const {
        char* buffer = nullptr;
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == kJitErrorLogBuffer) buffer = static_cast<char*>(values[i]);
        for (unsigned i = 0; i < count && buffer; ++i) {
            if (options[i] != kJitErrorLogBufferBytes) continue;
            const auto size = reinterpret_cast<std::uintptr_t>(values[i]);
            values[i] =
                reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::snprintf(buffer, size, "%s", text.c_str())));
        }
    }
};

struct Link {
    Jit jit{};
    std::string ptx, cubin;
};

Table<Link>& links() {
    static Table<Link> table;
    return table;
}

std::string between(std::string_view text, std::string_view before, char after) {
    const std::size_t at = text.find(before);
    if (at == text.npos) return "";
    const std::size_t begin = at + before.size();
    return std::string(text.substr(begin, text.find(after, begin) - begin));
}

std::vector<std::string> words_of(const std::string& text, char between_words) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(between_words, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

std::size_t number_behind(const std::string& word, std::string_view name) {
    return word.starts_with(name) ? std::stoul(word.substr(name.size())) : 0;
}

/// What a path of the card is where the host's kernel runs in its place.
struct PathOnHost {
    std::string_view path, host_path;
    KernelCode::Source source;
    const char* define; // that the host's kernel needs besides
    bool cluster;
};
constexpr PathOnHost kPathsOnHost[] = {
    {"texel", "global", KernelCode::Source::texture, "", false},
    {"image2d", "global", KernelCode::Source::texture, "SLOTS_2D1", false},
    {"constant", "global", KernelCode::Source::constants, "", false},
    {"constant.uniform", "global", KernelCode::Source::constants, "", false},
    {"push", "global", KernelCode::Source::arguments, "", false},
    {"private", "scratchpad", KernelCode::Source::address, "", false},
    {"scratchpad", "scratchpad", KernelCode::Source::address, "", false},
    {"cluster", "scratchpad", KernelCode::Source::address, "", true},
    {"global.pointer", "global.pointer", KernelCode::Source::address, "", false},
};

KernelCode::Source source_on(std::string_view path) {
    for (const PathOnHost& row : kPathsOnHost)
        if (row.path == path) return row.source;
    return KernelCode::Source::address;
}

/// The host's variant of a card's: "chase-texel-WIDTH1" -> "chase-global-WIDTH1", "chase-texel-constant-WIDTH1" ->
/// "chase-global-global-WIDTH1". Fills in what the name tells.
std::string host_variant(const std::string& variant, KernelCode& code) {
    std::vector<std::string> words = words_of(variant, '-');
    if (words.size() < 3) return "";
    PathOnHost on_host{words[1], "global", KernelCode::Source::address, "", false}; // all else are ordinary loads
    for (const PathOnHost& row : kPathsOnHost)
        if (row.path == words[1]) on_host = row;
    code.source = on_host.source;
    code.cluster = on_host.cluster;
    code.onlookers = on_host.cluster && words[0] == "chase";
    code.by_blocks = words[1] == "image2d" && words[0] == "read";
    std::vector<std::string> defines;
    if (*on_host.define && words[0] == "chase") defines.emplace_back(on_host.define);
    std::string name = words[0] + "-" + std::string(on_host.host_path);
    auto word = words.begin() + 2;
    if (std::islower(static_cast<unsigned char>(word->front()))) { // a second source's path; defines are upper case
        code.source_b = source_on(*word++);
        name += "-global";
    }
    for (; word != words.end(); ++word) {
        code.private_bytes += 4 * number_behind(*word, "PRIVATE_WORDS");
        code.table_bytes += 4 * number_behind(*word, "PUSH_WORDS");
        if (*word == "WIDE_B1") code.wide_b = true;
        if (number_behind(*word, "WIDTH")) code.width = static_cast<unsigned>(number_behind(*word, "WIDTH"));
        if (!word->starts_with("PRIVATE_WORDS") && !word->starts_with("PUSH_WORDS")) defines.push_back(*word);
    }
    std::sort(defines.begin(), defines.end());
    for (const std::string& define : defines) name += "-" + define;
    return name;
}

/// The kernel that a text stands for; on failure the log says why.
std::shared_ptr<KernelCode> compiled(std::string_view ptx, const Jit& jit) {
    const auto refuse = [&](const std::string& why) { return jit.log("fake ptxas: " + why), nullptr; };
    if (!ptx.starts_with(kVariantMark)) return refuse("the first line names no variant");
    const std::string target = between(ptx, ".target sm_", '\n');
    if (!target.empty() && std::stoi(target) > kCapability) return refuse("the text is for sm_" + target);
    auto code = std::make_shared<KernelCode>();
    const std::string variant = host_variant(between(ptx, kVariantMark, '\n'), *code);
    const auto rows = sonde::host_variants();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& entry) { return entry.name == variant; });
    if (row == rows.end()) return refuse("the host has no kernel '" + variant + "'");
    code->function = row->function;
    code->entry_point = between(ptx, ".entry ", '(');
    const std::string args_bytes = between(ptx, code->entry_point + "_param_3[", ']');
    if (code->entry_point.empty() || args_bytes.empty()) return refuse("no entry point with four parameters");
    code->args_bytes = std::stoul(args_bytes);
    const std::string constant_bytes =
        between(ptx, code->source_b == KernelCode::Source::constants ? " constants_b[" : " constants[", ']');
    if (!constant_bytes.empty()) code->constants = std::make_shared<Constants>(std::stoul(constant_bytes));
    code->cache_mode_ca = jit.value_of(kJitCacheMode) == kJitCacheModeCa;
    return code;
}

Result faulted(const char* name, const Jit& jit) {
    const Result fault = step(name);
    if (fault) jit.log("fake ptxas: scripted fault");
    return fault;
}

} // namespace

#if !defined SONDE_FAKE_CUDA_OLD
Result cuLinkCreate_v2(unsigned count, int* options, void** values, LinkHandle* link) {
    if (const Result bad = ready()) return bad;
    auto made = std::make_shared<Link>();
    made->jit = {count, options, values};
    return *link = links().add<LinkHandle>(made), kSuccess;
}

Result cuLinkAddData_v2(
    LinkHandle handle, int type, void* data, std::size_t bytes, const char*, unsigned count, int*, void**) {
    if (const Result bad = ready()) return bad;
    const auto link = links().find(handle);
    if (!link) return kInvalidHandle;
    const char* text = static_cast<const char*>(data);
    if (type != kJitInputPtx || count != 0 || bytes == 0 || text[bytes - 1] != '\0') return kInvalidValue;
    link->ptx = text;
    if (const Result fault = faulted("link", link->jit)) return fault;
    return compiled(link->ptx, link->jit) != nullptr ? kSuccess : static_cast<Result>(kInvalidPtx);
}

Result cuLinkComplete(LinkHandle handle, void** cubin, std::size_t* bytes) {
    if (const Result bad = ready()) return bad;
    const auto link = links().find(handle);
    if (!link) return kInvalidHandle;
    link->cubin =
        std::string(link->jit.value_of(kJitCacheMode) == kJitCacheModeCa ? kCubinMarkCa : kCubinMark) + link->ptx;
    *cubin = link->cubin.data();
    return *bytes = link->cubin.size() + 1, kSuccess;
}

Result cuLinkDestroy(LinkHandle handle) {
    if (const auto link = links().find(handle)) link->jit.log(""); // a driver may write until here
    return links().remove(handle);
}

Result cuFuncSetAttribute(FunctionHandle handle, int attribute, int value) {
    if (const Result bad = ready()) return bad;
    const auto function = functions().find(handle);
    if (!function) return kInvalidHandle;
    if (attribute == kFunctionPreferredSharedMemoryCarveout) {
        note("carveout", value);
        return value >= -1 && value <= 100 ? kSuccess : static_cast<Result>(kInvalidValue);
    }
    if (attribute == kFunctionNonPortableCluster) return function->large_clusters = value == 1, kSuccess;
    if (attribute != kFunctionMaxDynamicSharedBytes || value < 0 || value > kSharedOptinBytes) return kInvalidValue;
    return function->dynamic_bytes = value, kSuccess;
}

Result cuFuncSetSharedMemConfig(FunctionHandle handle, int banks) {
    if (const Result bad = ready()) return bad;
    if (!functions().find(handle)) return kInvalidHandle;
    note("bank width", banks);
    return banks >= kBanksDefault && banks <= kBanksEightBytes ? kSuccess : static_cast<Result>(kInvalidValue);
}
#endif

Result cuModuleLoadDataEx(ModuleHandle* handle, const void* image, unsigned count, int* options, void** values) {
    if (const Result bad = ready()) return bad;
    const Jit jit{count, options, values};
    if (const Result fault = faulted("load", jit)) return fault;
    std::string_view text = static_cast<const char*>(image);
    bool linked_with_ca = false;
    for (const std::string_view mark : {kCubinMark, kCubinMarkCa}) {
        if (!text.starts_with(mark)) continue;
        text.remove_prefix(mark.size());
        linked_with_ca = mark == kCubinMarkCa;
        break;
    }
    const auto code = compiled(text, jit);
    if (!code) return kInvalidPtx;
    code->cache_mode_ca |= linked_with_ca;
    if (code->constants) add_constants(*code->constants);
    return *handle = modules().add<ModuleHandle>(std::make_shared<Module>(Module{code, nullptr})), kSuccess;
}

Result cuModuleUnload(ModuleHandle handle) {
    if (const Result bad = attached()) return bad;
    const auto module = modules().find(handle);
    if (module) functions().remove(module->of_entry_point); // a function goes with its module
    if (module && module->code->constants) remove_constants(*module->code->constants);
    return modules().remove(handle);
}

Result cuModuleGetFunction(FunctionHandle* handle, ModuleHandle module_handle, const char* name) {
    if (const Result bad = ready()) return bad;
    const auto module = modules().find(module_handle);
    if (!module) return kInvalidHandle;
    if (module->code->entry_point != name) return kNotFound;
    const auto function = std::make_shared<Function>(Function{module->code});
    module->of_entry_point = function.get();
    return *handle = functions().add<FunctionHandle>(function), kSuccess;
}

Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, ModuleHandle handle, const char* name) {
    if (const Result bad = ready()) return bad;
    const auto module = modules().find(handle);
    if (!module) return kInvalidHandle;
    const auto& constants = module->code->constants;
    const bool of_b = module->code->source_b == KernelCode::Source::constants;
    if (!constants || std::string_view(name) != (of_b ? "constants_b" : "constants")) return kNotFound;
    *address = constants->address();
    return *bytes = constants->bytes(), kSuccess;
}

Result cuFuncGetAttribute(int* value, int attribute, FunctionHandle handle) {
    if (const Result bad = ready()) return bad;
    const auto function = functions().find(handle);
    if (!function) return kInvalidHandle;
    switch (attribute) {
    case kFunctionRegisters:
        return *value = 32, kSuccess;
    case kFunctionSharedBytes:
        return *value = 0, kSuccess; // static; no kernel of ours has any
    case kFunctionLocalBytes:
        return *value = static_cast<int>(function->code->private_bytes), kSuccess;
    case kFunctionCacheModeCa:
        return *value = function->code->cache_mode_ca, kSuccess;
    default:
        return kInvalidValue;
    }
}

Result cuFuncSetCacheConfig(FunctionHandle handle, int preference) {
    if (const Result bad = ready()) return bad;
    if (!functions().find(handle)) return kInvalidHandle;
    note("cache preference", preference);
    return preference >= kPreferNone && preference <= kPreferEqual ? kSuccess : static_cast<Result>(kInvalidValue);
}

std::size_t sonde_fake_cuda_live_objects() {
    return modules().size() + functions().size() + links().size() + streams().size() + events().size() +
           arrays().size() + textures().size();
}
