/**
 * Of several copies of a program one leads: the one that holds a Lease. It renews the Lease; when it stops it gives the Lease back, and
 * when it dies another takes over once the Lease has not changed for its duration, by the watcher's own clock. Clocks of different
 * machines are never compared.
 *
 * A leader that was paused cannot know that its term is over before it looks, so its writes carry a fence (shared/api/identity/fencing.ts) that the
 * server checks. Each term has a number of transitions of its own, also when one holder follows itself.
 *
 * A term may lie within one of another Lease, whose holder runs this election as long as it leads there: the Lease says so, and is free as soon as the
 * outer term is over or its holder silent. So a process renews one Lease often, and the many that lie within seldom.
 */
import { isFenceInForce, type Fence } from '../../api/identity/fencing';
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import { isAlreadyExists, isConflict, isNotFound } from '../rest/api-error';
import { keyOf, type ApiObject } from '../rest/api-object';
import { leaseRecord, releasedLease, renewedLease, takenLease, type LeaseRecord } from './lease-record';
import { resourceOf } from '../rest/resource';
import type { RequestOptions, RestClient } from '../rest/rest-client';
import { pause } from '../signals';

export interface LeaderElectionOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lease: Place;
  /** Names this copy; no other copy may have it. */
  readonly identity: string;
  /** After so long without a sign of the leader, another takes over. Milliseconds. */
  readonly durationMs: number;
  /** A leader renews after half of this time, and gives up when it could not renew for all of it. Less than the duration. Milliseconds. */
  readonly renewDeadlineMs: number;
  /** Between two attempts to renew, and two looks at another's Lease. Milliseconds. */
  readonly retryMs: number;
  /** The term of another Lease that this copy has while the election runs. */
  readonly within?: Fence | undefined;
  /** Told when leading begins and ends. */
  readonly onChange?: (isLeading: boolean) => void;
}

export interface Term {
  readonly fence: Fence;
  /** Aborts when the term ends, whatever the reason. */
  readonly signal: AbortSignal;
}

const LEASES = resourceOf('coordination.v1.Lease');
/** An answer that takes longer is taken to be lost. Milliseconds. */
const STROKE_MS = 1_000;
const CALL_MS = 5_000;
/** Added to the wait for another's Lease, so that it has certainly run out. Milliseconds. */
const SLACK_MS = 50;

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** What is known of another's Lease, and since when it has not changed (monotonic milliseconds). */
interface Observation {
  readonly version: string;
  readonly since: number;
}

interface Acquired {
  readonly lease: ApiObject;
  /** Monotonic milliseconds when the write that acquired the Lease was sent. */
  readonly takenAt: number;
}

/** A leader's own Lease; gone when the term is lost. */
interface Held {
  lease: ApiObject | undefined;
  /** Monotonic milliseconds at which the last successful renewal was sent. */
  renewedAt: number;
}

export class LeaderElection {
  /** Of others' Leases, by namespace and name: the one that is waited for, and those within which its terms have lain. */
  private readonly observations = new Map<string, Observation>();
  /** The holder that was last said to be waited for. */
  private awaited: string | undefined;

  constructor(private readonly options: LeaderElectionOptions) {}

