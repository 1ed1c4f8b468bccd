/**
 * How Node is started for the control plane's programs: measured settings, given on the command line because a running process cannot change them.
 * Whoever starts the programs in another way (a container image) gives the same ones.
 */

export const NODE_ARGUMENTS: readonly string[] = [
  // The main thread's young generation stays small: garbage is found early, and idle memory with it. Threads have their own (shared/scheduling/worker-thread.ts).
  '--max-semi-space-size=4',
  // So small a generation is collected before threads that could help are awake, and where processors are scarce they are waited for (a read
  // and a write take 3 to 5 % less CPU without, and lists that two processors are busy with are 7 to 10 % more).
  '--no-parallel-scavenge',
  // What belongs to requests under way outlives a young collection or two, and V8 takes that for long life and makes more like it among
  // the old, where it costs more to get rid of (reads over HTTP/2 take a tenth to a fifth less CPU without; writes as much).
  '--no-allocation-site-pretenuring',
  // One thread beside the main one marks the heap: four of them on two processors take twice as long and delay all other
  // threads (docs/decisions/0074-one-marking-thread.md).
  '--concurrent-marking-max-worker-num=1',
  // What a start leaves behind is collected before it has grown (shared/runtime/process/gc-trigger.ts).
  '--expose-gc',
];
