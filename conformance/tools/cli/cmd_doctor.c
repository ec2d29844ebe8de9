/* assay doctor: what of a machine works, and what keeps the rest from working. */
#include "conformance/suite/subject/litert_find.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/conformance_setup.h"
#include "conformance/tools/cli/device_list.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Cases whose kernels most models need: floats, 8 bits, weights of 4 bits. */
static const char *const known_answers[] = {
    "conv_2d.f32.c3",
    "depthwise_conv_2d.f32.c3",
    "fully_connected.f32.k3_u3",
    "softmax.f32.c4",
    "transpose_conv.f32.in2",
    "resize_bilinear.f32.up_c3",
    "mean.f32.hw_c3",
    "lstm.f32.d2",
    "fully_connected.w4.batch1_spike",
    "conv_2d.i8.c7",
    "conv_2d.u8.c3",
    "fully_connected.i8.k31_u31",
    "average_pool_2d.i8.c3",
    "softmax.i8.c8",
    "add.i8.c6",
};

/* What one subject answered on one device. */
struct answers {
    size_t right, declined, judged; /* judged: of those that it runs */
    char label[256];
    char why[1024]; /* the first that is not right; what the device lacks; empty: none */
    bool not_run;   /* the device lacks what it needs */
};

struct patient {
    const struct assay_gpu_device *device;
    struct answers answers[CONFORMANCE_SUBJECTS_MAX];
    size_t count;
};

struct checkup {
    const struct args_common *common;
    struct device_list devices;
    char no_device[1024]; /* why there is no list of them; empty: there is one */
    struct patient *patients;
    size_t patient_count;
    glob_t manifests; /* of drivers */
    char litert[PATH_MAX], no_litert[1024];
};

/* ---- what the loader finds ---- */

/* The loader reads the manifests that one of the variables names, else those of the directories. */
static const char *named_drivers(void)
{
    const char *const files = getenv("VK_DRIVER_FILES");

    return files && *files ? files : getenv("VK_ICD_FILENAMES");
}

static void find_manifests(struct checkup *x)
{
    static const char *const patterns[] = { "/usr/local/etc/vulkan/icd.d/*.json",
                                            "/usr/local/share/vulkan/icd.d/*.json",
                                            "/etc/vulkan/icd.d/*.json",
                                            "/usr/share/vulkan/icd.d/*.json" };

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        glob(patterns[i], i == 0 ? 0 : GLOB_APPEND, NULL, &x->manifests);
}

/* What a process that lists devices says: a driver that crashes there ends that process alone. */
struct listing {
    struct device_list list;
    enum status status;
    char text[1024];
};

static void serve_listing(int socket, void *user)
{
    static struct listing found;
    struct diag diag = { .status = STATUS_OK };

    found.status = device_list_read(&found.list, user, &diag);
    snprintf(found.text, sizeof found.text, "%s", diag.text);
    process_write(socket, &found, sizeof found);
    process_leave(0);
}

static enum status list_apart(struct checkup *x, struct diag *diag)
{
    static struct listing found;
    char *const delegate = (char *)x->common->delegate;
    struct process p = { .pid = 0 };
    char end[64], words[256];
    int status;

    TRY(process_start(&p, PROCESS_OUTPUT_LOG, serve_listing, delegate, diag));
    process_expect(&p, 60);
    if (process_wait(&p) == PROCESS_READABLE && process_read(p.socket, &found, sizeof found)) {
        process_end(&p, false);
        x->devices = found.list;
        return found.status == STATUS_OK ? STATUS_OK
                                         : diag_fail(diag, found.status, "%s", found.text);
    }
    process_last_words(&p, words, sizeof words);
    if (p.event == PROCESS_READABLE) { /* its end, which it need not be told */
        status = process_end(&p, false);
        process_describe_end(status, end, sizeof end);
        return diag_fail(diag, STATUS_DEVICE, "a driver ended the process: %s%s%s", end,
                         words[0] ? "; " : "", words);
    }
    process_end(&p, true);
    return diag_fail(diag, STATUS_DEVICE, "a driver did not list its devices within 60 s");
}

/* ---- known answers ---- */

static void count_answers(const struct run_request *q, const struct run_outcome *o, size_t subject,
                          struct answers *a)
{
    for (size_t c = 0; c < q->case_count; c++) {
        const struct case_result *const r = &o->results[subject * q->case_count + c];

        if (!subject_runs(&q->subjects[subject], &q->cases[c]))
            continue;
        a->judged++;
        a->right += r->status == CASE_PASS;
        a->declined += r->status == CASE_DECLINED;
        if (r->status != CASE_PASS && !a->why[0])
            snprintf(a->why, sizeof a->why, "%s: %s: %s", q->cases[c].name,
                     case_status_name(r->status), r->reason);
    }
}

/* Subjects whose device lacks what they need do not run; one that cannot be made at all is why. */
static enum status probe(const struct run_request *q, struct patient *p, struct diag *diag)
{
    struct prober prober = { .subjects = q->subjects, .timeout_s = q->timeout_s };
    enum status s = STATUS_OK;

