/**
 * Leader election with a Lease. The holder renews the Lease and releases it when it stops. When it dies, another
 * candidate takes over once it has seen no change of the Lease for the Lease's duration. The candidate measures this
 * with its own clock and does not use the times in the Lease, so clocks of different machines need not agree. A paused
 * leader cannot know that its term is over, so its writes carry a fence (shared/api/identity/fencing.ts) that the server
 * checks.
 */
import { isFenceInForce, type Fence } from '../../api/identity/fencing';
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import { isAlreadyExists, isConflict, isNotFound, undefinedIfNotFound } from '../rest/api-error';
import { keyOf, type ApiObject } from '../rest/api-object';
import { acquiredLease, leaseRecord, releasedLease, renewedLease, type LeaseRecord } from './lease-record';
import { resourceOf } from '../rest/resource';
import type { RestClient } from '../rest/rest-client';
import type { RequestOptions } from '../rest/request-options';
import { sleepUnlessAborted } from '../signals';

/** One candidate for one Lease. */
export interface LeaderElectionOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lease: LeaseName;
  /** Identity of this candidate; unique. */
  readonly identity: string;
  /** Another candidate takes over after this time without a renewal. Milliseconds. */
  readonly durationMs: number;
  /**
   * A leader renews after about half of this time and stops leading when no renewal succeeded within it. Less than
   * `durationMs`. Milliseconds.
   */
  readonly renewDeadlineMs: number;
  /** Pause after a failed renewal, and longest pause between two checks of another holder's Lease. Milliseconds. */
  readonly retryMs: number;
  /**
   * The outer term that this election is nested in: a process runs this election only while it holds another Lease, the
   * outer one. The inner Lease names the outer term. It is free as soon as the outer term is over or the outer Lease has
   * expired, so a process renews the outer Lease often and many inner ones seldom.
   */
  readonly within?: Fence | undefined;
  /** Called when leading starts and ends. */
  readonly onChange?: (isLeading: boolean) => void;
}

/**
 * One term of leadership. Writes are fenced with it: each term has its own number of transitions, even when a holder
 * succeeds itself.
 */
export interface Term {
  readonly fence: Fence;
  /** Aborts when the term ends, whatever the reason. */
  readonly signal: AbortSignal;
}

const LEASES = resourceOf('coordination.v1.Lease');
/** Renewals are sent at multiples of this time, so that the Leases of a process are renewed together. Milliseconds. */
const RENEWAL_ALIGNMENT_MS = 1_000;
/** Time limit of one request for the Lease, so that a lost request is repeated before the Lease expires. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Added to the wait for expiry, so that the Lease has certainly expired. Milliseconds. */
const EXPIRY_MARGIN_MS = 50;
/** Retries are delayed by up to this fraction at random, so that the candidates do not retry at the same moment. */
const RETRY_JITTER = 0.2;

/** The Lease of one election. */
interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** A version of a Lease that this candidate has seen. */
interface Observation {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Monotonic milliseconds at which the version was first seen. */
  readonly since: number;
}

/** The Lease as the write that began the term stored it. */
interface Acquired {
  readonly lease: ApiObject;
  /** Monotonic milliseconds at which that write was sent. */
  readonly acquiredAt: number;
}

/** The result of an attempt: the Lease, or how long to wait for its holder. */
type AcquireOutcome = (Acquired & { readonly type: 'acquired' }) | { readonly type: 'wait'; readonly waitMs: number };

/** The Lease during a term. */
interface HeldLease {
  /** As last stored; `undefined` when the term is lost. */
  lease: ApiObject | undefined;
  /** Monotonic milliseconds at which the last successful renewal was sent. */
  renewedAt: number;
}

/**
 * One candidate. A leader that is paused may believe that it leads after another one has taken over; its fenced writes
 * fail then.
 */
export class LeaderElection {
  /** Observed Leases by `namespace/name`: the Lease of this election and the outer Leases that it named. */
  private readonly observations = new Map<string, Observation>();
  /** The holder of the last message about waiting, so that each holder is logged once. */
  private loggedHolder: string | undefined;

  constructor(private readonly options: LeaderElectionOptions) {}

