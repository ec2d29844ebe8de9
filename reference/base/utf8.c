/* Decodes UTF-8 as RFC 3629 has it. */
#include "reference/base/utf8.h"

size_t utf8_decode(const char *text, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *const at = (const unsigned char *)text;
    const size_t length = at[0] < 0x80   ? 1
                          : at[0] < 0xc0 ? 0
                          : at[0] < 0xe0 ? 2
                          : at[0] < 0xf0 ? 3
                          : at[0] < 0xf8 ? 4
                                         : 0;
    uint32_t value = length == 1 ? at[0] : length ? at[0] & (0x7fu >> length) : 0;

    *code = value;
    if (at[0] < 0x80)
        return at[0] ? 1 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *code = UTF8_REPLACEMENT;
            return 1;
        }
        value = value << 6 | (at[i] & 0x3f);
    }
    if (length == 0 || value < least[length] || value > 0x10ffff ||
        (value >= 0xd800 && value < 0xe000)) {
        *code = UTF8_REPLACEMENT;
        return 1;
    }
    *code = value;
    return length;
}