    p->count = q->subject_count;
    for (size_t i = 0; i < q->subject_count && s != STATUS_NO_MEMORY; i++) {
        struct answers *const a = &p->answers[i];
        struct judge_device device;
        struct diag why = { .status = STATUS_OK };

        snprintf(a->label, sizeof a->label, "%s", q->subjects[i].label);
        s = prober_try(&prober, i, &device, &why);
        if (s == STATUS_OK)
            continue;
        a->not_run = s == STATUS_NO_DEVICE && q->subjects[i].optional;
        a->judged = !a->not_run;
        snprintf(a->why, sizeof a->why, "%s", conformance_lack(&q->subjects[i], why.text));
        snprintf(q->subjects[i].not_run, sizeof q->subjects[i].not_run, "%.479s", why.text);
    }
    prober_close(&prober);
    return s == STATUS_NO_MEMORY ? diag_fail(diag, s, "out of memory") : STATUS_OK;
}

static enum status answer(const struct run_request *q, struct patient *p, struct diag *diag)
{
    struct run_outcome outcome = { .results = NULL };
    enum status s;

    TRY(probe(q, p, diag));
    s = runner_run(q, &outcome, diag);
    for (size_t i = 0; s == STATUS_OK && i < p->count; i++) {
        if (!q->subjects[i].not_run[0])
            count_answers(q, &outcome, i, &p->answers[i]);
    }
    run_outcome_close(&outcome);
    return s;
}

static enum status examine(const struct checkup *x, struct patient *p, struct diag *diag)
{
    char index[32];
    const char *items[] = { index };
    static struct subject subjects[CONFORMANCE_SUBJECTS_MAX];
    struct conformance_request q = {
        .common = *x->common,
        .selection.filters = { (const char **)known_answers,
                               sizeof known_answers / sizeof known_answers[0] },
        .habits = "none",
    };
    struct conformance_cases cases = { .items = NULL };
    struct run_request request = {
        .subjects = subjects, .seed = 1, .jobs = 1, .timeout_s = 120, .quiet = x->common->quiet
    };
    enum status s;

    memset(subjects, 0, sizeof subjects);
    snprintf(index, sizeof index, "device=%d", p->device->index);
    q.common.delegate_option = (struct string_list){ items, 1 };
    s = conformance_open_subjects(&q, subjects, &request.subject_count, diag);
    if (s == STATUS_OK)
        s = conformance_open_cases(&q, &cases, diag);
    request.cases = cases.items;
    request.case_count = cases.count;
    if (s == STATUS_OK)
        s = answer(&request, p, diag);
    conformance_close_cases(&cases);
    for (size_t i = 0; i < request.subject_count; i++)
        subject_close(&subjects[i]);
    return s;
}

static enum status examine_all(struct checkup *x, struct diag *diag)
{
    x->patients = mem_alloc(x->devices.count + 1, sizeof *x->patients);
    if (!x->patients)
        return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < x->devices.count; i++) {
        struct patient *const p = &x->patients[x->patient_count++];

        p->device = &x->devices.items[i];
        if (p->device->usable)
            TRY(examine(x, p, diag));
    }
    return STATUS_OK;
}

static bool is_right(const struct answers *a)
{
    return a->right == a->judged;
}

/* ---- reports ---- */

static int verdict(const struct checkup *x)
{
    bool usable = false, right = true;

    for (size_t i = 0; i < x->patient_count; i++) {
        usable = usable || x->patients[i].device->usable;
        for (size_t k = 0; k < x->patients[i].count; k++)
            right = right && is_right(&x->patients[i].answers[k]);
    }
    return !usable ? EXIT_NO_DEVICE : right ? EXIT_AS_EXPECTED : EXIT_FAILED;
}

static void print_drivers(FILE *f, const struct checkup *x)
{
    const char *const named = named_drivers();

    if (named)
        fprintf(f, "drivers     %s, as the environment says\n", named);
    else if (x->manifests.gl_pathc == 0)
        fprintf(f, "drivers     none: no manifest in /usr/share/vulkan/icd.d or /etc/vulkan/icd.d; "
                   "Debian has Mesa's in mesa-vulkan-drivers\n");
    for (size_t i = 0; !named && i < x->manifests.gl_pathc; i++)
        fprintf(f, "%-11s %s\n", i == 0 ? "drivers" : "", x->manifests.gl_pathv[i]);
}

static void print_answers(FILE *f, const struct answers *a)
{
    if (a->not_run) {
        fprintf(f, "   answers     %s: not run: %s\n", a->label, a->why);
        return;
    }
    fprintf(f, "   answers     %s: %zu of %zu right", a->label, a->right, a->judged);
    if (a->declined > 0)
        fprintf(f, ", %zu declined", a->declined);
    fprintf(f, "%s%s\n", is_right(a) ? "" : "; ", is_right(a) ? "" : a->why);
}

