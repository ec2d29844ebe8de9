/* Tables that are shared: what the reader keeps of them is in proportion to the file.  Each row is
 * a file of MANY times one table, with as many bytes behind it as make it just not shared too
 * often: the file that costs most. */
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/flatbuffer_write.h"
#include "reference/format/read.h"

#include <string.h>

/* SECURITY.md names it: bytes of memory for a byte of the file. */
enum { MANY = 20000, COST_MAX = 12 };

struct shared_row {
    const char *name;
    enum schema_table of;
    unsigned slot; /* of the model, or of its subgraph */
};

static const struct shared_row rows[] = {
    { "tensors", SCHEMA_Tensor, SubGraph_tensors },
    { "operators", SCHEMA_Operator, SubGraph_operators },
    { "operator codes", SCHEMA_OperatorCode, Model_operator_codes },
    { "buffers", SCHEMA_Buffer, Model_buffers },
    { "metadata", SCHEMA_Metadata, Model_metadata },
};

static bool of_graph(const struct shared_row *r)
{
    return r->of == SCHEMA_Tensor || r->of == SCHEMA_Operator;
}

/* A vector of count times one table. */
static void repeat(struct fb_writer *w, size_t link, struct fb_draft *d, size_t count)
{
    const size_t item = fbw_tables(w, link, count);
    uint32_t first;

    fbw_table(w, item, d);
    if (w->status != STATUS_OK)
        return;
    memcpy(&first, w->bytes + item, sizeof first);
    for (size_t i = 1; i < count; i++) {
        const uint32_t offset = first - (uint32_t)(4 * i);

        memcpy(w->bytes + item + 4 * i, &offset, sizeof offset);
    }
}

static void write_shared(struct fb_writer *w, const struct shared_row *r)
{
    struct fb_draft model = { .schema = SCHEMA_Model }, graph = { .schema = SCHEMA_SubGraph };
    struct fb_draft code = { .schema = SCHEMA_OperatorCode }, buffer = { .schema = SCHEMA_Buffer };
    static const unsigned vectors[] = { SubGraph_tensors, SubGraph_inputs, SubGraph_outputs,
                                        SubGraph_operators };
    struct fb_draft table = { .schema = r->of };

    fbw_offset(&table, Operator_inputs, r->of == SCHEMA_Operator);
    fbw_offset(&table, Operator_outputs, r->of == SCHEMA_Operator);
    fbw_open(w, NULL);
    fbw_int(w, &model, Model_version, 3);
    fbw_offset(&model, Model_operator_codes, true);
    fbw_offset(&model, Model_subgraphs, true);
    fbw_offset(&model, Model_buffers, true);
    fbw_offset(&model, Model_metadata, r->of == SCHEMA_Metadata);
    fbw_table(w, 0, &model);
    repeat(w, model.at[Model_operator_codes], &code, r->of == SCHEMA_OperatorCode ? MANY : 1);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        fbw_offset(&graph, vectors[i], true);
    fbw_table(w, fbw_tables(w, model.at[Model_subgraphs], 1), &graph);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (of_graph(r) && vectors[i] == r->slot)
            repeat(w, graph.at[r->slot], &table, MANY);
        else
            fbw_vector(w, graph.at[vectors[i]], NULL, 0, 4, 4);
    if (r->of == SCHEMA_Operator) {
        fbw_vector(w, table.at[Operator_inputs], NULL, 0, 4, 4);
        fbw_vector(w, table.at[Operator_outputs], NULL, 0, 4, 4);
    }
    repeat(w, model.at[Model_buffers], &buffer, r->of == SCHEMA_Buffer ? MANY : 1);
    if (r->of == SCHEMA_Metadata)
        repeat(w, model.at[Model_metadata], &table, MANY);
}

/* Reads the file with `count` bytes in all, those behind the flatbuffer zero; bytes: of memory. */
static enum status cost(const uint8_t *file, size_t count, long long *bytes, struct diag *diag)
{
    const long long before = mem_live_bytes();
    struct model m;
    enum status s;

    *diag = (struct diag){ .status = STATUS_OK };
    s = tflite_read(&m, file, count, diag);
    *bytes = mem_live_bytes() - before;
    if (s == STATUS_OK)
        model_close(&m);
    return s;
}

TEST(shared_tables_cost_in_proportion)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fb_writer w CLOSED_BY(fbw_close);
        size_t refused, taken;
        long long bytes;
        uint8_t *file CLOSED_BY(kit_mem_free);

        write_shared(&w, &rows[i]);
        assert_int_equal(w.status, STATUS_OK);
        refused = w.count;
        taken = refused * 64;
        assert_non_null(file = mem_alloc(taken, 1));
        memcpy(file, w.bytes, w.count);
        if (cost(file, refused, &bytes, &err) != STATUS_INVALID ||
            !strstr(err.text, "shared too often"))
            fail_msg("%s: %s", rows[i].name, err.text);
        if (cost(file, taken, &bytes, &err) != STATUS_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
        while (taken - refused > 1) {
            const size_t half = refused + (taken - refused) / 2;

            if (cost(file, half, &bytes, &err) == STATUS_OK)
                taken = half;
            else
                refused = half;
        }
        assert_int_equal(cost(file, taken, &bytes, &err), STATUS_OK);
        print_message("%s: %lld bytes of memory for a file of %zu: %.1f times\n", rows[i].name,
                      bytes, taken, (double)bytes / (double)taken);
        if (bytes > (long long)taken * COST_MAX)
            fail_msg("%s: above %d times the file", rows[i].name, COST_MAX);
    }
}
