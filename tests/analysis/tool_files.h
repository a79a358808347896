// What other tools write: excerpts of real outputs, for the reader of curves. Blanks at the ends of lines are left out.
#pragma once

namespace sonde {

/// Console of gpu-benches gpu-latency on an H100 PCIe: github.com/te42kyfo/gpu-benches, gpu-latency/h100_pcie.txt,
/// every fifth row. Loads, MHz, KiB, ms, cycles.
constexpr const char* kGpuBenches = "clock: 1755 1755 1755 1755 1755 1755"
                                    R"( 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755 1755
  1000000  1755        1     19.5    34.2
  1000000  1755        7     19.4    34.0
  1000000  1755       18     19.5    34.2
  1000000  1755       35     19.5    34.1
  1000000  1755       62     19.5    34.2
  1000000  1755      106     19.6    34.4
  1000000  1755      177     19.8    34.7
  1000000  1755      216     19.8    34.8
  1000000  1755      291    134.9   236.8
  1000000  1755      475    151.1   265.2
  1000000  1755      771    151.2   265.3
  1000000  1755     1248    151.6   266.0
  1000000  1755     2016    151.2   265.4
  1000000  1755     3253    151.4   265.7
  1000000  1755     5245    151.4   265.6
  1000000  1755     8453    151.3   265.6
  1000000  1755    13620    151.3   265.5
  1000000  1755    19946    151.3   265.5
  1000000  1755    24136    156.8   275.1
  1000000  1755    29207    229.7   403.2
  1000000  1755    35343    270.9   475.4
  1000000  1755    38878    272.3   477.8
  1000000  1755    42767    270.7   475.1
  1000000  1755    47045    266.0   466.8
  1000000  1755    51750    275.9   484.3
  1000000  1755    56926    321.0   563.4
  1102135  1755    68883    404.4   644.0
  2000424  1755   125026    740.8   649.9
  3300723  1755   206295   1222.4   650.0
  5446216  1755   340388   2024.4   652.4
  8986279  1755   561642   3355.2   655.3
 14827383  1755   926711   5552.0   657.2
 24465205  1755  1529075   9177.7   658.4

)";

/// `lat_mem_rd -P 1 -t 256M 128` of lmbench, as the description of a public test of memory prints it, with the lines
/// around. MiB, ns.
constexpr const char* kLmbench = R"( numactl --localalloc --physcpubind=0 lat_mem_rd -P 1 -t 256M 128

"stride=128
0.00049 1.667
0.00098 1.667
0.00195 1.667
0.00293 1.667
0.00391 1.667
0.00586 1.667
0.00781 1.667
0.01172 1.667
0.01562 1.667
0.02344 7.506
0.03125 6.133
0.04688 5.805
0.06250 7.507
0.09375 7.521
0.12500 7.508
0.18750 9.847
0.25000 10.198
0.37500 10.068
0.50000 10.100
0.75000 13.300
1.00000 17.250
1.50000 21.901
2.00000 23.286
3.00000 24.578
4.00000 25.233
6.00000 27.642
8.00000 35.726
12.00000 62.295
16.00000 81.065
24.00000 108.238
32.00000 120.291
48.00000 126.411
64.00000 128.708
96.00000 128.736
128.00000 130.194
192.00000 130.870
256.00000 135.272

the left data is size(MB) , the right is latency(ns)
)";

/// tinymembench on an Intel N100, as a review of the board Radxa X4L prints it; the lines before are cut short.
constexpr const char* kTinymembench = R"(tinymembench v0.4.9 (simple benchmark for memory throughput and latency)

 C copy                                               :   7153.3 MB/s (3.7%)
==========================================================================
== Memory latency test                                                  ==
== Note 1: All the numbers are representing extra time, which needs to  ==
==         be added to L1 cache latency. The cycle timings for L1 cache ==
==         latency can be usually found in the processor documentation. ==
==========================================================================

block size : single random read / dual random read, [MADV_NOHUGEPAGE]
      1024 :    0.0 ns          /     0.0 ns
      2048 :    0.0 ns          /     0.0 ns
      4096 :    0.0 ns          /     0.0 ns
      8192 :    0.0 ns          /     0.0 ns
     16384 :    0.0 ns          /     0.0 ns
     32768 :    0.0 ns          /     0.0 ns
     65536 :    2.5 ns          /     3.7 ns
    131072 :    3.8 ns          /     4.7 ns
    262144 :    5.1 ns          /     6.0 ns
    524288 :    6.4 ns          /     7.2 ns
   1048576 :    7.1 ns          /     7.5 ns
   2097152 :    7.9 ns          /     8.2 ns
   4194304 :   14.0 ns          /    17.3 ns
   8388608 :   35.5 ns          /    53.1 ns
  16777216 :   95.7 ns          /   138.6 ns
  33554432 :  132.3 ns          /   173.5 ns
  67108864 :  152.0 ns          /   187.9 ns

block size : single random read / dual random read, [MADV_HUGEPAGE]
      1024 :    0.0 ns          /     0.0 ns
      2048 :    0.0 ns          /     0.0 ns
      4096 :    0.0 ns          /     0.0 ns
      8192 :    0.0 ns          /     0.0 ns
     16384 :    0.0 ns          /     0.0 ns
     32768 :    0.0 ns          /     0.0 ns
     65536 :    2.5 ns          /     3.7 ns
    131072 :    3.8 ns          /     4.7 ns
    262144 :    4.4 ns          /     4.9 ns
    524288 :    4.7 ns          /     5.0 ns
   1048576 :    4.9 ns          /     5.0 ns
   2097152 :    5.3 ns          /     5.3 ns
   4194304 :   11.3 ns          /    14.4 ns
   8388608 :   30.7 ns          /    46.5 ns
  16777216 :   87.4 ns          /   128.3 ns
  33554432 :  121.6 ns          /   156.4 ns
  67108864 :  137.7 ns          /   165.2 ns
)";

