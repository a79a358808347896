// Tools that are read by the shapes of their lines: one output of each, made up in the form that the tool writes.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/imported.h"
#include "core/analysis/imported_lines.h"
#include "core/base/error.h"
#include "core/data/results.h"
#include "tests/analysis/figure_lines.h"
#include "tests/says.h"

using namespace sonde;

namespace {
Run run_of_text(const std::string& text, const ImportAs& as = {}) {
    const std::string lines = import_results(text, "folder/output.txt", as);
    REQUIRE_FALSE(lines.empty());
    std::istringstream in(lines);
    return read_run(in, "output.jsonl");
}

/// "latency host:0 global: 1 2, 3 4"
std::vector<std::string> curve_lines(const Run& run) {
    std::vector<std::string> lines;
    for (const Series& series : run.series) {
        if (series.points.empty()) continue;
        std::string points;
        for (const Point& point : series.points)
            points += fmt::format("{}{:.6g} {:.6g}", points.empty() ? "" : ", ", point.x, point.median.value_or(-1));
        lines.push_back(fmt::format("{}: {}", series.id.text(), points));
    }
    return lines;
}

bool warns(const Run& run, const std::string& words) {
    return std::ranges::any_of(run.warnings, [&](const std::string& warning) { return says(warning, words); });
}
using Lines = std::vector<std::string>;
} // namespace

TEST_CASE("BabelStream: text of every unit, CSV, its older name, and STREAM") {
    const auto text = [](const char* precision, const char* unit, const char* copy) {
        return fmt::format(
            "BabelStream\nVersion: 5.0\nImplementation: HIP\nRunning kernels 100 times\n{}Array size: 268.4 MB "
            "(=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\nUsing HIP device Card 9\nDriver: 60\nFunction    {}  "
            "Min (sec)   Max         Average\nCopy        {} 0.1 0.1 0.1\nDot         {} 0.1 0.1 0.1\n",
            precision, unit, copy, copy);
    };
    const Run run = run_of_text(text("Precision: double\n", "MBytes/sec", "1701000.5"));
    CHECK(figure_lines(run) == Lines{"hip:0 stream global operation=copy width=8: DRAM 1701 GB/s",
                                   "hip:0 stream global operation=dot type=f64: DRAM 1701 GB/s"});
    CHECK(run.devices.at(0).name == "Card 9");
    CHECK(run.devices[0].card == "Card 9");
    CHECK(says(run.devices[0].driver, "60; "));
    CHECK(run.warnings.empty());
    CHECK(figure_lines(run_of_text(text("Precision: float\n", "GBytes/sec", "1.5"))).at(0) ==
          "hip:0 stream global operation=copy width=4: DRAM 1.5 GB/s");
    CHECK(figure_lines(run_of_text(text("Precision: float\n", "MiBytes/sec", "1000"))).at(1) ==
          "hip:0 stream global operation=dot type=f32: DRAM 1.0486 GB/s");
    CHECK(figure_lines(run_of_text(text("", "MBytes/sec", "1000"))).at(1) ==
          "hip:0 stream global operation=dot type=not-told: DRAM 1 GB/s");

    const Run csv =
        run_of_text("function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\n"
                    "Triad,100,33554432,4,2000,0.1,0.1,0.1\nNstream,100,33554432,4,2000,0.1,0.1,0.1\n");
    CHECK(figure_lines(csv) == Lines{"unknown:0 stream global operation=triad type=f32: DRAM 2 GB/s"});
    CHECK(warns(csv, "(nstream)"));
    CHECK(figure_lines(run_of_text(
              "GPU-STREAM\nVersion: 2.0\nImplementation: OpenCL\nPrecision: double\nUsing OpenCL device K80\n"
              "Function    MBytes/sec  Min (sec)   Max  Average\nMul 181350.1 0.1 0.1 0.1\n")) ==
          Lines{"opencl:0 stream global operation=scale type=f64: DRAM 181.35 GB/s"});
    CHECK(figure_lines(run_of_text(
              "STREAM version $Revision: 5.10 $\nThis system uses 8 bytes per array element.\nFunction    Best Rate "
              "MB/s  Avg time  Min time  Max time\nAdd:  50000.0  0.1 0.1 0.1\n")) ==
          Lines{"unknown:0 stream global operation=add type=f64: DRAM 50 GB/s"});

    // Two runs behind each other are two devices.
    CHECK(run_of_text(
              text("Precision: double\n", "MBytes/sec", "1000") + text("Precision: double\n", "MBytes/sec", "2000"))
              .devices.size() == 2);
    const Run torn = run_of_text(
        text("Precision: double\n", "MBytes/sec", "inf") + "Triad 12x 1 1 1\nSegmentation fault\nMul 5000 1 1 1\n");
    CHECK(figure_lines(torn) == Lines{"hip:0 stream global operation=scale type=f64: DRAM 5 GB/s"});
    CHECK(warns(torn, "measured (copy, dot)"));
    CHECK(warns(torn, "2 lines of 15 not used: 13-14 ('Triad 12x 1 1 1', ...)"));
}

