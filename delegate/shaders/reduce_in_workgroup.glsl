// Reductions over the invocations of a workgroup, whose number is a power of two.
#ifndef REDUCE_IN_WORKGROUP_GLSL
#define REDUCE_IN_WORKGROUP_GLSL

#define REDUCERS (gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z)
// Shared memory of the reductions: one element an invocation.
#define REDUCE_MEMORY(type) shared type reduced[REDUCERS];

// Defines `type name(type mine)`: combine() of the values that all invocations pass, for each of
// them. All must call it.  Between two reductions stands a barrier(), since an invocation may still
// read the result of the first one.  Halves are added to halves, two at a time, since a barrier
// costs more than an addition: the order, and so the bits of a sum, is that of one at a time.
#define REDUCE_IN_WORKGROUP(type, name, combine)                                                   \
    type name(type mine)                                                                           \
    {                                                                                              \
        const uint me = gl_LocalInvocationIndex;                                                   \
        reduced[me] = mine;                                                                        \
        uint n = REDUCERS;                                                                         \
        while (n > 1u) {                                                                           \
            barrier();                                                                             \
            const bool fours = n > 2u;                                                             \
            n /= fours ? 4u : 2u;                                                                  \
            if (me < n) {                                                                          \
                const type left =                                                                  \
                    fours ? combine(reduced[me], reduced[me + 2u * n]) : reduced[me];              \
                const type right =                                                                 \
                    fours ? combine(reduced[me + n], reduced[me + 3u * n]) : reduced[me + n];      \
                reduced[me] = combine(left, right);                                                \
            }                                                                                      \
        }                                                                                          \
        barrier();                                                                                 \
        return reduced[0];                                                                         \
    }

#define ADD(a, b) ((a) + (b))

#endif
