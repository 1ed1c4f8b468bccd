/**
 * Pods that wait for a node: active ones by priority and then in order of addition, and unschedulable ones, which become
 * active again when the cluster changes, but not before their back-off has ended. Holds each pod once.
 */
import { DelayQueue } from '../../../shared/client/work-queue/delay-queue';
import type { Clock } from '../../../shared/runtime/clock';

/** A pod that waits for a change of the cluster. */
interface Unschedulable {
  readonly priority: number;
  /** Milliseconds of the monotonic clock. */
  readonly backOffUntil: number;
}

/** Defaults of `podInitialBackoffSeconds` and `podMaxBackoffSeconds` of kube-scheduler. */
const INITIAL_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 10_000;
/** An unschedulable pod is tried again after this time even if no change was seen. */
const FLUSH_MS = 300_000;

/** Pods are named by their keys. */
export class SchedulingQueue {
  /** The active pods by priority, each set in order of addition. */
  private readonly active = new Map<number, Set<string>>();
  private readonly unschedulable = new Map<string, Unschedulable>();
  /** Failed attempts of each pod until it is bound or deleted, for its back-off. */
  private readonly attempts = new Map<string, number>();
  /** Makes unschedulable pods active at the end of their back-off, or after {@link FLUSH_MS} without a change. */
  private readonly delayed: DelayQueue<string>;

  constructor(
    private readonly clock: Clock,
    /** Called synchronously when a pod becomes active. */
    private readonly onActive: () => void,
  ) {
    this.delayed = new DelayQueue(clock, (key) => this.activate(key));
  }

  /** Makes the pod active at once, behind those of its priority. */
  add(key: string, priority: number): void {
    this.dequeue(key);
    this.push(key, priority);
  }

  /** Removes and returns the first active pod; undefined when there is none. */
  next(): string | undefined {
    if (this.active.size === 0) return undefined;
    const priority = Math.max(...this.active.keys());
    const keys = this.active.get(priority);
    const [key] = keys ?? [];
    if (key !== undefined) this.dequeue(key);
    return key;
  }

  /** Call it after a failed attempt: the pod is tried again after a change, at the earliest after its back-off. */
  addUnschedulable(key: string, priority: number): void {
    const attempts = (this.attempts.get(key) ?? 0) + 1;
    this.attempts.set(key, attempts);
    const backOffMs = Math.min(INITIAL_BACK_OFF_MS * 2 ** (attempts - 1), MAX_BACK_OFF_MS);
    this.dequeue(key);
    this.unschedulable.set(key, { priority, backOffUntil: this.clock.monotonic() + backOffMs });
    this.delayed.add(key, FLUSH_MS);
  }

  /** Makes unschedulable pods active: at once when their back-off has ended, else at its end. */
  activateUnschedulable(isConcerned: (key: string) => boolean = () => true): void {
    const now = this.clock.monotonic();
    for (const [key, { backOffUntil }] of this.unschedulable) {
      if (!isConcerned(key)) continue;
      if (backOffUntil <= now) this.activate(key);
      else this.delayed.add(key, backOffUntil - now);
    }
  }

  /** Call it when the pod was bound or deleted. */
  remove(key: string): void {
    this.dequeue(key);
    this.attempts.delete(key);
  }

  /** Ends the timers; nothing becomes active by itself any more. */
  clear(): void {
    this.delayed.clear();
  }

  private activate(key: string): void {
    const entry = this.unschedulable.get(key);
    if (entry === undefined) return;
    this.unschedulable.delete(key);
    this.push(key, entry.priority);
  }

  private push(key: string, priority: number): void {
    const keys = this.active.get(priority) ?? new Set<string>();
    this.active.set(priority, keys.add(key));
    this.onActive();
  }

  private dequeue(key: string): void {
    this.unschedulable.delete(key);
    for (const [priority, keys] of this.active) {
      if (keys.delete(key) && keys.size === 0) this.active.delete(priority);
    }
  }
}
