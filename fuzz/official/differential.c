/* Fuzz target: our verifier of the wire format beside that of FlatBuffers itself.
 *
 * What ours accepts, the official one has to accept.  What ours alone refuses has to break one of
 * the rules below, which are stricter by intent.  A run that aborts has found a disagreement that
 * no rule explains. */
#include "fuzz/fuzz_file.h"
#include "fuzz/kit/mutate.h"
#include "fuzz/official/verify.h"
#include "reference/format/flatbuffer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* A rule by two texts of its message. */
static const struct {
    const char *text, *and_text;
} stricter[] = {
    /* The official verifier looks at vtables, and at the place of each field in the file, but not
     * at the size of a table, which may end before its fields, or past the file. */
    { "at byte ", " of the table, which has " },
    { "vtable: size ", " of the table at " },
    /* A vtable has 4 bytes at least: its own size and that of the table. */
    { "vtable: size ", ", of a vtable in a file of " },
    /* An offset 0 in a vector of tables: the table would begin at its own offset. */
    { ": offset 0, in a file of ", "" },
    /* A root inside of the header. */
    { "root: ", "not a table's place" },
    /* Elements of 8 bytes are aligned, for they are read where they lie. */
    { "elements are not aligned", "" },
    /* A union has both a tag and a value, or neither. */
    { "a value, and the union's tag is 0", "" },
    { "no value, and the union's tag is ", "" },
    /* Work in proportion to the file. */
    { "shared too often", "" },
    { "limit tables", "" },
    /* A deprecated field, and a union's member of an unknown tag, are verified all the same. */
    { "deprecated_tag", "" },
    { "SignatureDef.deprecated_tag", "" },
    { "offset 0x", ": options" },
    /* Seen with tags that no union has: with the others both refuse such an offset. */
    { "Operator.builtin_options: ", "offset " },
    { "Operator.builtin_options_2: ", "offset " },
    { "QuantizationParameters.details: ", "offset " },
};

/* A vtable of 2 bytes at the very end of the file, where one of 4 has no room. */
static int is_cut_vtable(const char *text)
{
    const char *const place = strstr(text, "vtable: at ");
    size_t at, file;

    return place &&
           sscanf(place, "vtable: at %zu, unaligned or outside of the file of %zu bytes", &at,
                  &file) == 2 &&
           at < file && file - at < 4;
}

static int is_stricter_by_intent(const char *text)
{
    if (is_cut_vtable(text))
        return 1;
    for (size_t i = 0; i < sizeof stricter / sizeof stricter[0]; i++)
        if (strstr(text, stricter[i].text) && strstr(text, stricter[i].and_text))
            return 1;
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate_model(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const exact = malloc(size ? size : 1);
    struct diag diag = { 0 };
    enum status s;
    int theirs;

    if (!exact)
        return 0;
    if (size)
        memcpy(exact, data, size);
    s = fb_verify(exact, size, &diag);
    theirs = official_verify(exact, size);
    fuzz_expect(s != STATUS_OK || theirs, "official: expected a file that ours accepts to be valid",
                "refused by the official verifier");
    fuzz_expect(s == STATUS_OK || !theirs || is_stricter_by_intent(diag.text),
                "official: expected a rule that is stricter by intent", diag.text);
    free(exact);
    return 0;
}