  /**
   * Waits for leadership, calls `lead` for each term, and begins anew when a term is lost, until the signal is aborted. `lead` must end
   * soon after its term's signal; only then is the Lease given back. A `lead` that ends by itself ends the run; one that fails rejects it.
   */
  async run(signal: AbortSignal, lead: (term: Term) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const acquired = await this.acquire(signal);
      if (acquired === undefined) return;
      if (await this.lead(acquired, signal, lead)) return;
    }
  }

  /** The Lease once it is this copy's; undefined when the signal is aborted first. */
  private async acquire(signal: AbortSignal): Promise<Acquired | undefined> {
    const { logger, lease } = this.options;
    while (!signal.aborted) {
      let waitMs: number;
      try {
        const outcome = await this.tryAcquire(signal);
        if (outcome.type === 'taken') return outcome;
        waitMs = outcome.waitMs;
      } catch (error) {
        if (signal.aborted) return undefined;
        waitMs = this.retryMs();
        if (!isConflict(error) && !isAlreadyExists(error)) logger.warn('cannot look at the lease', { lease: lease.name, error });
      }
      await this.waitForChange(waitMs, signal);
    }
    return undefined;
  }

  private async tryAcquire(
    signal: AbortSignal,
  ): Promise<(Acquired & { readonly type: 'taken' }) | { readonly type: 'wait'; readonly waitMs: number }> {
    const { client, clock, lease: place, identity, durationMs, within } = this.options;
    const call = { signal, timeoutMs: CALL_MS };
    const found = await this.find(place, call);
    const record = found === undefined ? undefined : leaseRecord(found);
    if (found !== undefined && record !== undefined) {
      const waitMs = await this.remaining(found, record, call);
      if (waitMs > 0) {
        this.sayWaiting(record.holder);
        return { type: 'wait', waitMs: Math.min(waitMs + SLACK_MS, this.retryMs()) };
      }
    }
    const fence = { ...place, holder: identity, transitions: record === undefined ? 0 : record.transitions + 1 };
    const taken = takenLease({ fence, within, dialect: client.dialect }, { now: clock.now(), durationMs }, found);
    const takenAt = clock.monotonic();
    const lease = await (found === undefined ? client.create(LEASES, taken, call) : client.update(LEASES, taken, call));
    return { type: 'taken', lease, takenAt };
  }

  private async find(place: Place, call: RequestOptions): Promise<ApiObject | undefined> {
    try {
      return await this.options.client.get(LEASES, { namespace: place.namespace, name: place.name }, call);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  private sayWaiting(holder: string): void {
    if (this.awaited === holder) return;
    this.awaited = holder;
    this.options.logger.info('another copy leads, waiting', { lease: this.options.lease.name, holder });
  }

  /** Milliseconds until the holder may be taken to be dead; 0 = nobody holds the Lease any more. */
  private async remaining(lease: ApiObject, { holder, durationMs, within }: LeaseRecord, call: RequestOptions): Promise<number> {
    // A term of this very copy has ended before another one is begun.
    if (holder === '' || holder === this.options.identity) return 0;
    const left = this.silentUntil(lease, durationMs);
    if (within === undefined) return left;
    if (this.isFollowed(within)) return 0;
    const outer = await this.find(within, call);
    if (outer === undefined || !isFenceInForce(within, outer.body)) return 0;
    return Math.min(left, this.silentUntil(outer, leaseRecord(outer).durationMs));
  }

  /** This copy's own outer term came after that one. The other way round it is this copy's that is over. */
  private isFollowed({ namespace, name, transitions }: Fence): boolean {
    const { within: mine } = this.options;
    return mine !== undefined && namespace === mine.namespace && name === mine.name && transitions < mine.transitions;
  }

  /** Counted from when its last change was first seen here. */
  private silentUntil(lease: ApiObject, durationMs: number): number {
    return this.observe(lease).since + durationMs - this.options.clock.monotonic();
  }

  private observe(lease: ApiObject): Observation {
    const version = `${lease.uid}/${lease.resourceVersion}`;
    const key = keyOf(lease);
    const known = this.observations.get(key);
    if (known?.version === version) return known;
    const seen = { version, since: this.options.clock.monotonic() };
    this.observations.set(key, seen);
    return seen;
  }

  /** Resolves after `ms`, or earlier when the Lease changes hands. */
  private async waitForChange(ms: number, signal: AbortSignal): Promise<void> {
    const { client, clock, lease } = this.options;
    const over = new AbortController();
    const stop = (): void => over.abort();
    if (signal.aborted) return;
    signal.addEventListener('abort', stop, { once: true });
    const known = this.observations.get(keyOf(lease));
    const watching = known === undefined ? Promise.resolve() : this.watchRelease(client, lease, known, over);
    await pause(clock, ms, over.signal);
    over.abort();
    signal.removeEventListener('abort', stop);
    await watching;
  }

  /** Aborts `over` when the Lease is given back or deleted. Without a watch the next look tells, so its errors do not matter. */
  private async watchRelease(client: RestClient, lease: Place, known: Observation, over: AbortController): Promise<void> {
    const resourceVersion = known.version.split('/')[1] ?? '';
    try {
      const events = client.watch(LEASES, {
        namespace: lease.namespace,
        fieldSelector: `metadata.name=${lease.name}`,
        from: { resourceVersion },
        timeoutSeconds: Math.ceil(this.options.durationMs / 1000),
        signal: over.signal,
      });
      for await (const event of events) {
        if (event.type === 'DELETED') return over.abort();
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        if (leaseRecord(event.object).holder === '') return over.abort();
        this.observe(event.object);
      }
    } catch {
      return;
    }
  }

  /** Leads one term. True when `lead` has ended by itself. */
  private async lead({ lease: taken, takenAt }: Acquired, signal: AbortSignal, lead: (term: Term) => Promise<void>): Promise<boolean> {
    const { logger, lease: place, identity, onChange } = this.options;
    const { transitions } = leaseRecord(taken);
    const over = new AbortController();
    const stop = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    logger.info('leading', { lease: place.name, transitions });
    onChange?.(true);
    const held: Held = { lease: taken, renewedAt: takenAt };
    const renewing = this.renew(held, over);
    let ended = false;
    try {
      await lead({ fence: { ...place, holder: identity, transitions }, signal: over.signal });
      ended = !over.signal.aborted;
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
      await renewing;
      onChange?.(false);
      if (held.lease !== undefined) await this.release(held.lease);
    }
    return ended;
  }

  /** Prolongs the term until `over` is aborted, and aborts it when the term is lost; then `held.lease` is gone. */
  private async renew(held: Held, over: AbortController): Promise<void> {
    const { client, clock, logger, lease: place, durationMs, renewDeadlineMs } = this.options;
    let waitMs = this.renewalMs();
    while (held.lease !== undefined && (await pause(clock, waitMs, over.signal))) {
      const left = held.renewedAt + renewDeadlineMs - clock.monotonic();
      if (left <= 0) {
        logger.error('the lease could not be renewed in time', { lease: place.name });
        held.lease = undefined;
        break;
      }
      try {
        const startedAt = clock.monotonic();
        const renewed = renewedLease(held.lease, { now: clock.now(), durationMs });
        held.lease = await client.update(LEASES, renewed, { signal: over.signal, timeoutMs: Math.min(left, CALL_MS) });
        held.renewedAt = startedAt;
        waitMs = this.renewalMs();
      } catch (error) {
        if (over.signal.aborted) break;
        const until = held.renewedAt + renewDeadlineMs;
        held.lease = await this.afterFailure(held.lease, error, over.signal, Math.max(1, until - clock.monotonic()));
        waitMs = Math.min(this.retryMs(), Math.max(0, until - clock.monotonic()));
      }
    }
    over.abort(new Error('the lease was lost'));
  }

  /** A renewal without an answer may have been stored: the Lease as it is now, or undefined when it is another term's. */
  private async afterFailure(lease: ApiObject, error: unknown, signal: AbortSignal, withinMs = CALL_MS): Promise<ApiObject | undefined> {
    const { client, logger, lease: place } = this.options;
    const mine = leaseRecord(lease);
    try {
      const now = await client.get(LEASES, place, { signal, timeoutMs: Math.min(withinMs, CALL_MS) });
      const record = leaseRecord(now);
      if (now.uid === lease.uid && record.holder === mine.holder && record.transitions === mine.transitions) return now;
      logger.error('another copy leads', { lease: place.name, holder: record.holder });
      return undefined;
    } catch (second) {
      if (isNotFound(second)) {
        logger.error('the lease was deleted', { lease: place.name });
        return undefined;
      }
      if (!signal.aborted) logger.warn('cannot renew the lease', { lease: place.name, error });
      return lease;
    }
  }

  private async release(lease: ApiObject): Promise<void> {
    const { client, clock, logger, durationMs } = this.options;
    const released = releasedLease(lease, { now: clock.now(), durationMs });
    try {
      await client.update(LEASES, released, { timeoutMs: CALL_MS });
    } catch (error) {
      // A renewal that was cut off may have been stored after all; the next leader then waits out the duration.
      if (isConflict(error)) await this.releaseChanged(lease);
      else logger.warn('cannot give the lease back', { lease: lease.name, error });
    }
  }

  private async releaseChanged(lease: ApiObject): Promise<void> {
    const { client, clock, logger, lease: place, durationMs } = this.options;
    try {
      const now = await this.afterFailure(lease, undefined, new AbortController().signal);
      if (now === undefined) return;
      await client.update(LEASES, releasedLease(now, { now: clock.now(), durationMs }), { timeoutMs: CALL_MS });
    } catch (error) {
      logger.warn('cannot give the lease back', { lease: place.name, error });
    }
  }

  /** Two or three attempts fit into what is left then. On the stroke of a second, so that many leases of one process wake it together. */
  private renewalMs(): number {
    const { clock, retryMs, renewDeadlineMs } = this.options;
    const now = clock.monotonic();
    const due = now + Math.max(retryMs, renewDeadlineMs / 2);
    return Math.max(retryMs, due - (due % STROKE_MS) - now);
  }

  private retryMs(): number {
    return this.options.retryMs * (1 + 0.2 * this.options.random.float());
  }
}
