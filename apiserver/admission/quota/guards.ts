/**
 * Keys that every write compares and puts which raises the usage of a namespace with quotas, so that no two writes, of whatever replica, are counted from the same
 * state. They hold nothing; namespaces share a fixed number of them. And the writes of this replica wait for each other, for all but one would lose the race.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { KeyListener } from '../../cache/key-listeners';
import type { KeyWrite } from '../../allocation/claims';
import type { Revision } from '../../storage/store';

export const QUOTA_GUARDS = 'quota-guards/';
const GUARDS = 1024;
/** Whoever holds a guard for longer is taken to have come to grief: others go on, and at worst lose a race. */
const LONGEST_HOLD_MS = 1_000;
const NOTHING = Buffer.from('-');

/** A guard that is held. */
export interface HeldGuard {
  /** The revision that whatever is counted has to have seen. */
  readonly revision: Revision;
  readonly write: () => KeyWrite;
  /** Lets the next one go on; `revision` = that of the write, where there was one. */
  readonly release: (revision?: Revision) => void;
}

export class QuotaGuards implements KeyListener {
  private readonly revisions = new Map<string, Revision>();
  /** Those who wait, by guard; there is an entry where one is held. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly prefix: string,
    private readonly clock: Clock,
  ) {}

  onReset(): void {
    this.revisions.clear();
  }

  onKeyChange(key: string, value: Buffer | undefined, revision: Revision): void {
    this.learn(key.slice(QUOTA_GUARDS.length), value === undefined ? undefined : revision);
  }

  /** The guard of a namespace, as soon as nobody else of this replica holds it. */
  async hold(namespace: string): Promise<HeldGuard> {
    const id = idOf(namespace);
    const queue = this.waiting.get(id);
    if (queue === undefined) this.waiting.set(id, []);
    else await new Promise<void>((resolve) => queue.push(resolve));
    let isHeld = true;
    const release = (revision?: Revision): void => {
      if (revision !== undefined) this.learn(id, revision);
      if (!isHeld) return;
      isHeld = false;
      timer.cancel();
      this.next(id);
    };
    const timer = this.clock.after(LONGEST_HOLD_MS, () => release());
    const revision = this.revisions.get(id) ?? 0;
    const write = (): KeyWrite => {
      const key = `${this.prefix}/${QUOTA_GUARDS}${id}`;
      return {
        key,
        modRevision: revision,
        operation: { type: 'put', key, value: NOTHING },
        onConflict: (state) => {
          this.learn(id, state?.modRevision);
          release();
        },
      };
    };
    return { revision, write, release };
  }

  private next(id: string): void {
    const queue = this.waiting.get(id);
    const first = queue?.shift();
    if (first === undefined) this.waiting.delete(id);
    else first();
  }

  private learn(id: string, revision: Revision | undefined): void {
    if (revision === undefined) this.revisions.delete(id);
    else if (revision > (this.revisions.get(id) ?? 0)) this.revisions.set(id, revision);
  }
}

/** Two namespaces of one guard only wait for each other. */
function idOf(namespace: string): string {
  let hash = 0;
  for (let at = 0; at < namespace.length; at += 1) hash = (Math.imul(hash, 31) + namespace.charCodeAt(at)) | 0;
  return String((hash >>> 0) % GUARDS);
}
