/* The table of ops, made from ops.def, and what the kernels share: loads, stores, windows. */
#include "reference/kernels/op.h"

#include "reference/base/checked.h"
#include "reference/base/half.h"
#include "reference/base/packed.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OP(code_, stem, ...) extern const struct ref_family ref_##stem;
#include "reference/ops.def"
#undef OP

static const struct {
    int32_t code;
    const struct ref_family *family;
} rows[] = {
#define OP(code_, stem, ...) { BUILTIN_##code_, &ref_##stem },
#include "reference/ops.def"
#undef OP
};

#define CUSTOM_OP(name, stem) extern const struct ref_family ref_##stem;
#include "reference/kernels/custom_ops.def"
#undef CUSTOM_OP

static const struct {
    const char *name;
    const struct ref_family *family;
} custom_rows[] = {
#define CUSTOM_OP(name_, stem) { name_, &ref_##stem },
#include "reference/kernels/custom_ops.def"
#undef CUSTOM_OP
};

static const struct ref_op *op_of_row(size_t row)
{
    const struct ref_family *const family = rows[row].family;

    for (size_t i = 0; i < family->count; i++) {
        if (family->ops[i].code == rows[row].code)
            return &family->ops[i];
    }
    return NULL;
}

const struct ref_op *ref_at(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? op_of_row(index) : NULL;
}

const struct ref_op *ref_find(int32_t code)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code)
            return op_of_row(i);
    }
    return NULL;
}

const struct ref_op *ref_find_name(const char *name)
{
    const struct ref_op *op;

    for (size_t i = 0; (op = ref_at(i)) != NULL; i++) {
        if (strcmp(op->name, name) == 0)
            return op;
    }
    return NULL;
}

const struct ref_op *ref_find_custom(const char *name)
{
    for (size_t i = 0; i < sizeof custom_rows / sizeof custom_rows[0]; i++) {
        if (strcmp(custom_rows[i].name, name) == 0)
            return &custom_rows[i].family->ops[0];
    }
    return ref_find(builtin_custom_row(name));
}

const char *ref_title(const struct ref_op *op)
{
    const char *const name = op->custom_name ? op->custom_name : builtin_name(op->code);

    return name ? name : "?";
}

