/* `assay golden export`: the cases as HDF5, for golden/mint.py to run in the real runtime.
 *
 * Groups and attributes are those of golden files, with every model and input, and no outputs; the
 * attribute refused_by is the rule by which our delegate leaves the case to the CPU, if one does.
 */
#include "conformance/suite/golden/golden.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/golden/file.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"
#include "reference/format/op_options.h"
#include "reference/format/read.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint64_t name_hash(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

/* Whether LiteRT may be asked about a set of a case: in 8 bits not about S1 and S6, whose results
 * mostly saturate, unless the row is about them. */
static bool may_choose(const struct test_case *c, enum data_set set)
{
    return case_has_set(c, set) &&
           (!c->quantized || c->row->byte_sets || (set != SET_POSITIVE && set != SET_ENDS));
}

/* A hash of the name chooses one set of a case, so that every set occurs in every op. */
static enum data_set choose_set(const struct test_case *c)
{
    unsigned count = 0, turn;

    for (int set = SET_COUNT - 1; c->quantized && c->row->byte_sets && set >= 0; set--) {
        if (case_has_set(c, (enum data_set)set))
            return (enum data_set)set;
    }
    for (int set = 0; set < SET_COUNT; set++)
        count += may_choose(c, (enum data_set)set);
    assert(count > 0);
    turn = (unsigned)((name_hash(c->name) >> 32) % count);
    for (int set = 0; set < SET_COUNT; set++) {
        if (may_choose(c, (enum data_set)set) && turn-- == 0)
            return (enum data_set)set;
    }
    return SET_RANDOM;
}

static json_t *field_json(const struct option_field *field, const union option_value *value)
{
    json_t *list;

    switch (field->kind) {
    case OPTION_BOOL: return json_boolean(value->i != 0);
    case OPTION_F32: return json_real(value->f);
    case OPTION_INTS:
        if (!value->ints.data)
            return json_null();
        list = json_array();
        for (size_t i = 0; list && i < value->ints.count; i++)
            json_array_append_new(list, json_integer(value->ints.data[i]));
        return list;
    case OPTION_STRING: return value->text.data ? json_string(value->text.data) : json_null();
    case OPTION_BYTES: return json_integer((json_int_t)value->bytes.count); /* how many */
    default: return json_integer(value->i);
    }
}

/* The parameters as JSON text, fields named as in the schema; freed with free. */
static char *options_json(const struct options *options)
{
    const struct option_table *const table = option_table_find(options->tag);
    json_t *const object = json_object();
    char *text;

    for (size_t i = 0; object && table && i < table->field_count; i++)
        json_object_set_new(object, table->fields[i].name,
                            field_json(&table->fields[i], &options->value[i]));
    text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(object);
    return text;
}

static enum status write_attributes(hid_t group, const struct test_case *c,
                                    const struct case_request *request,
                                    const struct case_instance *instance, const struct model *model,
                                    struct diag *diag)
{
    char model_hash[SHA256_HEX_BYTES], inputs_hash[SHA256_HEX_BYTES];
    const int judged = instance->judged_node >= 0 ? instance->judged_node : 0;
    char *const options = options_json(&model->subgraphs[0].operators[judged].options);
    const char *const rule = c->row->empty ? "tensor.empty" : c->row->refused_by;
    enum status s;

    if (!options)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for the parameters");
    s = h5_write_text(group, "options", options, diag);
    free(options);
    if (s != STATUS_OK)
        return s;
    TRY(golden_hash(instance, model_hash, inputs_hash, diag));
    TRY(h5_write_uint(group, "builtin_code", (uint64_t)c->code, diag));
    TRY(h5_write_uint(group, "op_version", (uint64_t)c->version, diag));
    TRY(h5_write_uint(group, "seed", request->seed, diag));
    if (rule)
        TRY(h5_write_text(group, "refused_by", rule, diag));
    TRY(h5_write_text(group, "data_set", data_set_name(request->set), diag));
    TRY(h5_write_text(group, "model_sha256", model_hash, diag));
    return h5_write_text(group, "inputs_sha256", inputs_hash, diag);
}

