#include "conformance/suite/census/real_nodes.h"

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