/// Chips and Cheese's MemoryLatency on an efficient core of a Core Ultra 265K (L2 4 MiB, L3 36 MiB, 4 KiB pages): a
/// reader's comment at chipsandcheese.com/p/intels-lion-cove-p-core-and-gaming. KiB, ns.
constexpr const char* kChipsAndCheese =
    R"(Usage: [-test <c/asm/tlb/mlp>] [-maxsizemb <max test size in MB>] [-iter <base iterations, default 100000000]
Region,Latency (ns)
2,0.874067
4,0.871156
8,0.869487
12,0.871046
16,0.870000
24,0.869852
32,0.872878
48,4.024554
64,4.098391
96,4.144344
128,4.167482
192,4.202611
256,4.720000
384,5.223539
512,5.475110
600,5.582734
768,5.701232
1024,5.832217
1536,5.959842
2048,6.162089
3072,6.484454
4096,8.368000
5120,10.734433
6144,12.412544
8192,14.061186
10240,14.958428
12288,15.550732
16384,16.721663
24567,25.251892
32768,42.031368
65536,82.608002
98304,94.112236
131072,100.787682
262144,107.434982
393216,109.781296
524288,111.751778
1048576,116.255997
)";

/// MT4G's result of an H100: github.com/caps-tum/mt4g, 'sample_results/NVIDIA H100 80GB HBM3.json', most fields left
/// out.
constexpr const char* kMt4gJson = R"({
    "general": {"clockRate": {"unit": "kHz", "value": 1980000}, "name": "NVIDIA H100 80GB HBM3", "vendor": "NVIDIA"},
    "memory": {
        "constant": {
            "l1": {
                "latency": {"mean": 20.698039215686276, "measurements": 255, "method": "p-chase", "p50": 17.0,
                "p95": 76.0, "unit": "cycles"},
                "size": {"confidence": 0.8989220215595688, "method": "p-chase", "randomized": false, "size": 2112,
                "unit": "bytes"}
            },
            "l1.5": {
                "latency": {"mean": 104.89763779527559, "measurements": 127, "method": "p-chase", "p50": 106.0,
                "p95": 106.0, "unit": "cycles"},
                "size": {"confidence": 0.0, "method": "p-chase", "randomized": false, "size": 65537, "unit": "bytes"}
            },
            "totalConstMem": {"unit": "bytes", "value": 65536}
        },
        "l1": {
            "latency": {"mean": 38.0, "measurements": 255, "method": "p-chase", "p50": 38.0, "p95": 38.0,
            "unit": "cycles"},
            "missPenalty": {"unit": "cycles", "value": 179.8156862745098},
            "size": {"confidence": 0.9715514224288786, "method": "p-chase", "randomized": false, "size": 238848,
            "unit": "bytes"}
        },
        "l2": {
            "latency": {"mean": 219.34509803921569, "measurements": 255, "method": "p-chase", "p50": 222.0,
            "p95": 231.0, "unit": "cycles"},
            "size": {"unit": "bytes", "value": 52428800}
        },
        "main": {
            "latency": {"mean": 834.4758182706399, "measurements": 2047, "method": "p-chase", "p50": 864.0,
            "p95": 1126.3999999999996, "unit": "cycles"},
            "memoryBusWidth": {"unit": "bit", "value": 5120}
        }
    },
    "meta": {"driver": 12020, "timestamp": "2025-08-10T00:03:09Z"}
}
)";

/// MT4G's raw timings of an MI100's L1: there, 'sample_results/AMD Instinct MI100/AMD Instinct MI100 - L1 Size.txt',
/// rows at the edge, each cut to twelve loads. Bytes, cycles of each load.
constexpr const char* kMt4gTimings = R"(14848,136,136,136,136,136,136,136,136,136,136,136,136
15104,136,136,136,136,136,136,136,136,136,136,136,136
15360,140,140,140,140,140,140,140,140,140,140,140,140
15616,140,140,140,140,140,140,140,140,140,140,140,140
15872,140,140,140,140,140,140,140,140,140,140,140,140
16128,140,140,140,140,140,140,140,140,140,140,140,140
16384,140,140,140,140,140,140,140,140,140,140,140,140
16640,292,292,292,272,272,272,272,264,264,264,264,296
16896,264,264,264,292,292,292,292,284,284,284,284,272
17152,288,288,288,268,268,268,268,260,260,260,260,296
17408,276,276,276,288,288,288,288,296,296,296,296,268
17664,296,296,296,260,260,260,260,268,268,268,268,288
17920,252,252,252,264,264,264,264,272,272,272,272,244
18176,296,296,296,260,260,260,260,272,268,268,268,288
)";

/// The same of an H100's constant L1.5, of which it writes means: there, 'NVIDIA H100 80GB HBM3 - Constant L1.5
/// Size.txt', some rows.
constexpr const char* kMt4gMeans = R"(8192,72
8448,72
8704,72
8960,72
)";

/// The beginning of its fetch granularities, by stride: there, 'NVIDIA H100 80GB HBM3 - L1 Fetch Granularity.txt'.
constexpr const char* kMt4gStrides = R"(4,38,38,38,38,38,38,38,268,38,38,38
8,38,38,38,269,38,38,38,275,38,38,38
12,38,38,271,38,38,272,38,269,38,38,276
)";

} // namespace sonde
