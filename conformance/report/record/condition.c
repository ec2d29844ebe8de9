#include "conformance/report/record/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool holds(enum relation relation, double value, double x)
{
    switch (relation) {
    case IS: return x == value;
    case IS_NOT: return !isnan(x) && x != value;
    case AT_LEAST: return x >= value;
    case AT_MOST: return x <= value;
    case DIVIDES: return fmod(x, value) == 0;
    case DIVIDES_NOT: return !isnan(x) && fmod(x, value) != 0;
    case HAS: return !isnan(x);
    case LACKS: return isnan(x);
    }
    return false;
}

bool condition_holds(const struct condition *c, const double *row)
{
    return holds(c->relation, c->value, row[c->fact]);
}

struct claim condition_claim(const struct condition *c, const struct facts *facts)
{
    return (struct claim){ facts->list[c->fact], c->relation, c->value };
}

static bool claim_holds(const struct claim *c, const struct anatomy_node *node, const char *type)
{
    double x = NAN;

    switch (c->fact.kind) {
    case FACT_CLASS: x = facts_has_class(node->classes, type, c->fact.name) ? 1 : NAN; break;
    case FACT_TYPE: x = strcmp(type, c->fact.name) == 0 ? 1 : NAN; break;
    case FACT_SHAPE: x = facts_number(node->numbers, c->fact.name); break;
    default: return false;
    }
    return (c->fact.kind != FACT_SHAPE || !isnan(x)) && holds(c->relation, c->value, x);
}

bool claims_hold(const struct claim *claims, size_t count, const struct anatomy_node *node,
                 const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (!claim_holds(&claims[i], node, type))
            return false;
    return count > 0;
}

void condition_print(const struct condition *c, const struct facts *facts, char *text, size_t bytes)
{
    const struct fact *const f = &facts->list[c->fact];
    const char *const in = f->kind == FACT_NUMBER ? " in the name" : "";
    static const char *const signs[] = {
        [IS] = "==", [IS_NOT] = "!=", [AT_LEAST] = ">=", [AT_MOST] = "<="
    };

    if (f->kind == FACT_CLASS) {
        const char *const class = facts_class_text(f->name);
        const int article = strncmp(class, "a ", 2) == 0    ? 2
                            : strncmp(class, "an ", 3) == 0 ? 3
                                                            : 0;

        snprintf(text, bytes, "%s%s", c->relation == LACKS ? "no " : "",
                 class + (c->relation == LACKS ? article : 0));
    } else if (f->kind == FACT_TYPE)
        snprintf(text, bytes, "type %s%s", c->relation == LACKS ? "other than " : "", f->name);
    else if (f->kind == FACT_WORD || f->kind == FACT_STEM)
        snprintf(text, bytes, "%s '%s%s' in the name", c->relation == LACKS ? "no" : "word",
                 f->name, f->kind == FACT_STEM ? "*" : "");
    else if (c->relation == DIVIDES || c->relation == DIVIDES_NOT)
        snprintf(text, bytes, "%s %% %.0f %s 0%s", f->name, c->value,
                 c->relation == DIVIDES ? "==" : "!=", in);
    else
        snprintf(text, bytes, "%s %s %.10g%s", f->name, signs[c->relation], c->value, in);
}

double condition_log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}
