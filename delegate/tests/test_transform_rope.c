/* The nodes of a rotary embedding become one. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* clang-format off */
/* Angles are whole numbers here, so that all sums are exact. */
#define ANGLES(dims, half)                                                                         \
    "SLICE z i32[4]=0,0,0,0 i32[4]=" dims " -> c0; ABS c0 -> c; "                                  \
    "SLICE z i32[4]=0,0,0," half " i32[4]=" dims " -> d0; ABS d0 -> d; "
#define HALVES(all, half)                                                                          \
    "SLICE x i32[4]=0,0,0,0 i32[4]=" all "," half " -> a; "                                        \
    "SLICE x i32[4]=0,0,0," half " i32[4]=" all "," half " -> b; "
#define TURN                                                                                       \
    "MUL {} a c -> ac; MUL {} b d -> bd; MUL {} b c -> bc; MUL {} a d -> ad; "
#define SUMS "SUB {} ac bd -> s; ADD {} bc ad -> t; "
#define JOIN "CONCATENATION {axis=3} s t -> y"

static const struct transform_case cases[] = {
    { "a row", { 1, 1, 2, 8 }, 1, "ROPE node 12 'y'",
      ANGLES("1,1,1,4", "4") HALVES("1,1,2", "4") TURN SUMS JOIN },
    { "positions", { 2, 3, 5, 16 }, 1, "ROPE ",
      ANGLES("1,3,1,8", "8") HALVES("2,3,5", "8") TURN SUMS JOIN },
    { "angles of heads", { 2, 3, 5, 8 }, 1, "ROPE ",
      ANGLES("1,1,5,4", "4") HALVES("2,3,5", "4") TURN SUMS JOIN },
    { "angles of batches", { 2, 3, 5, 8 }, 1, "ROPE ",
      ANGLES("2,1,1,4", "4") HALVES("2,3,5", "4") TURN SUMS JOIN },
    /* Operands the other way round. */
    { "other order", { 2, 3, 5, 8 }, 1, "ROPE ",
      ANGLES("1,3,1,4", "4") HALVES("2,3,5", "4")
      "MUL {} c a -> ac; MUL {} d b -> bd; MUL {} c b -> bc; MUL {} d a -> ad; "
      "SUB {} ac bd -> s; ADD {} ad bc -> t; CONCATENATION {axis=-1} s t -> y" },
    /* Another node reads what lies between. */
    { "half is read", { 1, 2, 3, 8 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,4", "4") HALVES("1,2,3", "4") TURN SUMS JOIN "; ABS a -> y2" },
    { "product is read", { 1, 2, 3, 8 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,4", "4") HALVES("1,2,3", "4") TURN SUMS JOIN "; ABS ad -> y2" },
    /* Nearly an embedding: the other way, the first half behind, other angles, angles that are the
     * same in the middle, halves that are no whole slices. */
    { "turned back", { 1, 2, 3, 8 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,4", "4") HALVES("1,2,3", "4") TURN "SUB {} bd ac -> s; ADD {} bc ad -> t; " JOIN },
    { "swapped", { 1, 2, 3, 8 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,4", "4") HALVES("1,2,3", "4") TURN SUMS "CONCATENATION {axis=3} t s -> y" },
    { "other angles", { 1, 2, 3, 8 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,4", "4") HALVES("1,2,3", "4")
      "MUL {} a c -> ac; MUL {} b d -> bd; MUL {} b d -> bc; MUL {} a c -> ad; " SUMS JOIN },
    { "gap", { 2, 3, 5, 8 }, 0, "CONCATENATION ",
      ANGLES("2,1,5,4", "4") HALVES("2,3,5", "4") TURN SUMS JOIN },
    { "no slices", { 1, 2, 3, 6 }, 0, "CONCATENATION ",
      ANGLES("1,2,1,3", "3") HALVES("1,2,3", "3") TURN SUMS JOIN },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_rope, cases)

TEST_FILE(.before = transform_find_device);