  /**
   * Waits for leadership and calls `lead` for each term, until the signal is aborted. `lead` must end soon after its
   * term's signal; only then is the Lease released. When `lead` returns by itself, the run ends; when it rejects, so
   * does the run.
   */
  async run(signal: AbortSignal, lead: (term: Term) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const acquired = await this.acquire(signal);
      if (acquired === undefined) return;
      if (await this.runTerm(acquired, signal, lead)) return;
    }
  }

  /** Resolves when this candidate holds the Lease; with `undefined` when the signal is aborted first. */
  private async acquire(signal: AbortSignal): Promise<Acquired | undefined> {
    const { logger, lease } = this.options;
    while (!signal.aborted) {
      let waitMs: number;
      try {
        const outcome = await this.tryAcquire(signal);
        if (outcome.type === 'acquired') return outcome;
        waitMs = outcome.waitMs;
      } catch (error) {
        if (signal.aborted) return undefined;
        waitMs = this.retryMs();
        if (!isConflict(error) && !isAlreadyExists(error)) logger.warn('cannot read the lease', { lease: lease.name, error });
      }
      await this.waitForChange(waitMs, signal);
    }
    return undefined;
  }

  /** Writes the Lease if it is free. Rejects with a conflict when another candidate was faster. */
  private async tryAcquire(signal: AbortSignal): Promise<AcquireOutcome> {
    const { client, clock, lease: leaseName, identity, durationMs, within } = this.options;
    const call = { signal, timeoutMs: REQUEST_TIMEOUT_MS };
    const existing = await this.getLease(leaseName, call);
    const record = existing === undefined ? undefined : leaseRecord(existing);
    if (existing !== undefined && record !== undefined) {
      const waitMs = await this.remainingMs(existing, record, call);
      if (waitMs > 0) {
        this.logWaiting(record.holder);
        return { type: 'wait', waitMs: Math.min(waitMs + EXPIRY_MARGIN_MS, this.retryMs()) };
      }
    }
    const fence = { ...leaseName, holder: identity, transitions: record === undefined ? 0 : record.transitions + 1 };
    const newLease = acquiredLease({ fence, within, dialect: client.dialect }, { now: clock.now(), durationMs }, existing);
    const leases = client.of(LEASES).namespace(leaseName.namespace);
    const acquiredAt = clock.monotonic();
    const lease = await (existing === undefined ? leases.create(newLease, call) : leases.update(newLease, call));
    return { type: 'acquired', lease, acquiredAt };
  }

  private async getLease(leaseName: LeaseName, call: RequestOptions): Promise<ApiObject | undefined> {
    return undefinedIfNotFound(this.options.client.of(LEASES).namespace(leaseName.namespace).get(leaseName.name, call));
  }

  private logWaiting(holder: string): void {
    if (this.loggedHolder === holder) return;
    this.loggedHolder = holder;
    this.options.logger.info('another process is the leader, waiting', { lease: this.options.lease.name, holder });
  }

  /** Milliseconds until the Lease expires; 0 when it is free or held by this candidate, and not positive when it has expired. */
  private async remainingMs(lease: ApiObject, { holder, durationMs, within }: LeaseRecord, call: RequestOptions): Promise<number> {
    // A term of this candidate has ended, because it acquires the Lease only between its terms.
    if (holder === '' || holder === this.options.identity) return 0;
    const remaining = this.expiresInMs(lease, durationMs);
    if (within === undefined) return remaining;
    if (this.isSuperseded(within)) return 0;
    const outer = await this.getLease(within, call);
    if (outer === undefined || !isFenceInForce(within, outer.body)) return 0;
    return Math.min(remaining, this.expiresInMs(outer, leaseRecord(outer).durationMs));
  }

  /** Whether this candidate runs within a later term of the same outer Lease, so that the given outer term is over. */
  private isSuperseded({ namespace, name, transitions }: Fence): boolean {
    const { within: ownOuterTerm } = this.options;
    if (ownOuterTerm === undefined || namespace !== ownOuterTerm.namespace || name !== ownOuterTerm.name) return false;
    return transitions < ownOuterTerm.transitions;
  }

  /** Milliseconds until the Lease expires, counted from the local time at which its current version was first seen. */
  private expiresInMs(lease: ApiObject, durationMs: number): number {
    return this.observe(lease).since + durationMs - this.options.clock.monotonic();
  }

  /** Records the version of a Lease if it is new. */
  private observe(lease: ApiObject): Observation {
    const { uid, resourceVersion } = lease;
    const key = keyOf(lease);
    const observed = this.observations.get(key);
    if (observed?.uid === uid && observed.resourceVersion === resourceVersion) return observed;
    const observation = { uid, resourceVersion, since: this.options.clock.monotonic() };
    this.observations.set(key, observation);
    return observation;
  }

  /** Resolves after `ms`, or earlier when an observed Lease is released or deleted or the signal is aborted. */
  private async waitForChange(ms: number, signal: AbortSignal): Promise<void> {
    const { clock, lease } = this.options;
    const waitEnd = new AbortController();
    const endWait = (): void => waitEnd.abort();
    if (signal.aborted) return;
    signal.addEventListener('abort', endWait, { once: true });
    const observed = this.observations.get(keyOf(lease));
    const watching = observed === undefined ? Promise.resolve() : this.abortOnRelease(observed, waitEnd);
    await sleepUnlessAborted(clock, ms, waitEnd.signal);
    waitEnd.abort();
    signal.removeEventListener('abort', endWait);
    await watching;
  }

  /**
   * Watches the Lease from the observed version on and aborts `waitEnd` when it is released or deleted. Ignores errors of
   * the watch, because the next attempt to acquire the Lease reads its state.
   */
  private async abortOnRelease({ resourceVersion }: Observation, waitEnd: AbortController): Promise<void> {
    const { client, lease, durationMs } = this.options;
    try {
      const events = client
        .of(LEASES)
        .namespace(lease.namespace)
        .watch({
          fieldSelector: `metadata.name=${lease.name}`,
          from: { resourceVersion },
          timeoutSeconds: Math.ceil(durationMs / 1000),
          signal: waitEnd.signal,
        });
      for await (const event of events) {
        if (event.type === 'DELETED') return waitEnd.abort();
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        if (leaseRecord(event.object).holder === '') return waitEnd.abort();
        this.observe(event.object);
      }
    } catch {
      return;
    }
  }

  /** Runs one term. Resolves to true when `lead` returned before the term ended, to false when the term was lost or aborted. */
  private async runTerm(
    { lease: acquired, acquiredAt }: Acquired,
    signal: AbortSignal,
    lead: (term: Term) => Promise<void>,
  ): Promise<boolean> {
    const { logger, lease: leaseName, identity, onChange } = this.options;
    const { transitions } = leaseRecord(acquired);
    const termEnd = new AbortController();
    const endTerm = (): void => termEnd.abort(signal.reason);
    signal.addEventListener('abort', endTerm, { once: true });
    logger.info('leading', { lease: leaseName.name, transitions });
    onChange?.(true);
    const held: HeldLease = { lease: acquired, renewedAt: acquiredAt };
    const renewal = this.renew(held, termEnd);
    let hasFinished = false;
    try {
      await lead({ fence: { ...leaseName, holder: identity, transitions }, signal: termEnd.signal });
      hasFinished = !termEnd.signal.aborted;
    } finally {
      signal.removeEventListener('abort', endTerm);
      termEnd.abort();
      await renewal;
      onChange?.(false);
      if (held.lease !== undefined) await this.release(held.lease);
    }
    return hasFinished;
  }

  /** Renews the Lease until `termEnd` is aborted. When the term is lost, clears `held.lease` and aborts `termEnd`. */
  private async renew(held: HeldLease, termEnd: AbortController): Promise<void> {
    const { client, clock, logger, lease: leaseName, renewDeadlineMs } = this.options;
    let waitMs = this.renewalMs();
    while (held.lease !== undefined && (await sleepUnlessAborted(clock, waitMs, termEnd.signal))) {
      const remaining = held.renewedAt + renewDeadlineMs - clock.monotonic();
      if (remaining <= 0) {
        logger.error('the lease could not be renewed in time', { lease: leaseName.name });
        held.lease = undefined;
        break;
      }
      try {
        const startedAt = clock.monotonic();
        const renewed = renewedLease(held.lease, clock.now());
        held.lease = await client
          .of(LEASES)
          .namespace(leaseName.namespace)
          .update(renewed, { signal: termEnd.signal, timeoutMs: Math.min(remaining, REQUEST_TIMEOUT_MS) });
        held.renewedAt = startedAt;
        waitMs = this.renewalMs();
      } catch (error) {
        if (termEnd.signal.aborted) break;
        const deadline = held.renewedAt + renewDeadlineMs;
        const timeoutMs = Math.max(1, deadline - clock.monotonic());
        held.lease = await this.rereadAfterFailure(held.lease, error, { signal: termEnd.signal, timeoutMs });
        waitMs = Math.min(this.retryMs(), Math.max(0, deadline - clock.monotonic()));
      }
    }
    termEnd.abort(new Error('the lease was lost'));
  }

  /**
   * Reads the Lease after a write of it has failed with `error`, because a write without a response may have been
   * stored. Returns the current Lease, `undefined` when it was deleted or belongs to another term, or the given Lease
   * when the current one cannot be read.
   */
  private async rereadAfterFailure(
    lease: ApiObject,
    error: unknown,
    { signal, timeoutMs = REQUEST_TIMEOUT_MS }: RequestOptions,
  ): Promise<ApiObject | undefined> {
    const { client, logger, lease: leaseName } = this.options;
    const expected = leaseRecord(lease);
    try {
      const current = await client
        .of(LEASES)
        .namespace(leaseName.namespace)
        .get(leaseName.name, { ...(signal === undefined ? {} : { signal }), timeoutMs: Math.min(timeoutMs, REQUEST_TIMEOUT_MS) });
      const record = leaseRecord(current);
      if (current.uid === lease.uid && record.holder === expected.holder && record.transitions === expected.transitions) return current;
      logger.error('another process is the leader', { lease: leaseName.name, holder: record.holder });
      return undefined;
    } catch (readError) {
      if (isNotFound(readError)) {
        logger.error('the lease was deleted', { lease: leaseName.name });
        return undefined;
      }
      if (signal?.aborted !== true) logger.warn('cannot renew the lease', { lease: leaseName.name, error });
      return lease;
    }
  }

  /** Removes this candidate as the holder. Failures are logged; then the Lease expires. */
  private async release(lease: ApiObject): Promise<void> {
    const { client, clock, logger } = this.options;
    const released = releasedLease(lease, clock.now());
    try {
      await client.of(LEASES).namespace(lease.namespace).update(released, { timeoutMs: REQUEST_TIMEOUT_MS });
    } catch (error) {
      // An aborted renewal may have been stored; then the release conflicts and is repeated with the current version.
      if (isConflict(error)) await this.releaseAfterConflict(lease);
      else logger.warn('cannot release the lease', { lease: lease.name, error });
    }
  }

  private async releaseAfterConflict(lease: ApiObject): Promise<void> {
    const { client, clock, logger, lease: leaseName } = this.options;
    try {
      const current = await this.rereadAfterFailure(lease, undefined, {});
      if (current === undefined) return;
      await client.of(LEASES).namespace(leaseName.namespace).update(releasedLease(current, clock.now()), { timeoutMs: REQUEST_TIMEOUT_MS });
    } catch (error) {
      logger.warn('cannot release the lease', { lease: leaseName.name, error });
    }
  }

  /**
   * Milliseconds until the next renewal: about half of the renew deadline, which leaves time for two or three attempts,
   * moved back to a multiple of {@link RENEWAL_ALIGNMENT_MS}.
   */
  private renewalMs(): number {
    const { clock, retryMs, renewDeadlineMs } = this.options;
    const now = clock.monotonic();
    const due = now + Math.max(retryMs, renewDeadlineMs / 2);
    return Math.max(retryMs, due - (due % RENEWAL_ALIGNMENT_MS) - now);
  }

  private retryMs(): number {
    return this.options.retryMs * (1 + RETRY_JITTER * this.options.random.float());
  }
}
