/**
 * Triggers a garbage collection after a number of bytes of Buffers were released. Buffers are outside of V8's heap, and
 * V8 starts a collection because of them only when they take 64 MB. By then the allocator is fragmented and does not
 * return the memory to the system. Has no effect unless the process runs with `--expose-gc`
 * (deploy/cluster/node-arguments.ts).
 */
export class GcTrigger {
  private releasedBytes = 0;

  constructor(
    private readonly thresholdBytes: number,
    private readonly collect = (): void => globalThis.gc?.(),
  ) {}

  /** Counts bytes that are no longer referenced. Collects the whole heap, synchronously, when they exceed the threshold. */
  addReleased(bytes: number): void {
    this.releasedBytes += bytes;
    if (this.releasedBytes <= this.thresholdBytes) return;
    this.releasedBytes = 0;
    this.collect();
  }
}