TEST_CASE("vkpeak: the better of scalar and vector, and what has no counterpart is counted") {
    const Run run = run_of_text(
        "device       = Card 9 (RADV)\n\nfp32-scalar  = 11001.10 GFLOPS\nfp32-vec4    = 10902.20 GFLOPS\n\n"
        "fp16-scalar  = 100.00 GFLOPS\nfp16-vec4 = 200.00 GFLOPS\nfp16-matrix  = 500.00 GFLOPS\nfp64-scalar  = "
        "0.00 GFLOPS\nint32-scalar = 8404.40 GIOPS\nint8-dotprod = 9.00 GIOPS\n\ncopy-h2d     = 13.50 GBPS\n");
    CHECK(figure_lines(run) == Lines{"vulkan:0 rate global operation=fma.f32: best 11001 Gop/s",
                                   "vulkan:0 rate global operation=fma.f16x2: best 200 Gop/s",
                                   "vulkan:0 rate global operation=mad.u32: best 8404.4 Gop/s",
                                   "vulkan:0 transfer host direction=to-device engine=copy: largest 13.5 GB/s"});
    CHECK(run.devices.at(0).name == "Card 9 (RADV)");
    CHECK(warns(run, "measured (fp64-scalar)"));
    CHECK(warns(run, "2 figures of vkpeak left out: of a form"));
}

TEST_CASE("OpenCL-Benchmark: rates, reads and stores of DRAM, copies; each device its own") {
    const auto device = [](const char* name, const char* rate) {
        return fmt::format(
            "|----------------.-----|\n| Device ID      | 0 |\n| Device Name    | {} |\n| Device Driver  | 535.1 "
            "(Linux) |\n"
            "| Compute Units  | 60 at 1900 MHz (3840 cores, 14.592 TFLOPs/s) |\n|----------------'-----|\n"
            "| FP32  compute   {} TFLOPs/s ( 1x ) |\n| Memory Bandwidth ( coalesced read      )    801.10 GB/s |\n"
            "| Memory Bandwidth (misaligned      write)    99.10 GB/s |\n"
            "| PCIe   Bandwidth (send                 )     11.20 GB/s |\n"
            "| PCIe   Bandwidth (   bidirectional)            (Gen3 x16)     9 GB/s |\n",
            name, rate);
    };
    const Run run = run_of_text("| Device ID    0 | Card 9 |\n| Device ID    1 | Card 8 |\n" +
                                device("Card 9", "13.902") + device("Card 8", "(float , fma  )      1.5") +
                                "| INT64  Compute   (long  , a*b+c)     3.7  TIOPs/s (1/24) |\n"
                                "| INT8   Compute   (char4 , dp4a )   118.7  TIOPs/s ( 2x ) |\n");
    CHECK(figure_lines(run) == Lines{"opencl:0 rate global operation=fma.f32: best 13902 Gop/s",
                                   "opencl:0 bandwidth global width=4: DRAM 801.1 GB/s",
                                   "opencl:0 transfer host direction=to-device engine=copy: largest 11.2 GB/s",
                                   "opencl:1 rate global operation=fma.f32: best 1500 Gop/s",
                                   "opencl:1 bandwidth global width=4: DRAM 801.1 GB/s",
                                   "opencl:1 transfer host direction=to-device engine=copy: largest 11.2 GB/s",
                                   "opencl:1 rate global operation=mad.u64: best 3700 Gop/s"});
    CHECK(warns(run, "1 figure of OpenCL-Benchmark left out: of a form"));
    CHECK(warns(run, "2 figures of OpenCL-Benchmark left out: one after the other"));
    CHECK(run.devices.at(0).cores == 60);
    CHECK(run.devices.at(1).name == "Card 8");
    CHECK(warns(run, "2 figures of OpenCL-Benchmark left out: misaligned"));
}

