/**
 * Arguments of Node for the control plane's programs. The settings are measured and must be on the command line,
 * because a running process cannot change them. Other ways to start the programs (a container image) must use the same
 * ones.
 */

export const NODE_ARGUMENTS: readonly string[] = [
  // A small young generation of the main thread is collected early and keeps idle memory small. Worker threads have
  // their own size (shared/scheduling/worker-thread.ts).
  '--max-semi-space-size=4',
  // Such a small generation is collected before helper threads are awake, and with few processors it waits for them
  // (without: a read and a write take 3 to 5 % less CPU; lists that keep two processors busy are 7 to 10 % more).
  '--no-parallel-scavenge',
  // Data of requests in progress survives a young collection or two; V8 takes it for long-lived and pretenures more of
  // its kind into the old generation, where collection is more expensive (without: reads over HTTP/2 take a tenth to a
  // fifth less CPU; writes as much).
  '--no-allocation-site-pretenuring',
  // One concurrent marking thread. Four threads on two processors take twice as long for the same work and displace
  // other threads (docs/decisions/0074-one-marking-thread.md).
  '--concurrent-marking-max-worker-num=1',
  // Garbage of the start is collected early (shared/runtime/process/gc-trigger.ts).
  '--expose-gc',
];
