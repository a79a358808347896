// The questions, from the table of probes.
#include "core/report/questions.h"

#include "core/probes/probe.h"

namespace sonde {

Json questions_of(std::span<const Run> runs) {
    Json questions = Json::object();
    for (const Run& run : runs)
        for (const Series& series : run.series)
            if (const Probe* probe = find_probe(series.id.probe)) questions[series.id.probe] = probe->question;
    return questions;
}

} // namespace sonde
