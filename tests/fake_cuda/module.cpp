// Modules: a PTX text, or the pretended cubin that linking makes of it, stands for the host's kernel of the variant it names.
#include <algorithm>
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

constexpr std::string_view kCubinMark = "FAKE CUBIN\n";
constexpr std::string_view kVariantMark = "// sonde variant: ";

/// The options of a compilation; the caller's arrays, as a real driver keeps them.
struct Jit {
    unsigned count;
    const int* options;
    void** values;

    /// Writes into the error log, and its length over the value that told its size.
    void log(const std::string& text) const {
        char* buffer = nullptr;
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == kJitErrorLogBuffer) buffer = static_cast<char*>(values[i]);
        for (unsigned i = 0; i < count && buffer; ++i) {
            if (options[i] != kJitErrorLogBufferBytes) continue;
            const auto size = reinterpret_cast<std::uintptr_t>(values[i]);
            values[i] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::snprintf(buffer, size, "%s", text.c_str())));
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

/// The module that a text stands for; on failure the log says why.
std::shared_ptr<Module> compiled(std::string_view ptx, const Jit& jit) {
    const auto refuse = [&](const std::string& why) { return jit.log("fake ptxas: " + why), nullptr; };
    if (!ptx.starts_with(kVariantMark)) return refuse("the first line names no variant");
    const std::string variant = between(ptx, kVariantMark, '\n');
    const auto rows = sonde::host_variants();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& entry) { return entry.name == variant; });
    if (row == rows.end()) return refuse("the host has no kernel '" + variant + "'");
    auto module = std::make_shared<Module>();
    module->function = row->function;
    module->entry_point = between(ptx, ".entry ", '(');
    const std::string args_bytes = between(ptx, module->entry_point + "_param_3[", ']');
    if (module->entry_point.empty() || args_bytes.empty()) return refuse("no entry point with four parameters");
    module->args_bytes = std::stoul(args_bytes);
    return module;
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

Result cuLinkAddData_v2(LinkHandle handle, int type, void* data, std::size_t bytes, const char*, unsigned count, int*, void**) {
    if (const Result bad = ready()) return bad;
    const auto link = links().find(handle);
    if (!link) return kInvalidHandle;
    const char* text = static_cast<const char*>(data);
    if (type != kJitInputPtx || count != 0 || bytes == 0 || text[bytes - 1] != '\0') return kInvalidValue;
    link->ptx = text;
    if (const Result fault = faulted("link", link->jit)) return fault;
    return compiled(link->ptx, link->jit) ? kSuccess : static_cast<Result>(kInvalidPtx);
}

Result cuLinkComplete(LinkHandle handle, void** cubin, std::size_t* bytes) {
    if (const Result bad = ready()) return bad;
    const auto link = links().find(handle);
    if (!link) return kInvalidHandle;
    link->cubin = std::string(kCubinMark) + link->ptx;
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
    if (attribute == kFunctionPreferredSharedMemoryCarveout)
        return value >= -1 && value <= 100 ? kSuccess : static_cast<Result>(kInvalidValue);
    if (attribute != kFunctionMaxDynamicSharedBytes || value < 0 || value > kSharedOptinBytes) return kInvalidValue;
    return function->dynamic_bytes = value, kSuccess;
}
#endif

Result cuModuleLoadDataEx(ModuleHandle* handle, const void* image, unsigned count, int* options, void** values) {
    if (const Result bad = ready()) return bad;
    const Jit jit{count, options, values};
    if (const Result fault = faulted("load", jit)) return fault;
    std::string_view text = static_cast<const char*>(image);
    if (text.starts_with(kCubinMark)) text.remove_prefix(kCubinMark.size());
    auto module = compiled(text, jit);
    if (!module) return kInvalidPtx;
    return *handle = modules().add<ModuleHandle>(module), kSuccess;
}

Result cuModuleUnload(ModuleHandle handle) {
    if (const Result bad = attached()) return bad;
    const auto module = modules().find(handle);
    if (module) functions().remove(module->of_entry_point); // a function goes with its module
    return modules().remove(handle);
}

Result cuModuleGetFunction(FunctionHandle* handle, ModuleHandle module_handle, const char* name) {
    if (const Result bad = ready()) return bad;
    const auto module = modules().find(module_handle);
    if (!module) return kInvalidHandle;
    if (module->entry_point != name) return kNotFound;
    auto function = std::make_shared<Function>();
    function->function = module->function;
    function->args_bytes = module->args_bytes;
    module->of_entry_point = function.get();
    return *handle = functions().add<FunctionHandle>(function), kSuccess;
}

std::size_t sonde_fake_cuda_live_objects() {
    return modules().size() + functions().size() + links().size() + streams().size() + events().size();
}
