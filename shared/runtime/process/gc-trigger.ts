/**
 * Garbage that V8 would leave lying: memory of Buffers is not of its heap, so it waits for 64 MB of it, and what the allocator has once taken it keeps in pieces. Says when
 * it is to be collected; only a program that is started with --expose-gc (deploy/cluster/tuning.ts) can be told to.
 */
export class GcTrigger {
  private releasedBytes = 0;

  constructor(
    private readonly thresholdBytes: number,
    private readonly collect = (): void => globalThis.gc?.(),
  ) {}

  /** So much is needed no longer. Takes as long as a collection of the whole heap when that makes it more than what may lie about. */
  addReleased(bytes: number): void {
    this.releasedBytes += bytes;
    if (this.releasedBytes <= this.thresholdBytes) return;
    this.releasedBytes = 0;
    this.collect();
  }
}
