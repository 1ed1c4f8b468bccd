/**
 * Metrics of the Service IP ranges and of the node port range, under upstream's names: usage, allocations, and the
 * errors that audits of the allocations find. The allocator counts; the counts are read at scrape time.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AllocationSubject } from '../../allocation/allocation-error-counts';
import type { ServiceAllocator, PoolCounts, AllocationScope } from '../../allocation/service-allocator';
import type { AllocationPool } from '../../allocation/pool';

/** `static` for values that the client chose, `dynamic` for the others. */
const SCOPES: readonly AllocationScope[] = ['static', 'dynamic'];

/** A kind of allocated value: addresses or ports. */
interface AllocatedUnit {
  /** Prefix of the metric names. */
  readonly prefix: string;
  /** As in `allocated_ips`. */
  readonly unit: string;
  /** For help texts. */
  readonly noun: string;
  readonly labels: readonly 'cidr'[];
  readonly pools: (allocator: ServiceAllocator) => readonly AllocationPool[];
}

/** The addresses of each range are counted apart; there is one range of ports. */
const UNITS: readonly AllocatedUnit[] = [
  {
    prefix: 'kube_apiserver_clusterip_allocator',
    unit: 'ips',
    noun: 'Service addresses',
    labels: ['cidr'],
    pools: ({ pools, ports }) => pools.filter((pool) => pool !== ports),
  },
  { prefix: 'kube_apiserver_nodeport_allocator', unit: 'ports', noun: 'node ports', labels: [], pools: ({ ports }) => [ports] },
];

/** The names of the errors that the audits find, by what is audited. */
const AUDITS: readonly { readonly subject: AllocationSubject; readonly prefix: string; readonly errors: string }[] = [
  { subject: 'ips', prefix: 'apiserver_clusterip_repair', errors: 'ip_errors_total' },
  { subject: 'ports', prefix: 'apiserver_nodeport_repair', errors: 'port_errors_total' },
];

/** Registers the metrics; called once per registry. */
export function publishAllocations(registry: Registry, allocator: ServiceAllocator): void {
  const registers = [registry];
  publishErrors(registers, allocator);
  for (const unit of UNITS) {
    publishUse(registers, allocator, unit);
    publishEvents(registers, allocator, unit);
  }
}

/** The numbers of allocated and available values. */
function publishUse(registers: Registry[], allocator: ServiceAllocator, { prefix, unit, noun, labels, pools }: AllocatedUnit): void {
  const publish = (state: string, help: string, value: (counted: CountedPool) => number): void => {
    new Gauge({
      name: `${prefix}_${state}_${unit}`,
      help,
      labelNames: labels,
      registers,
      collect() {
        for (const counted of countedPools(allocator, pools)) this.set(counted.pool.labels, value(counted));
      },
    });
  };
  publish('allocated', `Number of allocated ${noun}.`, ({ counts }) => counts.allocated);
  publish('available', `Number of available ${noun}.`, ({ pool, counts }) => pool.size - counts.allocated);
}

type CountsByScope = Readonly<Record<AllocationScope, number>>;

/** The numbers of allocations and of failed ones since the start, by scope. */
function publishEvents(registers: Registry[], allocator: ServiceAllocator, { prefix, noun, labels, pools }: AllocatedUnit): void {
  const publish = (event: string, help: string, countsByScope: (counts: PoolCounts) => CountsByScope): void => {
    new Counter({
      name: `${prefix}_${event}_total`,
      help,
      labelNames: [...labels, 'scope'],
      registers,
      collect() {
        this.reset();
        for (const { pool, counts } of countedPools(allocator, pools)) {
          for (const scope of SCOPES) {
            const count = countsByScope(counts)[scope];
            if (count > 0) this.inc({ ...pool.labels, scope }, count);
          }
        }
      },
    });
  };
  publish('allocation', `Allocations of ${noun} by this server.`, ({ allocations }) => allocations);
  publish('allocation_errors', `Failed allocations of ${noun}.`, ({ errors }) => errors);
}

/** A pool with the counts of this server. */
interface CountedPool {
  readonly pool: AllocationPool;
  readonly counts: PoolCounts;
}

/** The pools of a unit that have been counted. */
function countedPools(allocator: ServiceAllocator, pools: AllocatedUnit['pools']): CountedPool[] {
  return pools(allocator).flatMap((pool) => {
    const counts = allocator.counts.get(pool);
    return counts === undefined ? [] : [{ pool, counts }];
  });
}

/**
 * Publishes the errors found by audits of the allocations (reconcilers/allocation-repair.ts). One audit checks addresses
 * and ports, so that its failure counts for both.
 */
function publishErrors(registers: Registry[], { errorCounts }: ServiceAllocator): void {
  for (const { subject, prefix, errors } of AUDITS) {
    new Counter({
      name: `${prefix}_${errors}`,
      help: 'Inconsistent allocations that audits found, by type.',
      labelNames: ['type'],
      registers,
      collect() {
        this.reset();
        for (const [type, count] of errorCounts.countsOf(subject)) this.inc({ type }, count);
      },
    });
    new Counter({
      name: `${prefix}_reconcile_errors_total`,
      help: 'Audits of allocations that failed.',
      registers,
      collect() {
        this.reset();
        this.inc(errorCounts.failures);
      },
    });
  }
}
