/**
 * Garbage that V8 would leave lying: memory of Buffers is not of its heap, so it waits for 64 MB of it, and what the allocator has once taken it keeps in pieces. Says when
 * it is to be collected; only a program that is started with --expose-gc (deploy/cluster/tuning.ts) can be told to.
 */
export class Garbage {
  private bytes = 0;

  constructor(
    private readonly most: number,
    private readonly collect = (): void => globalThis.gc?.(),
  ) {}

  /** So much is needed no longer. Takes as long as a collection of the whole heap when that makes it more than what may lie about. */
  dropped(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.most) return;
    this.bytes = 0;
    this.collect();
  }
}
