// Opens CLBlast, and puts its products on the queue of the kernels.
#include "backends/opencl/clblast.h"

#include "core/base/library.h"
#include "core/device/matrix_form.h"

namespace sonde::opencl {

namespace {
class ClblastProduct final : public Enqueued {
public:
    ClblastProduct(const Context& context, std::shared_ptr<const Clblast> library, std::uint32_t rows)
        : context_(context), library_(std::move(library)), rows_(rows) {}
    Listing listing() const override { return {"", "kernels of CLBlast, which hands out no listing"}; }

    /// Matrices are columns one behind the other: rows of A are columns of what is transposed.
    void enqueue(const Launch& launch, cl_event*) const override {
        cl_command_queue queue = context_.queue();
        const auto memory = [&](const Buffer* buffer) { return context_.argument_of(buffer); };
        library_->check(
            library_->CLBlastSgemm(kColumnsFollow, kTransposed, kAsItIs, rows_, rows_, rows_, 1, memory(launch.a), 0,
                rows_, memory(launch.b), 0, rows_, 0, memory(&launch.out), 0, rows_, &queue, nullptr),
            "CLBlastSgemm");
    }

private:
    const Context& context_;
    const std::shared_ptr<const Clblast> library_;
    const std::size_t rows_;
};
} // namespace

Clblast::Clblast() {
    const Library library{"libclblast.so.1", "libclblast.so", "clblast.dll"};
    if (!library) throw Unsupported(fmt::format("libclblast is not installed: {}", library.error()));
    file = library.path();
    const std::size_t number = file.rfind(".so.");
    version = number == file.npos ? "of unknown version" : file.substr(number + 4);
    const auto load = [&](auto& function, const char* symbol) {
        if (!library.load(function, symbol)) throw Unsupported(fmt::format("{} has no {}", file, symbol));
    };
#define SONDE_LOAD(name, parameters) load(name, #name);
    SONDE_CLBLAST_ENTRY_POINTS(SONDE_LOAD)
#undef SONDE_LOAD
}

void Clblast::check(ClblastStatus status, const char* call) const {
    if (status == kClblastSuccess) return;
    const std::string text = fmt::format("CLBlast {}: {}: status {}", version, call, status);
    if (status == kClblastNoMemory) throw DoesNotFit(text);
    if (status == kClblastNotBuilt) throw Unsupported(text + ": the driver does not compile its kernels");
    throw Error(text);
}

LibraryKernel library_product(
    const Context& context, const std::shared_ptr<const Clblast>& library, const ProductShape& shape) {
    if (&shape.in != &kF32)
        throw Unsupported(fmt::format("no product of {} with sums in f32 by CLBlast is known", shape.in.name));
    return {
        std::make_unique<ClblastProduct>(context, library, shape.rows), "CLBlast", library->version, library->file, ""};
}

} // namespace sonde::opencl
