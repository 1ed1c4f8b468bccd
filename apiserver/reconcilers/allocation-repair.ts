/**
 * Repairs the allocations of Services, like upstream's repair controllers: compares the Services with the allocation keys
 * in the store at start and every three minutes, on one replica at a time. Missing keys are written, and keys that no
 * Service holds in three passes in a row are deleted. Other inconsistencies, such as two Services with one address, are
 * left to their users. Everything is reported as Events, metrics and log lines.
 */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { checkAllocations, type AllocationFinding, type AllocationHolder } from '../allocation/check-allocations';
import type { ServiceAllocator } from '../allocation/service-allocator';
import type { Cache } from '../cache/cache';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { serviceAllocation, invalidClusterIps } from '../kinds/core/service/allocation';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { allocationOwnerOf } from '../registry/write/allocation';
import type { Store } from '../storage/store';
import { allocationErrorOf, allocationEventOf, type AllocationError } from './allocation-errors';
import { tryAcquireOrRenew } from './leader-term';
import { objectBody, serverContext, serverWriteOptions } from './server-writes';

/** Time between passes. */
const INTERVAL_MS = 180_000;
/** Time before a pass that failed is repeated. */
const RETRY_MS = 1_000;
/** A replica that has not renewed its term for this time loses it. Longer than the interval, so that one replica keeps it. */
const TERM_MS = 240_000;
/** Time limit of a write. */
const CALL_MS = 10_000;
/** Passes in a row after which an allocation without a holder is released. */
const LEAKED_PASSES = 3;
/** Limits the Events of a pass; metrics count all errors. */
const MAX_EVENTS_PER_PASS = 100;
/** A lasting error is reported again after an hour, when its Event has expired. */
const REPORT_INTERVAL_MS = 3_600_000;
/** Bound of the remembered reports. At the bound all are forgotten, so that lasting errors are reported again. */
const MAX_REPORTED = 10_000;

/** Dependencies of the repair, and callbacks for its reports. */
export interface AllocationRepairOptions {
  readonly store: Store;
  readonly cache: Cache;
  readonly writer: Writer;
  readonly allocator: ServiceAllocator;
  readonly services: Resource;
  /** Events of group `events.platform.io`. */
  readonly events: Resource;
  /** Key prefix of the store, without a trailing slash. */
  readonly prefix: string;
  /** Unique per replica. */
  readonly holder: string;
  /** Identifies this server in Events. */
  readonly hostname: string;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each error that was not reported within the last hour, and once per pass that wrote missing keys. */
  readonly onFinding: (message: string, details: Readonly<Record<string, unknown>>) => void;
  /** Called when a pass fails, which is then repeated, and when an Event cannot be created. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running repair of this replica. */
export interface AllocationRepair {
  /** Resolves after the first successful pass; at once when another replica holds the term. */
  readonly complete: Promise<void>;
  /** Runs a pass at once, unless another replica holds the term. */
  runPass(): Promise<void>;
  /** Starts no further pass; a running one continues. */
  stop(): void;
}

/** Makes the first pass at once. */
export function startAllocationRepair(options: AllocationRepairOptions): AllocationRepair {
  const { clock, onFailure, store, prefix, holder } = options;
  const checker = new AllocationChecker(options);
  const term = { store, key: `${prefix}/allocation-audit`, holder, lengthMs: TERM_MS, clock };
  let isStopped = false;
  let timer: Timer | undefined;
  let resolveComplete: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (resolveComplete = resolve));

  async function runPass(): Promise<void> {
    if (await tryAcquireOrRenew(term)) await checker.checkAndRepair();
  }

  async function tick(): Promise<void> {
    let delayMs = INTERVAL_MS;
    try {
      await runPass();
      resolveComplete();
    } catch (error) {
      onFailure('the allocations could not be audited, trying again', error);
      options.allocator.errorCounts.failures += 1;
      delayMs = RETRY_MS;
    }
    if (!isStopped) timer = clock.after(delayMs, () => void tick());
  }