TEST_CASE("mixbench: the best rate of each type, by the heading's order") {
    const std::string
        head = "Device:              Card 9\nTotal SPs:           4352 (68 MPs x 64 SPs/MP)\n",
        iters = "\nCompute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec\n",
        row = "   0,  0.250, 0.32, 104.42, 417.68,  0.125, 0.63, 53.04, 424.35\n",
        better = " 256,  0.250, 0.32, 900.5, 17.68,  0.125, 0.00, inf, inf\n";
    const Run two =
        run_of_text(head + "Experiment ID, Single Precision ops,,,, Double precision ops,,,," + iters + row + better);
    CHECK(figure_lines(two) == Lines{"unknown:0 rate global operation=fma.f32: best 900.5 Gop/s",
                                   "unknown:0 rate global operation=fma.f64: best 53.04 Gop/s"});
    CHECK(warns(two, "measured"));
    CHECK(
        figure_lines(run_of_text(head + "Experiment ID, Single Precision ops,,,, Integer operations,,," + iters + row))
            .at(1) == "unknown:0 rate global operation=mad.u32: best 53.04 Gop/s");
    CHECK(figure_lines(run_of_text(head + "Experiment ID, Half precision ops,,,, Integer operations,,," + iters + row))
              .at(0) == "unknown:0 rate global operation=fma.f16x2: best 104.42 Gop/s");
}

TEST_CASE("gpu-roofline: the best rate and the bandwidth without arithmetic, of each card by its number") {
    const Run run = run_of_text(
        "8\n16\n-- Finished Building --\n0 852 blocks     0 its      0.250 Fl/B        845 GB/s       211 GF/s   2490 "
        "Mhz   199 W   42\xC2\xB0"
        "C\n1 852 blocks     0 its      0.250 Fl/B        844 GB/s       211 GF/s   2520 Mhz\n\n"
        "0 852 blocks   256 its      64.250 Fl/B        604 GB/s     39050 GF/s   1740 Mhz\n"
        "1 852 blocks   256 its      64.250 Fl/B        704 GB/s     50207 GF/s   2205 Mhz\nslurm: done\n"
        "0 852 blocks   512 its      128.250 Fl/B        304 GB/s     39046 GF/s   1740 Mhz\n");
    CHECK(figure_lines(run) == Lines{"unknown:0 rate global operation=fma.f32: best 39050 Gop/s",
                                   "unknown:0 bandwidth global width=4: DRAM 845 GB/s",
                                   "unknown:1 rate global operation=fma.f32: best 50207 Gop/s",
                                   "unknown:1 bandwidth global width=4: DRAM 844 GB/s"});
    REQUIRE(run.devices.size() == 2);
    CHECK(run.devices[0].card != run.devices[1].card);
    CHECK(warns(run, "not used: 9"));
    const auto of_type = [](const char* intensity) { // of 3 its
        return run_of_text(
            fmt::format("0 640 blocks     3 its      {} Fl/B        869 GB/s       434 GF/s   1380 Mhz\n"
                        "0 640 blocks     0 its      0.125 Fl/B        870 GB/s       109 GF/s   1380 Mhz\n",
                intensity));
    };
    CHECK(figure_lines(of_type("0.500")) == Lines{"unknown:0 rate global operation=fma.f64: best 434 Gop/s",
                                                "unknown:0 bandwidth global width=8: DRAM 870 GB/s"});
    CHECK(warns(of_type("2.000"), "neither floats nor doubles"));
}

TEST_CASE("gpu-small-kernels is known, and nothing of it is used") {
    const std::string rows = "4096  64kB     26     26     26     26     27     27  \n4341  67kB  27 27 27 28 29 28\n";
    CHECK_THROWS_WITH_AS(
        run_of_text(rows + rows), doctest::Contains("of gpu-benches gpu-small-kernels, and nothing"), UsageError);
    CHECK(import_results(rows, "rows.txt", {}).empty()); // too few to tell
}

TEST_CASE("Intel MLC: latency by the share of the highest bandwidth") {
    const Run run = run_of_text(
        "Intel(R) Memory Latency Checker - v3.11\n*** Unable to modify prefetchers\nMeasuring Loaded Latencies for the "
        "system\nUsing Read-only traffic type\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========\n"
        " 00000\t280.10\t 120000.0\n 00100\t150.00\t  60000.0\n 05000\t 85.50\t   1200.0\n");
    CHECK(curve_lines(run) == Lines{"bandwidth-latency host:0 global level=DRAM: 1 85.5, 50 150, 100 280.1"});
    CHECK(warns(run, "1 line of 10 not used: 2"));
}