static enum status write_data(hid_t group, const struct case_instance *instance,
                              const struct model *model, struct diag *diag)
{
    const struct model_subgraph *const graph = &model->subgraphs[0];
    enum status s = STATUS_OK;
    hid_t inputs;

    if (instance->file.count > INT32_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "a model of %zu bytes", instance->file.count);
    TRY(h5_write_array(group, "model",
                       &(struct h5_array){ .type = kTfLiteUInt8,
                                           .rank = 1,
                                           .dims = { (int32_t)instance->file.count },
                                           .data = instance->file.bytes,
                                           .bytes = instance->file.count },
                       diag));
    TRY(h5_make_group(group, "inputs", &inputs, diag));
    for (size_t i = 0; i < instance->input_count && s == STATUS_OK; i++) {
        const struct model_tensor *const t = &graph->tensors[graph->inputs.data[i]];
        struct h5_array a = { .type = instance->inputs[i].type,
                              .rank = (int)t->shape.count,
                              .data = instance->inputs[i].data[0],
                              .bytes = instance->inputs[i].bytes };
        char name[24];

        if (t->shape.count > H5_RANK_MAX) {
            s = diag_fail(diag, STATUS_UNSUPPORTED, "input %zu has rank %zu", i, t->shape.count);
            break;
        }
        for (int d = 0; d < a.rank; d++)
            a.dims[d] = t->shape.data[d];
        snprintf(name, sizeof name, "%zu", i);
        s = h5_write_array(inputs, name, &a, diag);
    }
    h5_close(inputs);
    return s;
}

static enum status export_case(hid_t file, const struct test_case *c,
                               const struct golden_request *q, struct diag *diag)
{
    const struct case_request request = { .set = choose_set(c),
                                          .seed = q->seed,
                                          .half = bounds_half(q->bounds) };
    struct case_instance instance;
    struct model model = { .version = 0 };
    char path[CASE_NAME_BYTES];
    hid_t group = -1;
    enum status s;

    TRY(case_build(c, &request, &instance, diag));
    golden_case_path(c->name, path);
    s = tflite_read(&model, instance.file.bytes, instance.file.count, diag);
    if (s == STATUS_OK)
        s = h5_make_group(file, path, &group, diag);
    if (s == STATUS_OK)
        s = write_attributes(group, c, &request, &instance, &model, diag);
    if (s == STATUS_OK)
        s = write_data(group, &instance, &model, diag);
    h5_close(group);
    model_close(&model);
    case_instance_close(&instance);
    return diag_prefix(diag, s, "%s", c->name);
}

enum status golden_export(const struct golden_request *request, uint8_t **bytes, size_t *count,
                          struct diag *diag)
{
    const struct selection selection = { .filters = request->filters,
                                         .limit = request->limit,
                                         .shards = 1 };
    struct test_case *cases = NULL;
    struct random_row *graphs = NULL;
    size_t case_count;
    hid_t file = -1, meta = -1;
    struct progress progress;
    enum status s;

    *bytes = NULL;
    *count = 0;
    TRY(cases_list(&cases, &case_count, diag));
    progress_begin(&progress, "golden export", 0, request->quiet);
    if ((s = random_cases_append(request->seed, request->graphs, &cases, &case_count, &graphs,
                                 diag)) != STATUS_OK ||
        (s = select_cases(cases, &case_count, &selection, diag)) != STATUS_OK ||
        (s = h5_image_open(&file, diag)) != STATUS_OK ||
        (s = h5_make_group(file, "meta", &meta, diag)) != STATUS_OK ||
        (s = h5_write_uint(meta, "schema", GOLDEN_SCHEMA, diag)) != STATUS_OK ||
        (s = h5_write_text(meta, "assay", ASSAY_VERSION, diag)) != STATUS_OK)
        goto end;
    progress.total = (double)case_count;
    for (size_t i = 0; i < case_count && s == STATUS_OK; i++) {
        progress_update(&progress, (double)i, "%zu of %zu: %s", i + 1, case_count, cases[i].name);
        s = export_case(file, &cases[i], request, diag);
    }
end:
    progress_end(&progress);
    h5_close(meta);
    mem_free(graphs);
    mem_free(cases);
    if (s != STATUS_OK) {
        h5_close(file);
        return s;
    }
    return h5_image_close(file, bytes, count, diag);
}
