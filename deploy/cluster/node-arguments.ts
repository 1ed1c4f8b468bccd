/**
 * Arguments of Node for the control plane's programs. They must be on the command line, because a running process cannot
 * change them; every other way to start the programs, such as a container image, must pass the same ones. Each is here
 * because a measurement showed its benefit; the comments state what it changes.
 */

export const NODE_ARGUMENTS: readonly string[] = [
  // A small young generation of the main thread is collected early, which keeps idle memory small. Worker threads have
  // their own size (shared/scheduling/worker-thread.ts).
  '--max-semi-space-size=4',
  // V8 collects such a small generation before its helper threads are awake; where processors are scarce, the main thread
  // waits for them. With this argument a read and a write take 3 to 5 % less CPU, and the throughput of lists that keep
  // two processors busy is 7 to 10 % higher.
  '--no-parallel-scavenge',
  // Data of a request in progress survives one or two young collections. V8 then takes data of its kind for long-lived and
  // allocates it in the old generation, where collection is more expensive. With this argument reads and writes over
  // HTTP/2 take a tenth to a fifth less CPU.
  '--no-allocation-site-pretenuring',
  // One concurrent marking thread. Four threads on two processors take twice as long for the same work and displace
  // other threads (docs/decisions/0074-one-marking-thread.md).
  '--concurrent-marking-max-worker-num=1',
  // Lets the program collect the garbage of its start early (shared/runtime/process/gc-trigger.ts).
  '--expose-gc',
];
