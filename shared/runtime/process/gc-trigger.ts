/**
 * Triggers a garbage collection after a number of bytes of Buffers were released. Buffer memory is outside of V8's
 * heap: V8 collects it only at 64 MB, and by then the allocator is fragmented and does not return the memory. Has no
 * effect unless the process runs with `--expose-gc` (deploy/cluster/node-arguments.ts).
 */
export class GcTrigger {
  private releasedBytes = 0;

  constructor(
    private readonly thresholdBytes: number,
    private readonly collect = (): void => globalThis.gc?.(),
  ) {}

  /** Counts bytes that are no longer referenced. Beyond the threshold it collects, synchronously, the whole heap. */
  addReleased(bytes: number): void {
    this.releasedBytes += bytes;
    if (this.releasedBytes <= this.thresholdBytes) return;
    this.releasedBytes = 0;
    this.collect();
  }
}
