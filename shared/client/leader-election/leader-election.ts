/**
 * Leader election with a Lease. The holder renews the Lease and releases it when it stops; when it dies, another
 * candidate takes over once the Lease has not changed for its duration, measured with the candidate's own clock: clocks
 * of different machines are never compared. A paused leader cannot know that its term is over, so its writes carry a
 * fence (shared/api/identity/fencing.ts) that the server checks.
 */
import { isFenceInForce, type Fence } from '../../api/identity/fencing';
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import { isAlreadyExists, isConflict, isNotFound, undefinedIfNotFound } from '../rest/api-error';
import { keyOf, type ApiObject } from '../rest/api-object';
import { leaseRecord, releasedLease, renewedLease, acquiredLease, type LeaseRecord } from './lease-record';
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
   * A leader renews after about half of this time and stops leading when no renewal succeeded within it. Less than the
   * duration. Milliseconds.
   */
  readonly renewDeadlineMs: number;
  /** Interval of failed renewals and of checks of another holder's Lease. Milliseconds. */
  readonly retryMs: number;
  /**
   * The outer term that this election is nested in: the holder of the outer Lease runs this election while it leads
   * there. The inner Lease names the outer term and is free as soon as that is over or its holder is silent, so that a
   * process renews one Lease often and many nested ones seldom.
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
/** Renewals are aligned to this interval. Milliseconds. */
const RENEWAL_ALIGNMENT_MS = 1_000;
/** Time limit of one request for the Lease, so that a lost one is repeated before the lease expires. */
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

/** Version of a Lease, and the monotonic time in milliseconds at which it was first seen. */
interface Observation {
  readonly version: string;
  readonly since: number;
}

interface Acquired {
  readonly lease: ApiObject;
  /** Monotonic milliseconds when the write that acquired the Lease was sent. */
  readonly acquiredAt: number;
}

/** The Lease of the current term; `lease` is undefined when the term is lost. */
interface HeldLease {
  lease: ApiObject | undefined;
  /** Monotonic milliseconds at which the last successful renewal was sent. */
  renewedAt: number;
}

/** One candidate. At most one candidate of a Lease leads at a time, provided that its writes are fenced. */
export class LeaderElection {
  /** Observed Leases by namespace and name: the awaited one and outer ones. */
  private readonly observations = new Map<string, Observation>();
  /** The holder that was logged last. */
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

  /** Resolves when this candidate holds the Lease; undefined when the signal is aborted first. */
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

