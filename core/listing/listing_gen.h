// Instructions of Intel's listings: operands have no commas between them and say how many bytes they reach over.
#pragma once
#include <string>

#include "core/listing/listing_syntax.h"

namespace sonde {

/// `text`: "mad (16|M0) r3.0<1>:f ...", without guard and comment; `line`: the whole one. Its mnemonic becomes opcode
/// and destination's type, "mad.f", and of one lane "mad(1).f"; of a send what it does: "send.dc1 untyped surface read
/// with x". Registers are named by words of four bytes.
void read_gen(const Syntax&, const std::string& text, const std::string& line, Instruction&);

} // namespace sonde