TEST_CASE("CUDA's bandwidthTest: a point for each size, in both units") {
    const auto text = [](const char* unit, const char* value) {
        return fmt::format("[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Card 9\n Quick Mode\n\n "
                           "Host to Device Bandwidth, "
                           "1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth({0})\n   "
                           "32000000\t\t\t{1}\n\n Device to "
                           "Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size "
                           "(Bytes)\tBandwidth({0})\n   16000000\t{1}\n"
                           "   32000000\t{1}\n\nResult = PASS\n",
            unit, value);
    };
    const Lines expected{"transfer cuda:0 host direction=to-device engine=copy: 3.2e+07 12.1",
        "transfer cuda:0 host direction=to-host engine=copy: 1.6e+07 12.1, 3.2e+07 12.1"};
    CHECK(curve_lines(run_of_text(text("GB/s", "12.1"))) == expected);
    CHECK(curve_lines(run_of_text(text("MB/s", "12100"))) == expected);
    CHECK(run_of_text(text("GB/s", "12.1")).devices.at(0).name == "Card 9");
}

TEST_CASE("gpu-benches' strides are of one core, and its stream in L2 is by data set") {
    const Run strides = run_of_text(
        "clock: 900 1500\n\nfloat block 1 4098 9.2 14.0 2.00 9.2 0.01\nfloat stride 0 0 1.02 126 1.00 1.00 0.00\n"
        "float stride 1 1 1.02 126 1.00 1.00 0.00\nfloat stride 2 2 2.00 64 2.00 1.24 0.00\ndouble stride 1 1 2.01 128 "
        "2.00 1.22 0.00\n");
    CHECK(curve_lines(strides) == Lines{"coalescing unknown:0 global cores=1 pattern=stride width=4: 1 189, 2 96",
                                      "coalescing unknown:0 global cores=1 pattern=stride width=8: 1 192"});
    CHECK(says(strides.devices.at(0).name, "output.txt"));
    CHECK(
        run_of_text("clock: 1500\nfloat stride 1 1 1 126 1 1 0\n", {.card = "Card 9"}).devices.at(0).card == "Card 9");

    const Run stream =
        run_of_text("clock: 1410\n  96 1 10368 384  5% | GB/s: 214 213 212 389 388 387 732 731 730 297 296 295\n"
                    " 112 1 12096 384 5.5% | GB/s: 249 248 247 452 451 450 847 846 845 344 343 342\n"
                    "  96 1 10368 768 5% | GB/s: 14 13 12 89 88 87 32 31 30 97 96 95\n");
    CHECK(curve_lines(stream) == Lines{"bandwidth unknown:0 global width=8: 196608 248, 393216 13",
                                     "stream unknown:0 global operation=scale type=f64: 393216 451, 786432 88",
                                     "stream unknown:0 global operation=fill width=8: 196608 343, 393216 96"});
}