  private async tryAcquire(
    signal: AbortSignal,
  ): Promise<(Acquired & { readonly type: 'acquired' }) | { readonly type: 'wait'; readonly waitMs: number }> {
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

  /** Milliseconds until the Lease expires; 0 when it is free. */
  private async remainingMs(lease: ApiObject, { holder, durationMs, within }: LeaseRecord, call: RequestOptions): Promise<number> {
    // An earlier term of this candidate has ended, because terms do not overlap.
    if (holder === '' || holder === this.options.identity) return 0;
    const remaining = this.expiresInMs(lease, durationMs);
    if (within === undefined) return remaining;
    if (this.isSuperseded(within)) return 0;
    const outer = await this.getLease(within, call);
    if (outer === undefined || !isFenceInForce(within, outer.body)) return 0;
    return Math.min(remaining, this.expiresInMs(outer, leaseRecord(outer).durationMs));
  }

  /** Whether this candidate's own outer term is later than the given one. If it is earlier, its own term is over. */
  private isSuperseded({ namespace, name, transitions }: Fence): boolean {
    const { within: outerTerm } = this.options;
    return outerTerm !== undefined && namespace === outerTerm.namespace && name === outerTerm.name && transitions < outerTerm.transitions;
  }

  /** Counted from the local time at which the last change was first seen. */
  private expiresInMs(lease: ApiObject, durationMs: number): number {
    return this.observe(lease).since + durationMs - this.options.clock.monotonic();
  }

  private observe(lease: ApiObject): Observation {
    const version = `${lease.uid}/${lease.resourceVersion}`;
    const key = keyOf(lease);
    const observed = this.observations.get(key);
    if (observed?.version === version) return observed;
    const observation = { version, since: this.options.clock.monotonic() };
    this.observations.set(key, observation);
    return observation;
  }

  /** Resolves after `ms`, or earlier when an observed Lease is released or deleted or the signal is aborted. */
  private async waitForChange(ms: number, signal: AbortSignal): Promise<void> {
    const { client, clock, lease } = this.options;
    const ending = new AbortController();
    const abort = (): void => ending.abort();
    if (signal.aborted) return;
    signal.addEventListener('abort', abort, { once: true });
    const observed = this.observations.get(keyOf(lease));
    const watching = observed === undefined ? Promise.resolve() : this.abortOnRelease(client, lease, observed, ending);
    await sleepUnlessAborted(clock, ms, ending.signal);
    ending.abort();
    signal.removeEventListener('abort', abort);
    await watching;
  }

  /**
   * Aborts `ending` when the Lease is released or deleted. Errors of the watch are ignored: the next check finds the
   * state.
   */
  private async abortOnRelease(client: RestClient, lease: LeaseName, observed: Observation, ending: AbortController): Promise<void> {
    const resourceVersion = observed.version.split('/')[1] ?? '';
    try {
      const events = client
        .of(LEASES)
        .namespace(lease.namespace)
        .watch({
          fieldSelector: `metadata.name=${lease.name}`,
          from: { resourceVersion },
          timeoutSeconds: Math.ceil(this.options.durationMs / 1000),
          signal: ending.signal,
        });
      for await (const event of events) {
        if (event.type === 'DELETED') return ending.abort();
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        if (leaseRecord(event.object).holder === '') return ending.abort();
        this.observe(event.object);
      }
    } catch {
      return;
    }
  }

  /** Runs one term. True when `lead` returned before the term ended. */
  private async runTerm(
    { lease: acquired, acquiredAt }: Acquired,
    signal: AbortSignal,
    lead: (term: Term) => Promise<void>,
  ): Promise<boolean> {
    const { logger, lease: leaseName, identity, onChange } = this.options;
    const { transitions } = leaseRecord(acquired);
    const ending = new AbortController();
    const abort = (): void => ending.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    logger.info('leading', { lease: leaseName.name, transitions });
    onChange?.(true);
    const held: HeldLease = { lease: acquired, renewedAt: acquiredAt };
    const renewal = this.renew(held, ending);
    let hasFinished = false;
    try {
      await lead({ fence: { ...leaseName, holder: identity, transitions }, signal: ending.signal });
      hasFinished = !ending.signal.aborted;
    } finally {
      signal.removeEventListener('abort', abort);
      ending.abort();
      await renewal;
      onChange?.(false);
      if (held.lease !== undefined) await this.release(held.lease);
    }
    return hasFinished;
  }

  /** Renews the Lease until `ending` is aborted; when the term is lost, aborts `ending` and clears `held.lease`. */
  private async renew(held: HeldLease, ending: AbortController): Promise<void> {
    const { client, clock, logger, lease: leaseName, durationMs, renewDeadlineMs } = this.options;
    let waitMs = this.renewalMs();
    while (held.lease !== undefined && (await sleepUnlessAborted(clock, waitMs, ending.signal))) {
      const remaining = held.renewedAt + renewDeadlineMs - clock.monotonic();
      if (remaining <= 0) {
        logger.error('the lease could not be renewed in time', { lease: leaseName.name });
        held.lease = undefined;
        break;
      }
      try {
        const startedAt = clock.monotonic();
        const renewed = renewedLease(held.lease, { now: clock.now(), durationMs });
        held.lease = await client
          .of(LEASES)
          .namespace(leaseName.namespace)
          .update(renewed, { signal: ending.signal, timeoutMs: Math.min(remaining, REQUEST_TIMEOUT_MS) });
        held.renewedAt = startedAt;
        waitMs = this.renewalMs();
      } catch (error) {
        if (ending.signal.aborted) break;
        const deadline = held.renewedAt + renewDeadlineMs;
        held.lease = await this.rereadAfterFailure(held.lease, error, ending.signal, Math.max(1, deadline - clock.monotonic()));
        waitMs = Math.min(this.retryMs(), Math.max(0, deadline - clock.monotonic()));
      }
    }
    ending.abort(new Error('the lease was lost'));
  }

  /**
   * A renewal with a lost response may have been stored: returns the current Lease, or undefined when it was deleted or
   * belongs to another term. Returns the given Lease when the current one cannot be read.
   */
  private async rereadAfterFailure(
    lease: ApiObject,
    error: unknown,
    signal: AbortSignal,
    withinMs = REQUEST_TIMEOUT_MS,
  ): Promise<ApiObject | undefined> {
    const { client, logger, lease: leaseName } = this.options;
    const expected = leaseRecord(lease);
    try {
      const current = await client
        .of(LEASES)
        .namespace(leaseName.namespace)
        .get(leaseName.name, { signal, timeoutMs: Math.min(withinMs, REQUEST_TIMEOUT_MS) });
      const record = leaseRecord(current);
      if (current.uid === lease.uid && record.holder === expected.holder && record.transitions === expected.transitions) return current;
      logger.error('another process is the leader', { lease: leaseName.name, holder: record.holder });
      return undefined;
    } catch (readError) {
      if (isNotFound(readError)) {
        logger.error('the lease was deleted', { lease: leaseName.name });
        return undefined;
      }
      if (!signal.aborted) logger.warn('cannot renew the lease', { lease: leaseName.name, error });
      return lease;
    }
  }

  private async release(lease: ApiObject): Promise<void> {
    const { client, clock, logger, durationMs } = this.options;
    const released = releasedLease(lease, { now: clock.now(), durationMs });
    try {
      await client.of(LEASES).namespace(lease.namespace).update(released, { timeoutMs: REQUEST_TIMEOUT_MS });
    } catch (error) {
      // An aborted renewal may have been stored; then the release conflicts and is repeated with the current version.
      if (isConflict(error)) await this.releaseAfterConflict(lease);
      else logger.warn('cannot release the lease', { lease: lease.name, error });
    }
  }

  private async releaseAfterConflict(lease: ApiObject): Promise<void> {
    const { client, clock, logger, lease: leaseName, durationMs } = this.options;
    try {
      const current = await this.rereadAfterFailure(lease, undefined, new AbortController().signal);
      if (current === undefined) return;
      await client
        .of(LEASES)
        .namespace(leaseName.namespace)
        .update(releasedLease(current, { now: clock.now(), durationMs }), { timeoutMs: REQUEST_TIMEOUT_MS });
    } catch (error) {
      logger.warn('cannot release the lease', { lease: leaseName.name, error });
    }
  }

  /**
   * Leaves time for two or three attempts. Aligned to whole seconds, so that the Leases of a process are renewed
   * together.
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