static void print_text(FILE *f, const struct checkup *x)
{
    print_drivers(f, x);
    fprintf(f, "LiteRT      %s\n", x->no_litert[0] ? x->no_litert : x->litert);
    if (x->no_device[0])
        fprintf(f, "devices     none: %s\n", x->no_device);
    for (size_t i = 0; i < x->patient_count; i++) {
        const struct patient *const p = &x->patients[i];

        device_print(f, p->device);
        for (size_t k = 0; k < p->count; k++)
            print_answers(f, &p->answers[k]);
    }
    if (verdict(x) != EXIT_NO_DEVICE)
        fprintf(f, "\ndoctor: %s\n",
                verdict(x) == EXIT_AS_EXPECTED ? "all works"
                                               : "a device answers WRONGLY, or not at all");
}

static json_t *patient_json(const struct patient *p)
{
    json_t *const o = device_json(p->device), *const list = json_array();

    for (size_t k = 0; k < p->count; k++) {
        const struct answers *const a = &p->answers[k];

        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I, s:b, s:o}", "subject",
                                              json_text(a->label), "right", (json_int_t)a->right,
                                              "declined", (json_int_t)a->declined, "judged",
                                              (json_int_t)a->judged, "not_run", a->not_run, "why",
                                              json_text(a->why[0] ? a->why : NULL)));
    }
    json_object_set_new(o, "answers", list);
    return o;
}

static void print_json(FILE *f, const struct checkup *x)
{
    json_t *const o = json_object(), *const devices = json_array(), *const drivers = json_array();

    for (size_t i = 0; !named_drivers() && i < x->manifests.gl_pathc; i++)
        json_array_append_new(drivers, json_text(x->manifests.gl_pathv[i]));
    if (named_drivers())
        json_array_append_new(drivers, json_text(named_drivers()));
    for (size_t i = 0; i < x->patient_count; i++)
        json_array_append_new(devices, patient_json(&x->patients[i]));
    json_object_set_new(o, "drivers", drivers);
    json_object_set_new(o, "litert", json_text(x->no_litert[0] ? NULL : x->litert));
    json_object_set_new(o, "no_device", json_text(x->no_device[0] ? x->no_device : NULL));
    json_object_set_new(o, "devices", devices);
    json_object_set_new(o, "works", json_boolean(verdict(x) == EXIT_AS_EXPECTED));
    json_dumpf(o, f, JSON_INDENT(2));
    fputc('\n', f);
    json_decref(o);
}

static int print(const struct checkup *x)
{
    struct output out;
    int code;

    if (!output_open(&out)) {
        message_error("doctor", "out of memory");
        return EXIT_FAILED;
    }
    if (x->common->format == FORMAT_JSON)
        print_json(out.file, x);
    else
        print_text(out.file, x);
    out.fold = x->common->format == FORMAT_TEXT;
    code = output_close(&out, x->common->out, false);
    if (code == EXIT_AS_EXPECTED && (code = verdict(x)) == EXIT_NO_DEVICE)
        message_error("doctor", "no device can be used");
    return code;
}

/* ---- the command ---- */

/* A machine without a device is what this command is for: it is reported, not an error. */
static enum status look(struct checkup *x, struct diag *diag)
{
    struct diag why = { .status = STATUS_OK };
    enum status s;

    find_manifests(x);
    if (litert_find(NULL, x->litert, &why) != STATUS_OK)
        snprintf(x->no_litert, sizeof x->no_litert, "%s", why.text);
    s = list_apart(x, diag);
    if (s == STATUS_NO_DEVICE || s == STATUS_DEVICE) {
        snprintf(x->no_device, sizeof x->no_device, "%s", diag->text);
        return STATUS_OK;
    }
    TRY(s);
    return examine_all(x, diag);
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct checkup x;
    const char *delegate = NULL;
    const struct args_flag flags[] = {
        ARG("delegate", ARGS_STRING, &delegate, "PATH", "delegate library (default: ours)"),
    };
    struct diag diag = { .status = STATUS_OK };
    struct args_common common;
    int code;

    if (!args_parse(self, argc, argv, flags, 1, ARGS_FORMAT | ARGS_QUIET, &common, NULL, 0, 0,
                    &code))
        return code;
    common.delegate = delegate;
    x.common = &common;
    conformance_prepare_environment(1);
    code = look(&x, &diag) == STATUS_OK ? print(&x) : message_fail(self->name, &diag);
    globfree(&x.manifests);
    mem_free(x.patients);
    return code;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "say what works on this machine: drivers, devices, known answers",
    .synopsis = "[FLAG]...",
    .description =
        "Lists the manifests of Vulkan drivers that the loader reads, where LiteRT is, and the "
        "devices with their limits and features; then runs fifteen cases of the suite on each "
        "device that can be used, in fp32, fp16, exact and float view, and compares the answers "
        "with the scalar reference.  A driver that crashes or hangs is named; it ends a process "
        "of its own.\n\n"
        "The exit code is 1 when an answer is wrong or missing, and 3 when no device can be used.",
    .examples = "  assay doctor\n"
                "  assay doctor --format=json\n"
                "  VK_LOADER_DEBUG=error assay doctor    # with the words of the Vulkan loader\n",
    .run = run,
};
