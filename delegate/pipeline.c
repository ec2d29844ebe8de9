#include "delegate/pipeline.h"

#include "delegate/spirv.h"
#include "reference/memory.h"

#include <stdio.h>
#include <string.h>

struct pipeline {
    struct pipeline *next;
    const struct spirv *shader;
    uint32_t spec[PLAN_SPEC_MAX];
    uint32_t spec_count;
    VkPipeline handle;
};

static atomic_ullong made;

uint64_t device_pipelines_made(void)
{
    return atomic_load(&made);
}

static const struct spirv *find_shader(const char *name, bool half)
{
    char full[64];

    snprintf(full, sizeof full, "%s.%s", name, half ? "f16" : "f32");
    for (size_t i = 0; i < spirv_shader_count; i++)
        if (strcmp(spirv_shaders[i].name, full) == 0)
            return &spirv_shaders[i];
    return NULL;
}

static enum status create(struct device *d, struct pipeline *p, struct diag *diag)
{
    VkSpecializationMapEntry entries[PLAN_SPEC_MAX];
    const VkSpecializationInfo specialization = { p->spec_count, entries,
                                                  p->spec_count * sizeof p->spec[0], p->spec };
    const VkShaderModuleCreateInfo module_info = { .sType =
                                                       VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                   .codeSize = p->shader->bytes,
                                                   .pCode = p->shader->words };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .pName = "main",
                   .pSpecializationInfo = &specialization },
        .layout = d->layout
    };
    VkResult r;

    for (uint32_t i = 0; i < p->spec_count; i++)
        entries[i] =
            (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof p->spec[0], sizeof p->spec[0] };
    r = vkCreateShaderModule(d->handle, &module_info, NULL, &info.stage.module);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, device_fail(diag, "vkCreateShaderModule", r), "shader %s",
                           p->shader->name);
    r = vkCreateComputePipelines(d->handle, VK_NULL_HANDLE, 1, &info, NULL, &p->handle);
    vkDestroyShaderModule(d->handle, info.stage.module, NULL);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, device_fail(diag, "vkCreateComputePipelines", r), "shader %s",
                           p->shader->name);
    atomic_fetch_add(&made, 1);
    return STATUS_OK;
}

static enum status find_or_create(struct device *d, const struct plan_step *step, bool half,
                                  VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(step->shader, half);
    struct pipeline *p;
    enum status s;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    for (p = d->pipelines; p; p = p->next)
        if (p->shader == shader && p->spec_count == step->spec_count &&
            memcmp(p->spec, step->spec, p->spec_count * sizeof p->spec[0]) == 0) {
            *out = p->handle;
            return STATUS_OK;
        }
    if (!(p = mem_alloc(1, sizeof *p)))
        return diag_fail(diag, STATUS_NO_MEMORY, "shader %s: out of memory", shader->name);
    p->shader = shader;
    p->spec_count = step->spec_count;
    memcpy(p->spec, step->spec, sizeof p->spec);
    if ((s = create(d, p, diag)) != STATUS_OK) {
        mem_free(p);
        return s;
    }
    p->next = d->pipelines;
    d->pipelines = p;
    *out = p->handle;
    return STATUS_OK;
}

enum status device_pipeline(struct device *d, const struct plan_step *step, bool half,
                            VkPipeline *out, struct diag *diag)
{
    enum status s;

    pthread_mutex_lock(&d->pipeline_lock);
    s = find_or_create(d, step, half, out, diag);
    pthread_mutex_unlock(&d->pipeline_lock);
    return s;
}

void pipelines_close(struct device *d)
{
    while (d->pipelines) {
        struct pipeline *p = d->pipelines;

        d->pipelines = p->next;
        vkDestroyPipeline(d->handle, p->handle, NULL);
        mem_free(p);
    }
}
