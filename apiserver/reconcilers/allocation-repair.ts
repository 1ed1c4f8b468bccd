/**
 * Audits the addresses and ports of Services: at the start and every three minutes, on one replica at a time. What is found is told by an Event on the
 * Service, a metric and the log; what can be put right without taking anything from anybody is: keys that are missing are written, and keys that nobody
 * holds are given back after three audits in a row. What this build stores never gives reason to.
 */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { JsonObject } from '../../shared/values/json';
import { auditAllocations, type Finding, type Holder } from '../allocation/check-allocations';
import type { Ledger } from '../allocation/service-allocator';
import type { Cache } from '../cache/cache';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { serviceAllocation, unreadableAddresses } from '../kinds/core/service/allocation';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { ownerOf } from '../registry/write/allocation';
import type { Store } from '../storage/store';
import { eventOf, faultOf, type AllocationFault } from './allocation-faults';
import { holdTerm } from './leader-term';
import { ownContext, ownWrite } from './reconciler';

const INTERVAL_MS = 180_000;
const RETRY_MS = 1_000;
const TERM_MS = 240_000;
const CALL_MS = 10_000;
/** An allocation that nobody holds in so many audits is given back. */
const LEAKED_AUDITS = 3;
/** Events an audit makes at most; all faults are counted. */
const MOST_EVENTS = 100;
/** A fault that lasts is told again after an hour, when its Event has expired. */
const TOLD_MS = 3_600_000;
const MOST_TOLD = 10_000;

export interface AllocationAuditOptions {
  readonly store: Store;
  readonly cache: Cache;
  readonly writer: Writer;
  readonly ledger: Ledger;
  readonly services: Resource;
  /** Of group events. */
  readonly events: Resource;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  /** This replica's, unlike any other's. */
  readonly holder: string;
  readonly hostname: string;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of each finding, and of how much was repaired. */
  readonly found: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly failed: (message: string, error: unknown) => void;
}

export interface AllocationAudit {
  /** Resolves after the first audit, by whomever. */
  readonly complete: Promise<void>;
  /** One audit, at once. */
  pass(): Promise<void>;
  stop(): void;
}

export function startAllocationAudit(options: AllocationAuditOptions): AllocationAudit {
  const { clock, failed, store, prefix, holder } = options;
  const auditor = new Auditor(options);
  const term = { store, key: `${prefix}/allocation-audit`, holder, lengthMs: TERM_MS, clock };
  let stopped = false;
  let timer: Timer | undefined;
  let done: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (done = resolve));

  async function pass(): Promise<void> {
    if (await holdTerm(term)) await auditor.run();
  }

  async function tick(): Promise<void> {
    let next = INTERVAL_MS;
    try {
      await pass();
      done();
    } catch (error) {
      failed('the allocations could not be audited, trying again', error);
      options.ledger.faults.failures += 1;
      next = RETRY_MS;
    }
    if (!stopped) timer = clock.after(next, () => void tick());
  }

  void tick();
  return {
    complete,
    pass,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

class Auditor {
  /** In how many audits in a row a key was found that nobody holds; by its id and revision. */
  private leaks = new Map<string, number>();
  /** When a fault was told, by its Event. */
  private readonly told = new Map<string, number>();

  constructor(private readonly options: AllocationAuditOptions) {}

  async run(): Promise<void> {
    const { ledger, found } = this.options;
    const findings = auditAllocations(await this.holders(), ledger.all(), (id) => ledger.pools.some((pool) => pool.contains(id)));
    const leaks = new Map<string, number>();
    let repaired = 0;
    let events = MOST_EVENTS;
    for (const finding of findings) {
      const fault = faultOf(finding, ledger);
      if (finding.type === 'missing' && (await this.write(finding))) repaired += 1;
      if (finding.type === 'leaked' && !(await this.isOver(finding, leaks))) continue;
      ledger.faults.count(fault.subject, fault.type);
      if (this.isNews(fault)) {
        found('an allocation is not in order', { fault: fault.type, note: fault.note, service: fault.owner });
        if (fault.owner !== undefined && events > 0) {
          events -= 1;
          await this.tell(fault, events);
        }
      }
    }
    this.leaks = leaks;
    if (repaired > 0) found('allocation keys that Services lacked were written', { repaired });
  }

  private async holders(): Promise<readonly Holder[]> {
    const { cache, services, clock } = this.options;
    const slice = new TimeSlice(clock);
    const holders: Holder[] = [];
    for (const entry of cache.snapshot(services.stored).range()) {
      const { object } = parseEntry(entry);
      const ids = [...serviceAllocation.held(object).keys()];
      holders.push({ owner: ownerOf(object), revision: entry.revision, ids, unreadable: unreadableAddresses(object) });
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return holders;
  }

  /** Only if the Service is still what it was. */
  private async write({ owner, id, revision, keyRevision }: Extract<Finding, { type: 'missing' }>): Promise<boolean> {
    const { store, ledger, services, prefix, clock } = this.options;
    const key = ledger.keyOf(id);
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
    if (result.committed) ledger.learn(id, { revision: result.revision, uid: owner.uid }, result.revision);
    return result.committed;
  }

  /** Counts the audits that found it, and gives it back when there were enough. */
  private async isOver({ id, keyRevision }: Extract<Finding, { type: 'leaked' }>, leaks: Map<string, number>): Promise<boolean> {
    const { store, ledger, clock } = this.options;
    const name = `${id}@${keyRevision}`;
    const seen = (this.leaks.get(name) ?? 0) + 1;
    if (seen < LEAKED_AUDITS) {
      leaks.set(name, seen);
      return false;
    }
    const key = ledger.keyOf(id);
    const result = await store.transact(
      { compare: [{ key, modRevision: keyRevision }], operations: [{ type: 'delete', key }] },
      { deadline: clock.monotonic() + CALL_MS },
    );
    if (result.committed) ledger.learn(id, undefined, result.revision);
    return result.committed;
  }

  private isNews({ owner, note }: AllocationFault): boolean {
    const now = this.options.clock.monotonic();
    const name = `${owner?.uid ?? ''} ${note}`;
    const before = this.told.get(name);
    if (before !== undefined && now - before < TOLD_MS) return false;
    if (this.told.size >= MOST_TOLD) this.told.clear();
    this.told.set(name, now);
    return true;
  }

  private async tell(fault: AllocationFault, number: number): Promise<void> {
    const { writer, events, names, clock, hostname, failed } = this.options;
    const event = eventOf(fault, { now: clock.now(), number, hostname });
    if (event === undefined) return;
    const value: JsonObject = event.object;
    try {
      await writer.create(ownContext(clock), events, event.namespace, { value, duplicates: [], format: 'json' }, ownWrite(names));
    } catch (error) {
      failed('an Event about an allocation could not be made', error);
    }
  }
}