  void tick();
  return {
    complete,
    runPass,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

class AllocationChecker {
  /**
   * The leaked keys of the last pass, by id and revision (`ips/10.0.0.7@5`), with the number of passes in a row in which
   * each was leaked.
   */
  private leakedPasses = new Map<string, number>();
  /** Time of the last report of an error in ms of Clock.monotonic, by owner and note. */
  private readonly lastReportedAt = new Map<string, number>();

  constructor(private readonly options: AllocationRepairOptions) {}

  /** Makes one pass: checks all allocations, repairs what can be repaired, and reports the errors. */
  async checkAndRepair(): Promise<void> {
    const { allocator, onFinding } = this.options;
    const isInPool = (id: string): boolean => allocator.pools.some((pool) => pool.contains(id));
    const findings = checkAllocations(await this.readHolders(), allocator.allRecords(), isInPool);
    const leakedPasses = new Map<string, number>();
    let repaired = 0;
    let eventsLeft = MAX_EVENTS_PER_PASS;
    for (const finding of findings) {
      const error = allocationErrorOf(finding, allocator);
      if (finding.type === 'missing' && (await this.writeMissingKey(finding))) repaired += 1;
      // A key without a holder is reported only once it is deleted.
      if (finding.type === 'leaked' && !(await this.countOrRelease(finding, leakedPasses))) continue;
      allocator.errorCounts.count(error.subject, error.type);
      if (!this.recordReportIfDue(error)) continue;
      onFinding('an allocation is inconsistent', { type: error.type, note: error.note, service: error.owner });
      if (error.owner !== undefined && eventsLeft > 0) {
        eventsLeft -= 1;
        // The remaining number serves as the sequence number, which makes the names of a pass's Events distinct.
        await this.recordEvent(error, eventsLeft);
      }
    }
    this.leakedPasses = leakedPasses;
    if (repaired > 0) onFinding('allocation keys that Services lacked were written', { repaired });
  }

  /** Reads all Services with the ids that they hold. */
  private async readHolders(): Promise<readonly AllocationHolder[]> {
    const { cache, services, clock } = this.options;
    const slice = new TimeSlice(clock);
    const holders: AllocationHolder[] = [];
    for (const entry of cache.snapshot(services.stored).range()) {
      const { object } = parseEntry(entry);
      const ids = [...serviceAllocation.allocationsOf(object).keys()];
      holders.push({ owner: allocationOwnerOf(object), revision: entry.revision, ids, unreadable: invalidClusterIps(object) });
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return holders;
  }

  /** Writes the missing key of a Service. Resolves with false when the Service or the key has changed since the check. */
  private async writeMissingKey({ owner, id, revision, keyRevision }: Extract<AllocationFinding, { type: 'missing' }>): Promise<boolean> {
    const { store, allocator, services, prefix, clock } = this.options;
    const key = allocator.keyOf(id);
    const objectKey = `${prefix}/${services.stored.segment}/${owner.namespace}/${owner.name}`;
    const result = await store.transact(
      {
        compare: [
          { key: objectKey, modRevision: revision },
          { key, modRevision: keyRevision },
        ],
        operations: [{ type: 'put', key, value: Buffer.from(JSON.stringify(owner)) }],
      },
      { deadline: clock.monotonic() + CALL_MS },
    );
    if (result.committed) allocator.updateRecord(id, { revision: result.revision, uid: owner.uid }, result.revision);
    return result.committed;
  }

  /**
   * Counts this pass for a leaked key in `leakedPasses`, or deletes the key after enough passes. Resolves with true when
   * the key was deleted.
   */
  private async countOrRelease(
    { id, keyRevision }: Extract<AllocationFinding, { type: 'leaked' }>,
    leakedPasses: Map<string, number>,
  ): Promise<boolean> {
    const { store, allocator, clock } = this.options;
    const keyVersion = `${id}@${keyRevision}`;
    const passes = (this.leakedPasses.get(keyVersion) ?? 0) + 1;
    if (passes < LEAKED_PASSES) {
      leakedPasses.set(keyVersion, passes);
      return false;
    }
    const key = allocator.keyOf(id);
    const result = await store.transact(
      { compare: [{ key, modRevision: keyRevision }], operations: [{ type: 'delete', key }] },
      { deadline: clock.monotonic() + CALL_MS },
    );
    if (result.committed) allocator.updateRecord(id, undefined, result.revision);
    return result.committed;
  }

  /** Returns true, and records the report, unless the error was reported within the last hour. */
  private recordReportIfDue({ owner, note }: AllocationError): boolean {
    const now = this.options.clock.monotonic();
    const errorKey = `${owner?.uid ?? ''} ${note}`;
    const lastReported = this.lastReportedAt.get(errorKey);
    if (lastReported !== undefined && now - lastReported < REPORT_INTERVAL_MS) return false;
    if (this.lastReportedAt.size >= MAX_REPORTED) this.lastReportedAt.clear();
    this.lastReportedAt.set(errorKey, now);
    return true;
  }

  private async recordEvent(error: AllocationError, sequence: number): Promise<void> {
    const { writer, events, names, clock, hostname, onFailure } = this.options;
    const event = allocationEventOf(error, { now: clock.now(), sequence, hostname });
    if (event === undefined) return;
    try {
      await writer.create(serverContext(clock), events, event.namespace, objectBody(event.object), serverWriteOptions(names));
    } catch (failure) {
      onFailure('an Event about an allocation could not be created', failure);
    }
  }
}
