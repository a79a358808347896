// A pass of Fourier transforms of complex numbers in single precision: of each transform of `n` points, the transforms
// of `length` among points that stand n / length apart, which a workgroup makes in its scratchpad, POINTS points
// together, by radix 4, and by radix 2 at the end of an odd power of two. It then turns points by powers of the root of
// 1 of order n, for the passes that follow. Places follow Stockham: no pass reorders alone, the last one leaves all
// frequencies in order.
// `beside`: transforms of `length` in a workgroup. `stride`: product of the lengths of earlier passes. With `inverse`
// real and imaginary parts change places on both ways. `factor`: a float.
// a: points before the pass. b: points after it. out: roots, e^(-2 pi i k / N): POINTS of order POINTS, then FINE of
// order n, then of these every FINE-th.
// BUILD scratchpad + global: ITEMS=1|256 POINTS=2048 WIDE_B=1 WIDTH=2
#include "vocabulary.h"

ARGS(uint n_bits; uint length_bits; uint beside_bits; uint stride_bits; uint inverse; uint factor;)

#define FINE_BITS 12u
#define PLACE(i) ((i) + (i) / 16u)      // so that columns lie in different banks
#define HALF PLACE(POINTS * 1u)         // of the scratchpad: a step reads one half and writes the other
#define POINT(i) LOAD(from + PLACE(i))
#define PUT_POINT(i, re, im) STORE_A(HALF - from + PLACE(i), PAIR(FLOAT_BITS(re), FLOAT_BITS(im)));
#define PARTS(v, re, im) float re = FLOAT_PART(v, x), im = FLOAT_PART(v, y);
#define ROOT(i, re, im) T root_##re = PAIR(RESULT(2u * (i)), RESULT(2u * (i) + 1u)); PARTS(root_##re, re, im)
#define TURNED_RE(re, im, c, s) ((re) * (c) - (im) * (s))
#define TURNED_IM(re, im, c, s) ((re) * (s) + (im) * (c))
#ifdef ONE_ITEM
#define TOGETHER 1u
#else
#define TOGETHER (ITEMS * 1u) // the workgroup's size, which the compiler knows: it brings several points at once
#endif
#define EACH_OF(count) for (uint turn_of = 0u, i = LOCAL_ID; turn_of < (count) / TOGETHER; turn_of += 1u, i += TOGETHER)
// Point i of a workgroup: number `at` of its transform `column`. Memory is walked along: by rows where a transform's
// own points stand side by side.
#define COLUMN_OF(i, rows) ((rows) ? (i) >> args.length_bits : (i) & ((1u << args.beside_bits) - 1u))
#define AT_OF(i, rows) ((rows) ? (i) & ((1u << args.length_bits) - 1u) : (i) >> args.beside_bits)

KERNEL(fft) {
    uint columns_bits = args.n_bits - args.length_bits, first = GROUP_ID << args.beside_bits, from = HALF;
    EACH_OF(POINTS) {
        uint column = COLUMN_OF(i, columns_bits == 0u), at = AT_OF(i, columns_bits == 0u), mine = first + column;
        T v = a[((mine >> columns_bits) << args.n_bits) + (mine & ((1u << columns_bits) - 1u)) + (at << columns_bits)];
        PARTS(v, re, im)
        float read_re = args.inverse != 0u ? im : re, read_im = args.inverse != 0u ? re : im;
        PUT_POINT((at << args.beside_bits) + column, read_re, read_im)
    }
    BARRIER
    uint left = args.length_bits, stride = 1u << args.beside_bits;
    from = 0u;
    NOT_UNROLLED
    for (; left >= 2u; left -= 2u) {
        EACH_OF(POINTS / 4u) {
            uint low = i & (stride - 1u);
            T v0 = POINT(i), v1 = POINT(i + POINTS / 4u), v2 = POINT(i + POINTS / 2u), v3 = POINT(i + POINTS / 4u * 3u);
            PARTS(v0, re0, im0)
            PARTS(v1, re1, im1)
            PARTS(v2, re2, im2)
            PARTS(v3, re3, im3)
            ROOT(i - low, c1, s1)
            float c2 = TURNED_RE(c1, s1, c1, s1), s2 = TURNED_IM(c1, s1, c1, s1), c3 = TURNED_RE(c2, s2, c1, s1),
                  s3 = TURNED_IM(c2, s2, c1, s1);
            float even_re = re0 + re2, even_im = im0 + im2, odd_re = re1 + re3, odd_im = im1 + im3;
            // -i times the difference
            float across_re = re0 - re2, across_im = im0 - im2, right_re = im1 - im3, right_im = re3 - re1;
            float x1 = across_re + right_re, y1 = across_im + right_im, x2 = even_re - odd_re, y2 = even_im - odd_im,
                  x3 = across_re - right_re, y3 = across_im - right_im;
            uint to = low + (i - low) * 4u;
            PUT_POINT(to, even_re + odd_re, even_im + odd_im)
            PUT_POINT(to + stride, TURNED_RE(x1, y1, c1, s1), TURNED_IM(x1, y1, c1, s1))
            PUT_POINT(to + stride * 2u, TURNED_RE(x2, y2, c2, s2), TURNED_IM(x2, y2, c2, s2))
            PUT_POINT(to + stride * 3u, TURNED_RE(x3, y3, c3, s3), TURNED_IM(x3, y3, c3, s3))
        }
        BARRIER
        from = HALF - from;
        stride = stride * 4u;
    }
    if (left != 0u) {
        EACH_OF(POINTS / 2u) {
            T v0 = POINT(i), v1 = POINT(i + POINTS / 2u);
            PARTS(v0, re0, im0)
            PARTS(v1, re1, im1)
            PUT_POINT(i, re0 + re1, im0 + im1)
            PUT_POINT(i + POINTS / 2u, re0 - re1, im0 - im1)
        }
        from = HALF - from;
    }
    BARRIER
    T factors = SPLAT_T(args.factor);
    float factor = FLOAT_PART(factors, x);
    EACH_OF(POINTS) {
        uint column = COLUMN_OF(i, args.stride_bits == 0u), at = AT_OF(i, args.stride_bits == 0u),
             mine = first + column;
        uint j = mine & ((1u << columns_bits) - 1u), p = j >> args.stride_bits, turn = (p * at) << args.stride_bits;
        T v = POINT((at << args.beside_bits) + column);
        PARTS(v, re, im)
        ROOT(POINTS + (turn & ((1u << FINE_BITS) - 1u)), fine_c, fine_s)
        ROOT(POINTS + (1u << FINE_BITS) + (turn >> FINE_BITS), coarse_c, coarse_s)
        float c = TURNED_RE(fine_c, fine_s, coarse_c, coarse_s) * factor,
              s = TURNED_IM(fine_c, fine_s, coarse_c, coarse_s) * factor;
        float turned_re = TURNED_RE(re, im, c, s), turned_im = TURNED_IM(re, im, c, s);
        T left_there = args.inverse != 0u ? PAIR(FLOAT_BITS(turned_im), FLOAT_BITS(turned_re))
                                          : PAIR(FLOAT_BITS(turned_re), FLOAT_BITS(turned_im));
        STORE_B(((mine >> columns_bits) << args.n_bits) + (j & ((1u << args.stride_bits) - 1u)) +
                    (p << (args.stride_bits + args.length_bits)) + (at << args.stride_bits),
            left_there);
    }
}
