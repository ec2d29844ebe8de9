/* The agent's half of the protocol (conformance/doc/PROTOCOL.md): it runs what a host asks for. */
#ifndef ASSAY_CONFORMANCE_AGENT_SERVE_H
#define ASSAY_CONFORMANCE_AGENT_SERVE_H

/* Answers a host until it says BYE or hangs up; returns the exit status.  `subject` is as
 * --subject takes it; the host's keys are added.  A host has to know the secret; "": there is none.
 */
int agent_serve(int in, int out, const char *subject, const char *secret);

#endif
