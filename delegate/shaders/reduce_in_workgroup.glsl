// Reductions over the invocations of a workgroup, whose size in x is a power of two.
#ifndef REDUCE_IN_WORKGROUP_GLSL
#define REDUCE_IN_WORKGROUP_GLSL

// Shared memory of the reductions: one element an invocation.
#define REDUCE_MEMORY(type) shared type part[gl_WorkGroupSize.x];

// Defines `type name(type mine)`: combine() of the values that all invocations pass, for each of
// them. All must call it.  Between two reductions stands a barrier(), since an invocation may still
// read the result of the first one.
#define REDUCE_IN_WORKGROUP(type, name, combine)                                                   \
    type name(type mine)                                                                           \
    {                                                                                              \
        const uint me = gl_LocalInvocationID.x;                                                    \
        part[me] = mine;                                                                           \
        for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {                                  \
            barrier();                                                                             \
            if (me < n)                                                                            \
                part[me] = combine(part[me], part[me + n]);                                        \
        }                                                                                          \
        barrier();                                                                                 \
        return part[0];                                                                            \
    }

#define ADD(a, b) ((a) + (b))

#endif
