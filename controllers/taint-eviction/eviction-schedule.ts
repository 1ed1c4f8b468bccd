/**
 * Schedules the eviction of pods: a timer for each pod that tolerates its node's taints for a limited time. Calls back
 * once for each pod that is due. The counterpart of upstream's TimedWorkerQueue.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';

interface ScheduledEviction {
  /** Of the pod. */
  readonly uid: string;
  /** Undefined once the eviction is due. */
  timer: Timer | undefined;
}

/**
 * Pods are named by key and uid: another pod with the same key replaces the eviction of the first. `onDue` gets the
 * key.
 */
export class EvictionSchedule {
  private readonly evictions = new Map<string, ScheduledEviction>();

  constructor(
    private readonly clock: Clock,
    private readonly onDue: (key: string) => void,
  ) {}

  /** Makes the eviction due at once. Returns whether it was scheduled for later; does nothing when it is due already. */
  evictNow(key: string, uid: string): boolean {
    if (this.isDue(key, uid)) return false;
    const wasScheduled = this.cancel(key, uid);
    this.evictions.set(key, { uid, timer: undefined });
    this.onDue(key);
    return wasScheduled;
  }

  /** Ignored when the pod has a scheduled eviction already. */
  evictAfter(key: string, uid: string, ms: number): void {
    if (this.evictions.get(key)?.uid === uid) return;
    this.remove(key);
    const eviction: ScheduledEviction = { uid, timer: undefined };
    this.evictions.set(key, eviction);
    this.startTimer(key, eviction, this.clock.monotonic() + ms);
  }

  /** Cancels an eviction that is not due yet. Returns whether there was one. */
  cancel(key: string, uid: string): boolean {
    const eviction = this.evictions.get(key);
    if (eviction?.timer === undefined || eviction.uid !== uid) return false;
    this.remove(key);
    return true;
  }

  /** Call it when the pod was deleted. */
  remove(key: string): void {
    this.evictions.get(key)?.timer?.cancel();
    this.evictions.delete(key);
  }

  /** Cancels all evictions, when the controller ends. */
  clear(): void {
    for (const key of [...this.evictions.keys()]) this.remove(key);
  }

  /** Whether the eviction of this pod was called back and the pod has not been removed since. */
  isDue(key: string, uid: string): boolean {
    const eviction = this.evictions.get(key);
    return eviction !== undefined && eviction.uid === uid && eviction.timer === undefined;
  }

  /** A timer with a very long delay may fire early: it is started again then. */
  private startTimer(key: string, eviction: ScheduledEviction, dueAt: number): void {
    const delay = Math.max(0, dueAt - this.clock.monotonic());
    eviction.timer = this.clock.after(delay, () => {
      if (this.clock.monotonic() < dueAt) return this.startTimer(key, eviction, dueAt);
      eviction.timer = undefined;
      this.onDue(key);
    });
  }
}
