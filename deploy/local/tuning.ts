/**
 * How Node is started for the control plane's programs: measured settings, given on the command line because a running process cannot change them.
 * Whoever starts the programs in another way (a container image) gives the same ones.
 */

/** The young generation stays small: garbage is found early, and idle memory with it. */
export const nodeArguments: readonly string[] = ['--max-semi-space-size=4'];
