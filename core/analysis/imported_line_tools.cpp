// The tools that are read by the shapes of their lines.
#include "core/analysis/imported_lines.h"
#include "core/analysis/imported_readers.h"

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr double kBytesOfKiB = 1024;

LineShape heading(const char* words) { return {.means = Means::heading, .words = words}; }
LineShape note(const char* words) { return {.means = Means::note, .words = words}; }
LineShape objection(const char* words, const char* why) {
    return {.means = Means::objection, .words = words, .objection = why};
}

/// BabelStream before it had that name, and STREAM, differ in little: rates of operations on arrays far larger than
/// caches, by the type of their numbers.
std::vector<LineShape> stream_shapes() {
    std::vector<LineShape> shapes{{.means = Means::restart, .words = "babelstream"},
        {.means = Means::restart, .words = "gpu-stream"}, heading("precision ?"),
        heading("this system uses ~ bytes per array element."), {.means = Means::api, .words = "implementation ..."},
        {.means = Means::device, .words = "using ? device ..."}, {.means = Means::driver, .words = "driver ..."},
        {.means = Means::subheading, .words = "function ? min ..."},
        {.means = Means::subheading, .words = "function best rate mb/s ..."},
        {.means = Means::subheading, .words = "function num_times n_elements sizeof ? ..."}};
    for (const char* words : {"version ...", "running kernels ...", "running ...", "array size ...", "total size ...",
             "memory ...", "reduction kernel config ...", "stream version ..."})
        shapes.push_back(note(words));
    for (const char* words : {"init ...", "read ..."})
        shapes.push_back(objection(words, "taken once, with what a first touch costs"));
    struct Type {
        const char *under, *column, *name, *width;
    };
    static constexpr Type kTypes[]{{"precision double", "8", "f64", "8"}, {"precision float", "4", "f32", "4"},
        {"this system uses 8 bytes per array element.", "8", "f64", "8"},
        {"this system uses 4 bytes per array element.", "4", "f32", "4"}, {"", "", "not-told", "not-told"}};
    struct Unit {
        const char *name, *column;
        double factor;
    };
    static constexpr Unit kUnits[]{{"mbytes/sec", "max_mbytes_per_sec", 1e-3},
        {"mibytes/sec", "max_mibytes_per_sec", 1.048576e-3}, {"gbytes/sec", "max_gbytes_per_sec", 1},
        {"gibytes/sec", "max_gibytes_per_sec", 1.073741824}, {"mb/s", nullptr, 1e-3}};
    struct Operation {
        const char *word, *name;
        bool of_words; // and not of numbers
    };
    static constexpr Operation kOperations[]{{"copy", "copy", true}, {"mul", "scale", false}, {"scale", "scale", false},
        {"add", "add", false}, {"triad", "triad", false}, {"dot", "dot", false}};
    for (const Type& type : kTypes)
        for (const Unit& unit : kUnits)
            for (const Operation& operation : kOperations) {
                const Options of = operation.of_words ? OptionName{"width"}.as(type.width) : option::type.as(type.name);
                LineShape shape{.words = fmt::format("{} # ...", operation.word),
                    .under = fmt::format("{}{} ...",
                        *type.under ? fmt::format("{} ... ", type.under) : std::string("function "), unit.name),
                    .question = stream_question(operation.name, of),
                    .level = "DRAM",
                    .factor = unit.factor};
                shapes.push_back(shape);
                if (!unit.column || !std::string_view(type.under).starts_with("precision")) continue;
                shape.words = fmt::format("{} ~ ~ {} # ...", operation.word, type.column);
                shape.under = fmt::format("... {} ...", unit.column);
                shapes.push_back(std::move(shape));
            }
    shapes.push_back(objection("nstream # ...", "four arrays, of which Sonde has no probe"));
    return shapes;
}

/// Each of `words` is a rate of an operation, of which the best counts.
std::vector<LineShape> rates(std::initializer_list<std::pair<const char*, const char*>> words, double factor) {
    std::vector<LineShape> shapes;
    for (const auto& [line, operation] : words)
        shapes.push_back({.words = line, .question = rate_question(operation), .level = "best", .factor = factor});
    return shapes;
}

