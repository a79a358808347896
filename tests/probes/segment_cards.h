// Modelled cards whose memory has two segments, or one.
#pragma once
#include "tests/probes/probe_series.h"

namespace sonde {

/// 3.5 GiB behind seven controllers, half a one behind the eighth: reads of one wait for those of the other.
inline CardModel card_970() {
    CardModel card = model_card("GTX 970");
    card.memory_bytes = 4 * kGiB;
    card.segments = {{3584 * kMiB, 196e9}, {512 * kMiB, 28e9}};
    card.exclusive_reads = true;
    card.noise = 0.003;
    return card;
}

inline CardModel even_card() {
    CardModel card = card_970();
    card.segments = {{4 * kGiB, 224e9}};
    return card;
}

} // namespace sonde
