/* What went wrong last, for a test and its helpers:
 *     KIT_OK(graph_check(&g, &err));
 *     assert_int_equal(graph_check(&cyclic, &err), STATUS_INVALID);
 *     assert_non_null(strstr(err.text, "cycle"));
 * It is empty where a test starts; each thread has its own. A check that a call writes nothing has
 * a struct diag of its own. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_ERR_H
#define ASSAY_REFERENCE_TESTS_KIT_ERR_H

#include "reference/base/diag.h"

extern _Thread_local struct diag err;

/* The call returns STATUS_OK; otherwise the test fails with its message. */
#define KIT_OK_DIAG(call, diag)                                                                    \
    do {                                                                                           \
        const enum status kit_status = (call);                                                     \
        if (kit_status != STATUS_OK)                                                               \
            fail_msg("%s: %s", status_text(kit_status), (diag).text);                              \
    } while (0)
#define KIT_OK(call) KIT_OK_DIAG(call, err)

#endif
