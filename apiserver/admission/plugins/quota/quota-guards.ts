/**
 * Guards against concurrent quota violations. A write that raises usage in a namespace compares and puts a guard key in
 * its transaction. Of two writes that counted usage from the same state, even on two replicas, only one can succeed.
 * The keys have no content. There is a fixed number of them, so that several namespaces may share one. The writes of
 * one replica queue for a guard, since all but one would lose the race.
 */
import type { Clock } from '../../../../shared/runtime/clock';
import type { KeyListener } from '../../../cache/key-listeners';
import type { KeyWrite } from '../../../allocation/claims';
import type { Revision } from '../../../storage/store';

/** Prefix of the guard keys, relative to the prefix of the store: `quota-guards/17`. */
export const QUOTA_GUARD_PREFIX = 'quota-guards/';
/** Number of guard keys. */
const GUARD_COUNT = 1024;
/**
 * After this time the next request gets the guard, so that a slow request does not delay the others. If both then
 * write, one of them fails at the comparison and is retried.
 */
const MAX_HOLD_MS = 1_000;
/** The content of a guard key, which is not read. */
const GUARD_VALUE = Buffer.from('-');

/** A guard that no other request of this replica holds. A request of another replica may hold the same guard. */
export interface HeldGuard {
  /**
   * The revision of the last known write with this guard; 0 when there is none. The cache must have it before usage is
   * counted.
   */
  readonly revision: Revision;
  /**
   * For the transaction of the object: puts the guard key and fails unless the key is at `revision`. A conflict
   * releases the guard.
   */
  readonly write: () => KeyWrite;
  /** Wakes the next waiter. Calls after the first have no effect on waiters. `revision`: of the committed transaction. */
  readonly release: (revision?: Revision) => void;
}

/**
 * The guards of this replica, with the revisions of their keys. Learns the revisions as a listener of the keys, from
 * its own commits, and from conflicts.
 */
export class QuotaGuards implements KeyListener {
  /** The last known revision of each guard key, by guard. */
  private readonly revisions = new Map<string, Revision>();
  /** Waiters by guard. A guard that is held has an entry, even without waiters. */
  private readonly waitersByGuard = new Map<string, (() => void)[]>();

  constructor(
    private readonly prefix: string,
    private readonly clock: Clock,
  ) {}

  onReset(): void {
    this.revisions.clear();
  }

  onKeyChange(key: string, value: Buffer | undefined, revision: Revision): void {
    this.updateRevision(key.slice(QUOTA_GUARD_PREFIX.length), value === undefined ? undefined : revision);
  }

  /** Acquires the guard of a namespace; waits while another request of this replica holds it. */
  async acquire(namespace: string): Promise<HeldGuard> {
    const id = guardIdOf(namespace);
    const waiters = this.waitersByGuard.get(id);
    if (waiters === undefined) this.waitersByGuard.set(id, []);
    else await new Promise<void>((resolve) => waiters.push(resolve));
    let isHeld = true;
    const release = (revision?: Revision): void => {
      if (revision !== undefined) this.updateRevision(id, revision);
      if (!isHeld) return;
      isHeld = false;
      timer.cancel();
      this.wakeNext(id);
    };
    const timer = this.clock.after(MAX_HOLD_MS, () => release());
    const revision = this.revisions.get(id) ?? 0;
    const write = (): KeyWrite => {
      const key = `${this.prefix}/${QUOTA_GUARD_PREFIX}${id}`;
      return {
        key,
        modRevision: revision,
        operation: { type: 'put', key, value: GUARD_VALUE },
        onConflict: (state) => {
          this.updateRevision(id, state?.modRevision);
          release();
        },
      };
    };
    return { revision, write, release };
  }

  /** Passes the guard to the next waiter, or releases it. */
  private wakeNext(id: string): void {
    const waiters = this.waitersByGuard.get(id);
    const wake = waiters?.shift();
    if (wake === undefined) this.waitersByGuard.delete(id);
    else wake();
  }

  /** Ignores a revision that is older than the known one. `undefined`: the key was deleted. */
  private updateRevision(id: string, revision: Revision | undefined): void {
    if (revision === undefined) this.revisions.delete(id);
    else if (revision > (this.revisions.get(id) ?? 0)) this.revisions.set(id, revision);
  }
}

/** The guard of a namespace, from a hash of its name. Namespaces that share a guard wait for each other. */
function guardIdOf(namespace: string): string {
  let hash = 0;
  for (let index = 0; index < namespace.length; index += 1) hash = (Math.imul(hash, 31) + namespace.charCodeAt(index)) | 0;
  return String((hash >>> 0) % GUARD_COUNT);
}