std::vector<LineShape> operator+(std::vector<LineShape> a, const std::vector<LineShape>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<LineShape> vkpeak_shapes() {
    return std::vector<LineShape>{{.means = Means::device, .words = "device ..."}} +
           rates({{"fp32-scalar # gflops", "fma.f32"}, {"fp32-vec4 # gflops", "fma.f32"},
                     {"fp16-scalar # gflops", "fma.f16x2"}, {"fp16-vec4 # gflops", "fma.f16x2"},
                     {"fp64-scalar # gflops", "fma.f64"}, {"fp64-vec4 # gflops", "fma.f64"},
                     {"int32-scalar # giops", "mad.u32"}, {"int32-vec4 # giops", "mad.u32"},
                     {"int64-scalar # giops", "mad.u64"}, {"int64-vec4 # giops", "mad.u64"},
                     {"int16-scalar # giops", "mad.u16"}, {"int16-vec4 # giops", "mad.u16"}},
               1) +
           std::vector<LineShape>{
               {.words = "copy-h2d # gbps", .question = copy_question(Direction::to_device), .level = "largest"},
               {.words = "copy-d2h # gbps", .question = copy_question(Direction::to_host), .level = "largest"},
               objection("? # gflops", "of a form that the tool does not tell"),
               objection("? # giops", "of a form that the tool does not tell"),
               objection("? # gbps", "copies of which transfer has no counterpart")};
}

/// Later versions tell types and operation between "compute" and the rate.
std::vector<LineShape> opencl_benchmark_shapes() {
    const char* misaligned = "misaligned accesses, whose kernel coalescing does not have";
    return std::vector<LineShape>{note("device id ..."), {.means = Means::device, .words = "device name ..."},
               {.means = Means::driver, .words = "device driver ..."},
               {.means = Means::cores, .words = "compute units # at ..."}, note("device vendor ..."),
               note("device type ..."), note("opencl version ..."), note("memory cache ..."), note("buffer limits ..."),
               note("info ...")} +
           rates({{"fp64 compute ... # tflops/s ...", "fma.f64"}, {"fp32 compute ... # tflops/s ...", "fma.f32"},
                     {"fp16 compute ... # tflops/s ...", "fma.f16x2"}, {"int64 compute ... # tiops/s ...", "mad.u64"},
                     {"int32 compute ... # tiops/s ...", "mad.u32"}, {"int16 compute ... # tiops/s ...", "mad.u16"}},
               1000) +
           std::vector<LineShape>{objection("int8 compute ... # tiops/s ...", "of a form that the tool does not tell"),
               {.words = "memory bandwidth coalesced read # gb/s",
                   .question = {.probe = &kBandwidth, .options = option::width.as(4)},
                   .level = "DRAM"},
               {.words = "memory bandwidth coalesced write # gb/s",
                   .question = stream_question("fill", option::width.as(4)),
                   .level = "DRAM"},
               objection("memory bandwidth misaligned ? # gb/s", misaligned),
               {.words = "pcie bandwidth send # gb/s ...",
                   .question = copy_question(Direction::to_device),
                   .level = "largest"},
               {.words = "pcie bandwidth receive # gb/s ...",
                   .question = copy_question(Direction::to_host),
                   .level = "largest"},
               objection(
                   "pcie bandwidth bidirectional ... # gb/s", "one after the other, where transfer has both at once")};
}

/// Four columns to each type of numbers, in the order of the heading: a rate is the third of them.
std::vector<LineShape> mixbench_shapes() {
    std::vector<LineShape> shapes{{.means = Means::device, .words = "device ..."},
        {.means = Means::driver, .words = "driver version ..."}, {.means = Means::cores, .words = "total cus #"},
        {.means = Means::cores, .words = "total sps # ..."}, heading("experiment id ..."), note("compute iters ...")};
    struct Column {
        const char *heading, *operation;
    };
    static constexpr Column kColumns[]{{"single precision ops", "fma.f32"}, {"double precision ops", "fma.f64"},
        {"half precision ops", "fma.f16x2"}, {"integer operations", "mad.u32"}};
    const auto add = [&](const std::string& before, const std::string& rows, const Column& column) {
        shapes.push_back({.words = rows + " ~ ~ # ~ ...",
            .under = "experiment id " + before + column.heading + " ...",
            .question = rate_question(column.operation),
            .level = "best"});
    };
    const std::string four = " ~ ~ ~ ~";
    for (std::size_t last = 0; last < std::size(kColumns); ++last) // any of those before it may be missing
        for (std::size_t with = 0; with < (std::size_t{1} << last); ++with) {
            std::string before, rows = "~";
            for (std::size_t i = 0; i < last; ++i)
                if (with >> i & 1) before += std::string(kColumns[i].heading) + " ", rows += four;
            add(before, rows, kColumns[last]);
        }
    return shapes;
}

std::vector<LineShape> mlc_shapes() {
    return {heading("measuring ..."), note("intel r memory latency checker ..."), note("inject latency bandwidth"),
        note("delay ns mb/sec"), note("using ..."),
        {.words = "~ # @",
            .under = "measuring loaded latencies ...",
            .question = {.probe = &kBandwidthLatency, .options = OptionName{option::level}.as("DRAM")},
            .of_highest = true}};
}

std::vector<LineShape> bandwidth_test_shapes() {
    std::vector<LineShape> shapes{{.means = Means::device, .words = "device ~ ..."},
        heading("host to device bandwidth ..."), heading("device to host bandwidth ..."),
        heading("device to device bandwidth ..."), note("pinned memory transfers"), note("pageable memory transfers"),
        note("cuda bandwidth test starting..."), note("cuda bandwidth test - starting..."), note("running on..."),
        note("quick mode"), note("range mode"), note("result pass"), note("result ..."),
        {.means = Means::subheading, .words = "transfer size bytes bandwidth gb/s"},
        {.means = Means::subheading, .words = "transfer size bytes bandwidth mb/s"}};
    struct Unit {
        const char* name;
        double factor;
    };
    for (const Unit& unit : {Unit{"gb/s", 1}, Unit{"mb/s", 1e-3}})
        for (const auto& [way, direction] : {std::pair{"host to device", Direction::to_device},
                 {"device to host", Direction::to_host}, {"device to device", Direction::on_device}})
            shapes.push_back({.words = "@ #",
                .under = fmt::format("{} ... {}", way, unit.name),
                .question = copy_question(direction),
                .factor = unit.factor});
    return shapes;
}

std::vector<LineShape> gpu_strides_shapes() {
    std::vector<LineShape> shapes{{.means = Means::clock, .words = "clock ..."},
        objection("? stride 0 ...", "all lanes at one address"),
        objection("? block ...", "lanes in blocks of a pitch, which no probe of ours has")};
    for (const auto& [type, width] : {std::pair{"float", 4}, {"double", 8}})
        shapes.push_back({.words = fmt::format("{} stride @ ~ ~ # ...", type),
            .question = {.probe = &kCoalescing,
                .options = option::pattern.as(AccessPattern::stride) *
                           option::width.as(static_cast<std::uint32_t>(width)) * option::cores.as("1")},
            .per_clock = true});
    return shapes;
}

/// Of each kernel the fastest, median and slowest repetition, by the KiB of two arrays.
std::vector<LineShape> gpu_l2_stream_shapes() {
    const char* three = " ~ ~ ~";
    const std::string begin = "~ ~ ~ @ ~ gb/s";
    const auto row = [&](std::size_t kernel, ImportedQuestion question, double arrays) {
        std::string words = begin;
        for (std::size_t i = 0; i < 4; ++i) words += i == kernel ? " ~ # ~" : three;
        return LineShape{.words = words, .question = std::move(question), .place_factor = kBytesOfKiB / 2 * arrays};
    };
    return {{.means = Means::clock, .words = "clock ..."},
        row(0, {.probe = &kBandwidth, .options = option::width.as(8)}, 1),
        row(1, stream_question("scale", option::type.as("f64")), 2),
        row(3, stream_question("fill", option::width.as(8)), 1)};
}
} // namespace

