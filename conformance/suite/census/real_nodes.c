#include "conformance/suite/census/real_nodes.h"

#include <string.h>

static const struct census_kind real[] = {
#define REAL_NODES(nodes, models, op, operands, options)                                           \
    { op "\t" operands "\t" options, nodes, models, 0 },
#include "conformance/suite/census/real_nodes.def"
#undef REAL_NODES
};

const struct census_kind *real_nodes_at(size_t i)
{
    return i < sizeof real / sizeof real[0] ? &real[i] : NULL;
}

double real_nodes_share(const char *kind)
{
    const size_t length = strlen(kind);
    uint64_t all = 0, found = 0;

    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        const char *const text = real[i].text;

        all += real[i].nodes;
        if (strncmp(text, kind, length) == 0 && (text[length] == '\t' || text[length] == '\0'))
            found += real[i].nodes;
    }
    return (double)found / (double)all;
}
