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
  for (const { prefix, unit, noun, labels, pools } of UNITS) {
    const forEachPool = (visit: (pool: AllocationPool, counts: PoolCounts) => void): void => {
      for (const pool of pools(allocator)) {
        const counts = allocator.counts.get(pool);
        if (counts !== undefined) visit(pool, counts);
      }
    };
    const publishGauge = (state: string, help: string, value: (pool: AllocationPool, counts: PoolCounts) => number): void => {
      new Gauge({
        name: `${prefix}_${state}_${unit}`,
        help,
        labelNames: labels,
        registers,
        collect() {
          forEachPool((pool, counts) => this.set(pool.labels, value(pool, counts)));
        },
      });
    };
    const publishCounter = (event: string, help: string, value: (counts: PoolCounts, scope: AllocationScope) => number): void => {
      new Counter({
        name: `${prefix}_${event}_total`,
        help,
        labelNames: [...labels, 'scope'],
        registers,
        collect() {
          this.reset();
          forEachPool((pool, counts) => {
            for (const scope of SCOPES) if (value(counts, scope) > 0) this.inc({ ...pool.labels, scope }, value(counts, scope));
          });
        },
      });
    };
    publishGauge('allocated', `Number of allocated ${noun}.`, (_pool, { allocated }) => allocated);
    publishGauge('available', `Number of available ${noun}.`, ({ size }, { allocated }) => size - allocated);
    publishCounter('allocation', `Allocations of ${noun} by this server.`, ({ allocations }, scope) => allocations[scope]);
    publishCounter('allocation_errors', `Failed allocations of ${noun}.`, ({ errors }, scope) => errors[scope]);
  }
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