std::span<const LineTool> line_tools() {
    static const std::vector<LineTool> kTools{
        {"BabelStream",
            {"babelstream", "gpu-stream", "stream version ...", "function num_times n_elements sizeof ? ..."},
            "unknown", "device", stream_shapes()},
        {"vkpeak", {"fp32-scalar # gflops"}, "vulkan", "GPU", vkpeak_shapes()},
        {"OpenCL-Benchmark", {"memory bandwidth coalesced ? # gb/s", "fp32 compute ... # tflops/s ..."}, "opencl",
            "device", opencl_benchmark_shapes()},
        {"mixbench", {"compute iters flops/byte ex.time ..."}, "unknown", "GPU", mixbench_shapes()},
        {"Intel MLC", {"measuring loaded latencies ...", "intel r memory latency checker ..."}, "host", "processor",
            mlc_shapes()},
        {"CUDA bandwidthTest", {"transfer size bytes bandwidth ?"}, "cuda", "GPU", bandwidth_test_shapes()},
        {"gpu-benches gpu-strides", {"float stride ~ ~ ~ ~ ...", "double stride ~ ~ ~ ~ ..."}, "unknown", "GPU",
            gpu_strides_shapes()},
        {"gpu-benches gpu-l2-stream", {"~ ~ ~ ~ ~ gb/s ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~"}, "unknown", "GPU",
            gpu_l2_stream_shapes()}};
    return kTools;
}

} // namespace sonde
