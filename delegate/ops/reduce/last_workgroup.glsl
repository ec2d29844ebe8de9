// Finds out which of several workgroups is done last: it goes on with what the others have written
// to `coherent` buffers.  Counters are words of the buffer of weights, behind them.  Each workgroup
// counts one; the last one counts back to 0, for the next inference.
layout(set = 0, binding = 2) coherent buffer Counters { uint counters[]; };

shared bool is_last;

// A workgroup that runs alone, for the sake of the code of the pipeline, is not counted, and no
// surplus one.
bool is_counted()
{
    const uint workgroups = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z;
    return group() < args.count && workgroups >= args.count;
}

// True in the last of so many workgroups with this counter: all of them have written what they
// wrote before they called it.  All invocations of a workgroup call it.
bool is_last_of(uint workgroups, uint counter)
{
    memoryBarrierBuffer();
    barrier(); // the workgroup has written its part
    if (gl_LocalInvocationIndex == 0u) {
        memoryBarrierBuffer();
        is_last = is_counted() && atomicAdd(counters[counter], 1u) == workgroups - 1u;
        if (is_last)
            atomicExchange(counters[counter], 0u);
        memoryBarrierBuffer();
    }
    barrier(); // the workgroup knows whether it is the last one
    memoryBarrierBuffer();
    return is_last;
}
