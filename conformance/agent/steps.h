/* What a host keeps at an agent, and the steps that it asks for: models by instance, data by id. */
#ifndef ASSAY_CONFORMANCE_AGENT_STEPS_H
#define ASSAY_CONFORMANCE_AGENT_STEPS_H

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/wire.h"
#include "reference/format/model.h"

enum { INSTANCES_MAX = 64, SAME_MAX = 8 };

/* Bytes of the host: a model or an input. */
struct data {
    struct data *next;
    uint64_t id;
    size_t count;
    uint8_t *file;      /* what engines get of a model; bytes show whether it was written to */
    struct model model; /* of file */
    uint8_t bytes[];
};

struct instance {
    uint32_t id;               /* 0: a free place */
    const struct data *data;   /* of the model */
    const struct model *model; /* its */
    bool resized[CASE_INPUTS_MAX];
    int axis; /* that was resized last */
    struct engine *engine;
    struct case_instance x; /* of the last WRITE; borrows data; without inputs: there was none */
};

struct agent {
    struct subject subject;
    TfLiteDelegate *delegate;
    struct data *data;
    struct instance instances[INSTANCES_MAX];
    size_t places; /* of these that were ever used */
    struct wire_out answer;
    char report[256]; /* the last message of whoever runs the model */
    /* The outputs of this RUN's READs, to say "the same as". */
    struct outputs outputs[SAME_MAX];
    int reads;
    double since_s; /* when the last step ended, by clock_s */
};

/* Takes the steps of a RUN of this instance, each with its answer, up to one that no other may
 * follow; returns how many it took. */
unsigned agent_steps(struct agent *a, uint32_t id, unsigned steps, struct wire_in *in);
/* Closes the instance, where there is one of this id. */
void agent_close_instance(struct agent *a, uint32_t id);
/* Gives back these data, 0: all, but those that an instance still needs. */
void agent_forget(struct agent *a, uint64_t id);
/* Gives back all that the agent has. */
void agent_close(struct agent *a);

#endif
