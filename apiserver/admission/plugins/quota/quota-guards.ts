/**
 * Guards against concurrent quota violations: every write that raises usage in a namespace compares and puts a guard
 * key, so that two writes on any replicas cannot be counted from the same state. Keys have no content, and namespaces
 * share a fixed number of them. Writes of one replica queue for the guard, since all but one would lose the race.
 */
import type { Clock } from '../../../../shared/runtime/clock';
import type { KeyListener } from '../../../cache/key-listeners';
import type { KeyWrite } from '../../../allocation/claims';
import type { Revision } from '../../../storage/store';

/** Of the guard keys, below the prefix of the store. */
export const QUOTA_GUARD_PREFIX = 'quota-guards/';
const GUARD_COUNT = 1024;
/** A guard that is held for longer is taken over; the worst outcome is a lost race. */
const MAX_HOLD_MS = 1_000;
const GUARD_VALUE = Buffer.from('-');

/** A guard that no other request of this replica holds; other replicas are excluded only by the write. */
export interface HeldGuard {
  /** The revision that the cache must have before usage is counted. */
  readonly revision: Revision;
  /** Compares and puts the guard key; a conflict releases the guard. Belongs into the transaction of the object. */
  readonly write: () => KeyWrite;
  /** Wakes the next waiter; `revision` = that of the transaction, when it was committed. */
  readonly release: (revision?: Revision) => void;
}

/** The guards of this replica, with their revisions as far as the cache has seen them. A listener of their keys. */
export class QuotaGuards implements KeyListener {
  private readonly revisions = new Map<string, Revision>();
  /** Waiters by guard; a guard that is held has an entry. */
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

  private wakeNext(id: string): void {
    const waiters = this.waitersByGuard.get(id);
    const wake = waiters?.shift();
    if (wake === undefined) this.waitersByGuard.delete(id);
    else wake();
  }

  private updateRevision(id: string, revision: Revision | undefined): void {
    if (revision === undefined) this.revisions.delete(id);
    else if (revision > (this.revisions.get(id) ?? 0)) this.revisions.set(id, revision);
  }
}

/** Namespaces with the same guard only wait for each other. */
function guardIdOf(namespace: string): string {
  let hash = 0;
  for (let index = 0; index < namespace.length; index += 1) hash = (Math.imul(hash, 31) + namespace.charCodeAt(index)) | 0;
  return String((hash >>> 0) % GUARD_COUNT);
}
