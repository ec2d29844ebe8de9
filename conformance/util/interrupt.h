/* Signals that ask a long run to stop: SIGINT (Ctrl-C), SIGTERM and SIGHUP.
 *
 * The first one is noted, so that the run can stop and keep what it has found; the second one,
 * half a second later or more, ends the program at once. */
#ifndef ASSAY_CONFORMANCE_UTIL_INTERRUPT_H
#define ASSAY_CONFORMANCE_UTIL_INTERRUPT_H

/* From now on signals are noted.  Those that are ignored, as nohup makes them, stay so. */
void interrupt_begin(void);
/* The signal that came since interrupt_begin; 0: none. */
int interrupt_signal(void);
/* Its name, "SIGINT"; NULL: none came. */
const char *interrupt_name(void);
/* From now on signals have their usual effect; what came before is still told. */
void interrupt_end(void);

#endif
