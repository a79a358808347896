// A results file of a stranger, through everything that reads one: it must end in a result or in one line, never in a
// crash. For libFuzzer (scripts/fuzz); built with SONDE_FUZZ.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "core/analysis/card_view.h"
#include "core/base/error.h"
#include "core/data/results.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/matrix.h"
#include "core/report/page.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace sonde;
    static const std::string file = "/tmp/sonde-fuzz-" + std::to_string(getpid()) + ".jsonl";
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    try {
        const Run run = read_run(file);
        for (const Card& card : cards_of({&run, 1})) {
            matrix_of(card);
            for (const Statement& statement : diagnose(card)) to_json(statement);
        }
        const PageFile page{"fuzz.jsonl", text};
        page_html({&page, 1}, {&run, 1}, cards_of({&run, 1}), "nonce");
    } catch (const Error&) { // one line for the user
    }
    return 0;
}
