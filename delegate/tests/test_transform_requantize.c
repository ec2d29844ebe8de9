/* QUANTIZE comes before moves of floats, and takes in the DEQUANTIZE before it. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* Steps of which all floats here are exact in f16, too. */
#define DIMS       "2,3,4,5"
#define PADDED     "2,5,7,5"
#define OF_X       "QUANTIZE x -> a:i8[" DIMS "]q(0.5,-7); DEQUANTIZE a -> f:f32; "
#define MIRROR     "MIRROR_PAD {mode=0} f i32[4,2]=0,0,1,1,2,1,0,0 -> h; "
#define TO_Y(type) "QUANTIZE h -> i:" type "; DEQUANTIZE i -> y:f32; outputs y"
#define IDS        "ABS x -> a; CAST a -> ids:i32; "
/* clang-format off */
static const struct transform_case cases[] = {
    { "nothing is left", { 2, 3, 4, 5 }, 2, "MIRROR_PAD ", OF_X MIRROR TO_Y("i8[" PADDED "]q(0.5,-7)") },
    { "another scale", { 2, 3, 4, 5 }, 2, "MIRROR_PAD ", OF_X MIRROR TO_Y("i8[" PADDED "]q(0.25,-7)") },
    { "another zero point", { 2, 3, 4, 5 }, 2, "MIRROR_PAD ", OF_X MIRROR TO_Y("i8[" PADDED "]q(0.5,100)") },
    { "another type", { 2, 3, 4, 5 }, 2, "MIRROR_PAD ", OF_X MIRROR TO_Y("u8[" PADDED "]q(0.5,7)") },
    { "zeros", { 2, 3, 4, 5 }, 2, "PAD ",
      OF_X "PAD f i32[4,2]=0,0,1,1,2,1,0,0 -> h; " TO_Y("i8[" PADDED "]q(0.25,9)") },
    { "of an input", { 2, 3, 4, 5 }, 1, "MIRROR_PAD ",
      "MIRROR_PAD {mode=1} x i32[4,2]=0,0,1,1,2,1,0,0 -> h; " TO_Y("i8[" PADDED "]q(1,3)") },
    { "without a move", { 2, 3, 4, 5 }, 1, "QUANTIZE ", OF_X "QUANTIZE f -> i:i8[" DIMS "]q(0.25,3); DEQUANTIZE i -> y:f32" },
    { "two moves", { 2, 3, 4, 5 }, 3, "TRANSPOSE ",
      OF_X MIRROR "TRANSPOSE h i32[4]=0,2,1,3 -> t; QUANTIZE t -> i:i8[2,7,5,5]q(0.5,-7); "
      "DEQUANTIZE i -> y:f32; outputs y" },
    { "read elsewhere, too", { 2, 3, 4, 5 }, 2, "MIRROR_PAD ",
      OF_X MIRROR "QUANTIZE h -> i:i8[" PADDED "]q(0.5,-7); DEQUANTIZE i -> y:f32; ABS f -> v; outputs y v" },
    { "a slice", { 2, 3, 4, 5 }, 0, "SLICE ",
      OF_X "SLICE f i32[4]=0,0,1,0 i32[4]=2,3,2,5 -> h; " TO_Y("i8[2,3,2,5]q(0.5,-7)") },
    { "padded with a number", { 2, 3, 4, 5 }, 0, "PADV2 ",
      OF_X "PADV2 f i32[4,2]=0,0,1,1,2,1,0,0 f32[]=2 -> h; " TO_Y("i8[" PADDED "]q(0.5,-7)") },
    { "two are joined", { 2, 3, 4, 5 }, 0, "CONCATENATION ",
      OF_X "CONCATENATION {axis=3} f z -> h; " TO_Y("i8[2,3,4,10]q(0.5,-7)") },
    { "read twice", { 2, 3, 4, 5 }, 0, "MIRROR_PAD ",
      OF_X MIRROR "QUANTIZE h -> i:i8[" PADDED "]q(0.5,-7); DEQUANTIZE i -> y:f32; ABS h -> v; outputs y v" },
    { "an output", { 2, 3, 4, 5 }, 0, "MIRROR_PAD ",
      OF_X MIRROR "QUANTIZE h -> i:i8[" PADDED "]q(0.5,-7); DEQUANTIZE i -> y:f32; outputs y h" },
    { "rows of a table", { 5 }, 0, "GATHER ",
      IDS "GATHER {} f32[5,2]=~1(-4..4) ids -> h:f32; " TO_Y("i8[5,2]q(0.5,-7)") },
    { "rows of a table of f16", { 5 }, 0, "GATHER ",
      IDS "DEQUANTIZE f16[5,2]=~1(-4..4) -> w:f32; GATHER {} w ids -> h:f32; " TO_Y("i8[5,2]q(0.5,-7)") },
    { "to 16 bits", { 2, 3, 4, 5 }, 0, "MIRROR_PAD ", OF_X MIRROR TO_Y("i16[" PADDED "]q(0.5)") },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_requantize, cases)

TEST_FILE(.before = transform_find_device);