enum status ref_fail(const struct ref_call *call, struct diag *diag, enum status s,
                     const char *format, ...)
{
    char text[sizeof diag->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(diag, s, "%s: node %d: %s%s", ref_title(call->op), call->node, text,
                     call->no_options && (s == STATUS_INVALID || s == STATUS_UNSUPPORTED)
                         ? " (builtin_options are absent: all options are 0)"
                         : "");
}

bool ref_known(const struct ref_call *call, int i)
{
    const TfLiteTensor *t;

    if (!ref_has(call, i))
        return false;
    t = call->in[i];
    return call->late || t->allocation_type == kTfLiteMmapRo ||
           t->allocation_type == kTfLitePersistentRo;
}

int ref_rank(const TfLiteTensor *t)
{
    return t->dims ? t->dims->size : 0;
}

int32_t ref_dim(const TfLiteTensor *t, int i)
{
    assert(i >= 0 && i < ref_rank(t));
    return t->dims->data[i];
}

size_t ref_elements(const TfLiteTensor *t)
{
    size_t count;

    if (!t->dims)
        return 1;
    /* SIZE_MAX for a product that does not fit: it equals no count that it is compared with. */
    return checked_elements(t->dims->data, (size_t)t->dims->size, &count) ? count : SIZE_MAX;
}

/* Constants of a file may be aligned to 4 bytes only: read by memcpy. */
#define READ(type)                                                                                 \
    do {                                                                                           \
        type value_;                                                                               \
        memcpy(&value_, t->data.raw_const + i * sizeof value_, sizeof value_);                     \
        return value_;                                                                             \
    } while (0)

double ref_load(const TfLiteTensor *t, size_t i)
{
    if (t->type == kTfLiteFloat16) {
        uint16_t half;

        memcpy(&half, t->data.raw_const + i * sizeof half, sizeof half);
        return half_to_float(half);
    }
    assert(t->type == kTfLiteFloat32);
    READ(float);
}

int64_t ref_load_int(const TfLiteTensor *t, size_t i)
{
    switch (t->type) {
    case kTfLiteInt32: READ(int32_t);
    case kTfLiteInt64: READ(int64_t);
    case kTfLiteInt16: READ(int16_t);
    case kTfLiteInt8: READ(int8_t);
    case kTfLiteUInt8: READ(uint8_t);
    case kTfLiteUInt32: READ(uint32_t);
    case kTfLiteBool: return t->data.raw_const[i] != 0;
    case kTfLiteInt4:
    case kTfLiteInt2:
    case kTfLiteUInt4: return packed_load(t->data.raw_const, t->type, i);
    default: assert(!"an integer tensor"); return 0;
    }
}

void ref_store_detail(struct ref_call *call, int o, size_t i, double value, double magnitude,
                      double terms)
{
    const struct ref_detail *d = call->detail ? &call->detail[o] : NULL;

    if (!d)
        return;
    if (d->value)
        d->value[i] = value;
    if (d->magnitude)
        d->magnitude[i] = magnitude;
    if (d->terms)
        d->terms[i] = terms;
}

void ref_store(struct ref_call *call, int o, size_t i, double value, double magnitude, double terms)
{
    TfLiteTensor *t = call->out[o];

    if (t->type == kTfLiteFloat16) {
        t->data.f16[i].data = double_to_half(value);
    } else {
        assert(t->type == kTfLiteFloat32);
        t->data.f[i] = (float)value;
    }
    ref_store_detail(call, o, i, value, magnitude, terms);
}

static double clamp(double x, double largest)
{
    /* Comparisons with NaN are false, so it passes. */
    return x < -largest ? -largest : x > largest ? largest : x;
}

void ref_store_fused(struct ref_call *call, int o, size_t i, TfLiteFusedActivation act,
                     double value, double magnitude, double terms)
{
    const double largest = call->out[o]->type == kTfLiteFloat16 ? 65504 : FLT_MAX;

    value = ref_activation(act, value);
    ref_store(call, o, i, clamp(value, largest), magnitude, terms);
    ref_store_detail(call, o, i, value, magnitude, terms);
}

/* The bits of the last byte that hold no element become 0, whatever the memory held. */
static void store_packed(TfLiteTensor *t, size_t i, int64_t value)
{
    const unsigned used = (unsigned)((i + 1) * packed_bits(t->type) % 8);

    packed_store(t->data.raw, t->type, i, value);
    if (used != 0 && i + 1 == ref_elements(t))
        t->data.uint8[t->bytes - 1] &= (uint8_t)((1u << used) - 1);
}

void ref_copy(struct ref_call *call, int o, size_t to, const TfLiteTensor *x, size_t from,
              size_t count)
{
    TfLiteTensor *const y = call->out[o];
    const size_t bytes = runtime_type_bits(y->type) / 8;

    if (bytes > 0 && count > 0)
        memcpy(y->data.raw + to * bytes, x->data.raw_const + from * bytes, count * bytes);
    for (size_t i = 0; i < count && bytes == 0; i++)
        store_packed(y, to + i, ref_load_int(x, from + i));
}

void ref_store_int(struct ref_call *call, int o, size_t i, int64_t value)
{
    TfLiteTensor *t = call->out[o];

    switch (t->type) {
    case kTfLiteInt32: t->data.i32[i] = (int32_t)value; break;
    case kTfLiteInt64: t->data.i64[i] = value; break;
    case kTfLiteInt16: t->data.i16[i] = (int16_t)value; break;
    case kTfLiteInt8: t->data.int8[i] = (int8_t)value; break;
    case kTfLiteUInt8: t->data.uint8[i] = (uint8_t)value; break;
    case kTfLiteUInt32: t->data.u32[i] = (uint32_t)value; break;
    case kTfLiteBool: t->data.b[i] = value != 0; break;
    case kTfLiteInt4:
    case kTfLiteInt2:
    case kTfLiteUInt4: store_packed(t, i, value); break;
    default: assert(!"an integer tensor"); return;
    }
    if (!call->detail)
        return;
    value = ref_load_int(t, i);
    ref_store_detail(call, o, i, (double)value, fabs((double)value), 1);
}

double ref_activation(TfLiteFusedActivation act, double x)
{
    double low = -INFINITY, high = INFINITY;

    if (act == kTfLiteActRelu || act == kTfLiteActRelu6)
        low = 0;
    if (act == kTfLiteActReluN1To1)
        low = -1;
    if (act == kTfLiteActRelu6)
        high = 6;
    if (act == kTfLiteActReluN1To1)
        high = 1;
    /* Comparisons with NaN are false, so it passes. */
    return x < low ? low : x > high ? high : x;
}

int64_t ref_activation_int(TfLiteFusedActivation act, int64_t x)
{
    switch (act) {
    case kTfLiteActRelu: return x < 0 ? 0 : x;
    case kTfLiteActReluN1To1: return x < -1 ? -1 : x > 1 ? 1 : x;
    case kTfLiteActRelu6: return x < 0 ? 0 : x > 6 ? 6 : x;
    default: return x;
    }
}

bool ref_window(TfLitePadding padding, int32_t in, int32_t filter, int32_t stride, int32_t dilation,
                struct ref_window *w)
{
    int64_t extent, out, before = 0;

    if (in < 0 || filter < 1 || stride < 1 || dilation < 1)
        return false;
    extent = (int64_t)(filter - 1) * dilation + 1; /* below 2^62 */
    if (padding == kTfLitePaddingSame) {
        int64_t reach; /* padding before and behind */

        out = ((int64_t)in + stride - 1) / stride;
        reach = (out - 1) * stride + extent - in;
        before = out > 0 && reach > 0 ? reach / 2 : 0;
    } else if (padding == kTfLitePaddingValid) {
        if (extent > in)
            return false;
        out = (in - extent) / stride + 1;
    } else {
        return false;
    }
    if (before > INT16_MAX) /* the runtime's largest */
        return false;
    *w = (struct ref_window){ .out = (int32_t)out, .before = (int32_t)before };
    return true;
}

TfLitePadding ref_padding(int32_t file_code)
{
    return file_code == 0   ? kTfLitePaddingSame
           : file_code == 1 ? kTfLitePaddingValid
                            : kTfLitePaddingUnknown;
}
