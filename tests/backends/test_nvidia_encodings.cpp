// Disassemblers' text with the machine code beside it: the text as without, and the words in order.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "backends/nvidia_encodings.h"

using namespace sonde;

TEST_CASE("nvidia: words of 128-bit instructions, on the instruction's line and on one of their own") {
    const Listing listing =
        nvidia::without_encodings("chain:\n"
                                  "        /*0000*/   FFMA R6, R4, R7, R5 ;   /* 0x0000000704067223 */\n"
                                  "                                           /* 0x000fe20000000005 */\n"
                                  ".L_x_1:\n"
                                  "        /*0010*/   EXIT ;   /* 0x000000000000794d */\n"
                                  "                            /* 0x000fea0003800000 */\n");
    CHECK(listing.kind == "sass");
    CHECK(listing.text == "chain:\n        /*0000*/   FFMA R6, R4, R7, R5 ;\n.L_x_1:\n        /*0010*/   EXIT ;\n");
    CHECK(listing.words ==
          std::vector<std::uint64_t>{0x0000000704067223, 0x000fe20000000005, 0x000000000000794d, 0x000fea0003800000});
}

TEST_CASE("nvidia: a control word comes first, and a pair's second word stands behind a label") {
    const Listing listing =
        nvidia::without_encodings("                                  /* 0x001fb400ffa007f0 */\n"
                                  "        /*0008*/   {  FFMA R7, R4, R7, R5 ; /* 0x5980028000770407 */\n"
                                  "        /*0010*/      @P1 BRA `(.L_x_1)  }\n"
                                  ".L_x_0:\n"
                                  "                                  /* 0xe2400ffff381000f */\n"
                                  "        /*0018*/   NOP;            /* 0x50b0000000070f00 */");
    CHECK(listing.words ==
          std::vector<std::uint64_t>{0x001fb400ffa007f0, 0x5980028000770407, 0xe2400ffff381000f, 0x50b0000000070f00});
    CHECK(listing.text.ends_with(".L_x_0:\n        /*0018*/   NOP;\n"));
}

TEST_CASE("nvidia: no words where there are none, of several functions, or where one is missing") {
    const std::string plain = "        /*0000*/   EXIT ;\n  // a comment /* 0x12 */\n";
    CHECK(nvidia::without_encodings(plain).text == plain);
    CHECK(nvidia::without_encodings(plain).words.empty());
    CHECK(nvidia::without_encodings("").words.empty());
    const std::string exit = "   /*0000*/ EXIT ; /* 0x000000000000794d */\n /* 0x000fea0003800000 */\n";
    CHECK(nvidia::without_encodings(exit).words.size() == 2);
    CHECK(nvidia::without_encodings(exit + exit).words.empty());
    CHECK(nvidia::without_encodings(exit + "   /*0020*/ NOP ; /* 0x0000000000007918 */\n").words.empty());
    CHECK(nvidia::without_encodings("   /*ffffffffff0*/ NOP ; /* 0x0000000000007918 */\n").words.empty());
}
