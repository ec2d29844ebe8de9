/* DEQUANTIZE and QUANTIZE around elementwise nodes of floats become part of them. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* Steps of 1/2 and 1/4, of which all floats here are exact in f16, too. */
#define DIMS     "2,2,3,5"
#define HALVES   ":i8[" DIMS "]q(0.5,-7)"
#define QUARTERS ":u8[" DIMS "]q(0.25,100)"
#define OF_X     "QUANTIZE x -> a" HALVES "; DEQUANTIZE a -> f:f32; "
#define OF_Z     "QUANTIZE z -> b" QUARTERS "; DEQUANTIZE b -> g:f32; "
#define OF_SUM                                                                                     \
    "SUM {keep_dims=true} z i32[2]=1,2 -> s; QUANTIZE s -> b:i8[2,1,1,5]q(0.5,3); "                \
    "DEQUANTIZE b -> g:f32; "
#define TO_Y(type) "QUANTIZE h -> i:" type "; DEQUANTIZE i -> y:f32; outputs y"
/* clang-format off */
static const struct transform_case cases[] = {
    { "one operand", { 2, 2, 3, 5 }, 1, "NEG+QUANTIZE ", OF_X "NEG f -> h; " TO_Y("i8[" DIMS "]q(0.5,3)") },
    { "to u8", { 2, 2, 3, 5 }, 1, "ABS+QUANTIZE ", OF_X "ABS f -> h; " TO_Y("u8[" DIMS "]q(0.25,9)") },
    { "clamped", { 2, 2, 3, 5 }, 1, "SQUARE+QUANTIZE ",
      OF_X "SQUARE f -> h; " TO_Y("i8[" DIMS "]q(0.0625,-128)") },
    { "no number", { 2, 2, 3, 5 }, 1, "SQRT+QUANTIZE ",
      "QUANTIZE x -> a:i8[" DIMS "]q(4,0); DEQUANTIZE a -> f:f32; SQRT f -> h; " TO_Y("i8[" DIMS "]q(2,-9)") },
    { "two operands", { 2, 2, 3, 5 }, 1, "SQUARED_DIFFERENCE+QUANTIZE ",
      OF_X OF_Z "SQUARED_DIFFERENCE {} f g -> h; " TO_Y("i8[" DIMS "]q(0.5,-128)") },
    { "the first is broadcast", { 2, 2, 3, 5 }, 1, "SUB+QUANTIZE ",
      OF_X OF_SUM "SUB {} g f -> h; " TO_Y("u8[" DIMS "]q(0.5,128)") },
    { "the second is broadcast", { 2, 2, 3, 5 }, 1, "SUB+QUANTIZE ",
      OF_X OF_SUM "SUB {} f g -> h; " TO_Y("i8[" DIMS "]q(0.5,0)") },
    { "the same twice", { 2, 2, 3, 5 }, 1, "MUL+QUANTIZE ",
      OF_X "MUL {} f f -> h; " TO_Y("i8[" DIMS "]q(0.25,-20)") },
    { "a constant of channels", { 2, 2, 3, 5 }, 1, "SUB+QUANTIZE ",
      OF_X "SUB {} f32[5]=~7(-2..2) f -> h; " TO_Y("i8[" DIMS "]q(0.5,1)") },
    { "an activation", { 2, 2, 3, 5 }, 1, "ADD+QUANTIZE ",
      OF_X OF_Z "ADD {fused_activation_function=RELU} f g -> h; " TO_Y("i8[" DIMS "]q(0.25,-1)") },
    { "read elsewhere, too", { 2, 2, 3, 5 }, 1, "NEG+QUANTIZE ",
      OF_X "NEG f -> h; QUANTIZE h -> i:i8[" DIMS "]q(0.5,3); DEQUANTIZE i -> y:f32; ABS f -> v; outputs y v" },
    { "one is a float", { 2, 2, 3, 5 }, 0, "ADD ", OF_X "ADD {} f z -> h; " TO_Y("i8[" DIMS "]q(0.5,3)") },
    { "read twice", { 2, 2, 3, 5 }, 0, "NEG ",
      OF_X "NEG f -> h; QUANTIZE h -> i:i8[" DIMS "]q(0.5,3); DEQUANTIZE i -> y:f32; ABS h -> v; outputs y v" },
    { "an output", { 2, 2, 3, 5 }, 0, "NEG ",
      OF_X "NEG f -> h; QUANTIZE h -> i:i8[" DIMS "]q(0.5,3); DEQUANTIZE i -> y:f32; outputs y h" },
    { "to 16 bits", { 2, 2, 3, 5 }, 0, "NEG ", OF_X "NEG f -> h; " TO_Y("i16[" DIMS "]q(0.5)") },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_byte_chain, cases)

TEST_FILE(.before = transform_find_device);
