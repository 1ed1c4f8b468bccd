/**
 * The zones of nodes, and the CPUs of each zone, for topology hints. Views are cached for each version of a node,
 * because they are looked up for each pod. Assigning the hints is left to topology-hints.ts.
 */
import type { CoreV1Node } from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { compareBytes } from '../../shared/values/json';
import { parseQuantity, QuantityError } from '../../shared/values/quantity';
import { conditionStatus } from '../runtime/conditions';
import type { Node } from '../runtime/nodes';
import { compareNames, labelsOf } from '../runtime/pods';
import type { NodeView } from './desired-endpoints';
import type { ZoneCpus } from './topology-hints';

/** Reads the informer at each call. */
export class NodeTopology {
  private readonly views = new WeakMap<Node, NodeView>();

  constructor(
    private readonly nodes: Pick<Informer<CoreV1Node>, 'get' | 'list'>,
    /** The prefix of label keys in the server's dialect. */
    private readonly prefix: string,
  ) {}

  /** Undefined when there is no such node. */
  get(name: string): NodeView | undefined {
    const node = this.nodes.get('', name);
    if (node === undefined) return undefined;
    const cached = this.views.get(node);
    if (cached !== undefined) return cached;
    const view = { zone: zoneOf(node, this.prefix) };
    this.views.set(node, view);
    return view;
  }

  /** The CPUs of the ready worker nodes; `undefined` when one of them has no zone or no allocatable CPUs. */
  cpusByZone(): ZoneCpus | undefined {
    const cpus = new Map<string, number>();
    // Sorted, because the sum of floating-point numbers depends on the order, and hints must not change with it.
    for (const node of [...this.nodes.list()].sort(compareNames)) {
      if (!isReadyWorker(node, this.prefix)) continue;
      const zone = zoneOf(node, this.prefix);
      const count = allocatableCpus(node);
      if (zone === undefined || count === undefined) return undefined;
      cpus.set(zone, (cpus.get(zone) ?? 0) + count);
    }
    return new Map([...cpus].sort(([a], [b]) => compareBytes(a, b)));
  }
}

/** The zone in the label of the node; undefined without the label. `prefix`: of the label in the server's dialect. */
export const zoneOf = (node: Node, prefix: string): string | undefined => valueInEitherSpelling(labelsOf(node), `topology.${prefix}/zone`);

function isReadyWorker(node: Node, prefix: string): boolean {
  const hasRole = (role: string): boolean => valueInEitherSpelling(labelsOf(node), `node-role.${prefix}/${role}`) !== undefined;
  return !hasRole('control-plane') && !hasRole('master') && conditionStatus(node.body, 'Ready') === 'True';
}

const NANOS_PER_CPU = 1e9;

/** Undefined for a node without allocatable CPUs, or with an amount that is 0 or cannot be parsed. */
function allocatableCpus({ body }: Node): number | undefined {
  const cpu = body.status?.allocatable?.['cpu'];
  if (cpu === undefined) return undefined;
  try {
    const count = Number(parseQuantity(cpu).nanos) / NANOS_PER_CPU;
    return count > 0 ? count : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
