/* Made by flatc of model.fbs. */
#include "model_generated.h"

#include "fuzz/official/verify.h"

extern "C" int official_verify(const uint8_t *bytes, size_t count)
{
    /* As TensorFlow Lite asks: depth 64, a million tables, alignment checked. */
    flatbuffers::Verifier verifier(bytes, count);

    return VerifyModelBuffer(verifier) ? 1 : 0;
}