TEST_CASE("clpeak's text and XML are the figures of its JSON") {
    const std::string text =
        "clpeak version: 1.1.2\n\nPlatform: Example OpenCL\n  Device: Card 9\n    Driver version  : 1.2.3 (Linux x64)\n"
        "    Compute units   : 30\n    Clock frequency : 1800 MHz\n\n    Global memory bandwidth (GBPS)\n      float   "
        ": "
        "401.10\n      float4  : 415.30\n\n    Single-precision compute (GFLOPS)\n      float   : 7001.00\n      "
        "float2  : "
        "7002.00\n\n    Integer compute Fast 24bit (GIOPS)\n      int   : 99999\n\n    No half precision support! "
        "Skipped\n\n"
        "    Transfer bandwidth (GBPS)\n      enqueueWriteBuffer              : 9.10\n      enqueueMapBuffer(for read) "
        " : "
        "250000.00\n\n    Kernel launch latency : 5.25 us\n";
    const Lines expected{"opencl:0 bandwidth global width=4: DRAM 401.1 GB/s",
        "opencl:0 bandwidth global width=16: DRAM 415.3 GB/s",
        "opencl:0 rate global operation=fma.f32: best 7002 Gop/s",
        "opencl:0 transfer host direction=to-device engine=copy: largest 9.1 GB/s"};
    const Run run = run_of_text(text);
    CHECK(figure_lines(run) == expected);
    CHECK(run.devices.at(0).name == "Card 9");
    CHECK(says(run.devices[0].driver, "values of clpeak 1.1.2"));
    CHECK(warns(run, "integer_compute_fast_24bit"));
    CHECK(warns(run, "no_half_precision_support"));
    CHECK(run_of_text(text + text).devices.size() == 1); // of one platform and driver: one device
    const Run errors = run_of_text(
        "Backend: Vulkan\n  Device 0: Card 9\n    Single-precision compute (GFLOPS)\n      float : [error] lost\n"
        "      float2 : 7\nnoise\n");
    CHECK(figure_lines(errors) == Lines{"vulkan:0 rate global operation=fma.f32: best 7 Gop/s"});
    CHECK(warns(errors, "status [error] lost"));
    CHECK(warns(errors, "1 line of 6 not used: 6 ('noise')"));

    const Run xml = run_of_text(R"(<?xml version="1.0"?>
<clpeak format_version="2" clpeak_version="2.0.18" os="Linux x64">
  <run backend="OpenCL" platform="P &amp; Q" device="Card 9" driver="1.2.3">
    <test name="global_memory_bandwidth" unit="gbps"><metric name="float">401.1</metric>
      <metric name="float4">inf</metric></test>
  </run>
</clpeak>)");
    CHECK(figure_lines(xml) == Lines{"opencl:0 bandwidth global width=4: DRAM 401.1 GB/s"});
    CHECK(warns(xml, "measured (global_memory_bandwidth float4)"));
    const Run older = run_of_text(
        R"(<clpeak os="Linux"><platform name="P"><device name="Card 9" driver_version="7">
<single_precision_compute unit="gflops"><float>10</float><float2>20</float2></single_precision_compute>
<kernel_launch_latency unit="us">5</kernel_launch_latency></device></platform></clpeak>)");
    CHECK(figure_lines(older) == Lines{"opencl:0 rate global operation=fma.f32: best 20 Gop/s"});
    CHECK(older.devices.at(0).name == "Card 9");
}

TEST_CASE("nvbandwidth's text is the figures of its JSON") {
    const Run run = run_of_text(
        "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: 12080\nCUDA Driver Version: "
        "12080\n"
        "Driver Version: 570.00.01\n\nDevice 0: Card 9 (00000000:01:00)\nDevice 1: Card 9 (00000000:41:00)\n\nRunning "
        "host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0     "
        "25.11  "
        "   25.02\n\nSUM host_to_device_memcpy_ce 50.13\n\nRunning device_to_device_memcpy_read_ce.\nmemcpy CE "
        "GPU(row) -> "
        "GPU(column) bandwidth (GB/s)\n  0 1\n 0 N/A 26.34\n 1 26.35 N/A\n\nRunning "
        "device_to_host_memcpy_sm.\nWAIVED\n");
    CHECK(figure_lines(run) ==
          Lines{"cuda:0 transfer host direction=to-device engine=copy memory=pinned: largest 25.11 GB/s",
              "cuda:1 transfer host direction=to-device engine=copy memory=pinned: largest 25.02 GB/s",
              "cuda:0 transfer peer direction=from-peer engine=copy: largest 26.34 GB/s",
              "cuda:1 transfer peer direction=from-peer engine=copy: largest 26.35 GB/s"});
    CHECK(run.devices.at(0).card == "00000000:01:00");
    CHECK(run.devices.at(1).name == "Card 9");
    CHECK(says(run.devices[0].driver, "570.00.01"));
    CHECK(warns(run, "status WAIVED (device_to_host_memcpy_sm)"));
    const Run single = run_of_text("nvbandwidth Version: v0.8\nDevice 0: Card 9\nRunning "
                                   "host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) "
                                   "bandwidth (GB/s)\n 0\n 0 25.5\n");
    CHECK(figure_lines(single) ==
          Lines{"cuda:0 transfer host direction=to-device engine=copy memory=pinned: largest 25.5 GB/s"});
}

TEST_CASE("each tool of lines is known by its own alone, and all are named to who asks") {
    for (const LineTool& tool : line_tools()) {
        CHECK(imported_tools().find(tool.name.substr(tool.name.rfind(' ') + 1)) != std::string::npos);
        for (const LineShape& shape : tool.shapes)
            if (shape.means == Means::value) {
                CAPTURE(tool.name + ": " + shape.words);
                CHECK(shape.question.probe != nullptr);
                CHECK(says(shape.words, "#"));
                CHECK(says(shape.words, "@") == shape.level.empty());
            }
    }
    CHECK(import_results("hello\nworld 1 2 3\n", "x.txt").empty());
    CHECK(import_results("", "x.txt").empty());
}
