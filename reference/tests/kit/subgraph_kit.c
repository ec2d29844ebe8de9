#include "reference/tests/kit/subgraph_kit.h"

#include "reference/tests/kit/text_kit.h"

/* ---- WHILE ---- */

#define LOOP                                                                                       \
    "tensors x:f32[2]\n"                                                                           \
    "WHILE {cond_subgraph_index=1 body_subgraph_index=2} zero:i32[]=0 x -> n:i32[] y:f32[2]\n"     \
    "graph\n"                                                                                      \
    "tensors i:i32[] v:f32[2]\n"                                                                   \
    "inputs i v\n"
#define BODY                                                                                       \
    "graph\n"                                                                                      \
    "tensors i:i32[] v:f32[2] next:i32[] result:f32[2]\n"                                          \
    "ADD {} i one:i32[]=1 -> next\n"

void kit_loop(struct model *m, int steps, bool grows)
{
    char table[128] = "";

    assert_true(steps < 60);
    for (int i = 0; i < steps; i++)
        strcat(table, "1,");
    /* Whether i is below steps: element i of a table. */
    kit_text(m,
             LOOP
             "tensors at:i32[1] end:i32[1] more:bool[]\n"
             "RESHAPE i one:i32[1]=1 -> at\n"
             "ADD {} at one -> end\n"
             "STRIDED_SLICE:4 {shrink_axis_mask=1} table:bool[%d]=%s0 at end one -> more\n" BODY
             "%s v v -> result",
             steps + 1, table, grows ? "CONCATENATION {}" : "ADD {}");
}

void kit_endless_loop(struct model *m)
{
    kit_text(m, LOOP "tensors yes:bool[]=1\noutputs yes\n" BODY "ADD {} v v -> result");
}

/* ---- IF ---- */

void kit_branches(struct model *m, bool wide)
{
    kit_text(m,
             "IF {then_subgraph_index=1 else_subgraph_index=2} c:bool[1] x:f32[1,2] -> y:f32[1,2]\n"
             "RELU y -> z:f32[1,2]\n"
             "graph\n"
             "ADD {} x:f32[1,2] x -> y:f32[1,2]\n"
             "graph\n"
             "%s",
             wide ? "CONCATENATION {axis=1} x:f32[1,2] x -> y:f32[1,4]"
                  : "tensors x:f32[1,2]; inputs x; outputs x");
}

void kit_ring(struct model *m, int length, int to)
{
    MEMORY_FILE(f, text);

    for (int i = 0; i < length; i++) {
        const int next = i + 1 < length ? i + 1 : to;

        fprintf(f, "%stensors x:f32[1,2] y:f32[1,2]\n", i > 0 ? "graph\n" : "");
        if (next >= 0)
            fprintf(f, "IF {then_subgraph_index=%d else_subgraph_index=%d} yes:bool[1]=1 x -> y\n",
                    next, next);
        else
            fprintf(f, "ADD {} x x -> y\n");
    }
    fclose(f);
    kit_text(m, "%s", text);
}

void kit_chain(struct model *m, int length)
{
    kit_ring(m, length, -1);
}

/* ---- variables ---- */

void kit_variables(struct model *m, bool assigns)
{
    kit_text(m,
             "CALL_ONCE {init_subgraph_index=1}\n"
             "tensors x:f32[2] y:f32[2] sum:f32[2] z:f32[2]\n"
             "VAR_HANDLE {shared_name=total} -> total:resource[]\n"
             "READ_VARIABLE total -> y\n"
             "ADD {} x y -> sum\n"
             "ASSIGN_VARIABLE total sum\n"
             "VAR_HANDLE {shared_name=total} -> total:resource[]\n"
             "READ_VARIABLE @5 -> z\n"
             "outputs y z\n"
             "graph\n"
             "tensors seven:f32[2]=7\n"
             "VAR_HANDLE {shared_name=other} -> other:resource[]\n"
             "ASSIGN_VARIABLE other seven\n"
             "%s",
             assigns ? "tensors ten:f32[2]=10\n"
                       "VAR_HANDLE {shared_name=total} -> total:resource[]\n"
                       "ASSIGN_VARIABLE total ten\n"
                     : "");
}

/* ---- detection ---- */

void kit_detection_options(struct flex_writer *w)
{
    static const char *const scales[] = { "y_scale", "x_scale", "h_scale", "w_scale" };

    *w = (struct flex_writer){ 0 };
    flex_write_int(w, "max_detections", 3);
    flex_write_int(w, "max_classes_per_detection", 1);
    flex_write_int(w, "num_classes", 2);
    flex_write_float(w, "nms_score_threshold", 0.25f);
    flex_write_float(w, "nms_iou_threshold", 0.5f);
    for (size_t i = 0; i < 4; i++)
        flex_write_float(w, scales[i], 1);
}

void kit_detection(struct model *m, int boxes, int columns, int32_t type, const void *options,
                   size_t count)
{
    const char *const t = type == TENSOR_UINT8 ? "u8" : "f32";
    const char *const q = type == TENSOR_UINT8 ? "q(0.25)" : "";
    char bytes[1024] = "";
    size_t n = 0;

    assert_true(2 * count + 16 < sizeof bytes);
    if (options)
        n += (size_t)sprintf(bytes, "bytes(");
    for (size_t i = 0; i < count; i++)
        n += (size_t)sprintf(bytes + n, "%02x", ((const uint8_t *)options)[i]);
    kit_text(m,
             "CUSTOM(TFLite_Detection_PostProcess) %s%s in:%s[1,%d,4]%s in:%s[1,%d,%d]%s "
             "in:%s[%d,4]%s -> out:f32[1,1,4] out:f32[1,1] out:f32[1,1] out:f32[1]",
             bytes, options ? ")" : "", t, boxes, q, t, boxes, columns, q, t, boxes, q);
}
