/**
 * The heartbeats of simulated nodes: each node's Lease is renewed every 10 seconds, and its status is written when it
 * changes or its heartbeat times are old. At the start, the configured Node objects are created, and those of an earlier
 * start with more nodes are deleted. A Node with the label of the simulation that another client creates is simulated
 * too. A node that is stopped by its annotation sends nothing.
 */
import type { CoordinationV1Lease, CoreV1Node } from '../../../shared/api/types/generated/members';
import type { Informer } from '../../../shared/client/informer/informer';
import { ignoreNotFound, ignoreNotFoundOrConflict, isAlreadyExists, undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../../shared/client/work-queue/workers';
import { parseIpRange, type IpRange } from '../../../shared/values/network/ip-address';
import { microTimeAt } from '../../../shared/values/time/time';
import type { ControllerContext } from '../../runtime/controller';
import type { Node } from '../../runtime/nodes';
import { OwnedAddresses } from './owned-addresses';
import {
  isGeneratedNodeName,
  isSimulated,
  isStopped,
  newSimulatedNode,
  nextNodeStatus,
  nodeNames,
  type KubeletEndpoint,
  type NodeTemplate,
} from './simulated-node';

export const NODES = resourceOf('core.v1.Node');
const LEASES = resourceOf('coordination.v1.Lease');
/** The kubelet's period: a quarter of the Lease's duration. */
const PERIOD_MS = 10_000;
/** The kubelet's default of `nodeLeaseDurationSeconds`. */
const LEASE_SECONDS = 40;
/** Leases renewed at the same time. */
const CONCURRENCY = 8;

/** The nodes that the simulation creates. */
export interface SimulatedNodeSettings {
  readonly count: number;
  /** Quantities by resource name. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Assigned in turn; empty for nodes without a zone. */
  readonly zones: readonly string[];
  /** CIDR. The internal addresses of the nodes. */
  readonly addressRange: string;
  /** Undefined when no server responds in place of kubelets. */
  readonly endpoint: KubeletEndpoint | undefined;
}

/** The part of the controller context that is used here. */
export type NodeContext = Pick<ControllerContext, 'client' | 'clock' | 'signal' | 'logger' | 'queue' | 'names'>;

/**
 * Runs once, for the time during which this process leads (see program.ts). The informer `nodes` must have synced before
 * {@link run} is called.
 */
export class NodeHeartbeats {
  /** The latest known version of each node's Lease, by the name of the node. */
  private readonly leases = new Map<string, ApiObject<CoordinationV1Lease>>();
  private readonly addresses: OwnedAddresses;

  /** Throws a RangeError for an address range that is no CIDR. */
  constructor(
    private readonly context: NodeContext,
    private readonly nodes: Informer<CoreV1Node>,
    private readonly settings: SimulatedNodeSettings,
  ) {
    this.addresses = new OwnedAddresses(requireRange(settings.addressRange));
  }

  /** The address of a node, before its status has it; undefined when all addresses are in use. */
  internalIpOf(node: Node): string | undefined {
    const present = node.body.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    if (present !== undefined) this.addresses.occupy(node.name, present);
    return present ?? this.addresses.allocate(node.name);
  }

  /** Resolves when the signal is aborted. The informer has synced before. */
  async run(): Promise<void> {
    const { signal, logger } = this.context;
    const queue = this.context.queue({ name: 'simulated_nodes' });
    const removeHandlers = this.nodes.handle({
      added: (node) => {
        this.internalIpOf(node);
        queue.add(node.name);
      },
      updated: (previous, node) => {
        if (isStopped(previous) !== isStopped(node) || isSimulated(previous) !== isSimulated(node)) queue.add(node.name);
      },
      deleted: ({ name }) => {
        this.leases.delete(name);
        this.addresses.release(name);
      },
    });
    await this.createNodes();
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: (name) => this.sendHeartbeat(name) });
    removeHandlers();
  }

  private async createNodes(): Promise<void> {
    const { client, signal } = this.context;
    const { count, zones, capacity } = this.settings;
    const template: NodeTemplate = { dialect: client.dialect, zones, capacity };
    const names = nodeNames(count);
    for (const [index, name] of names.entries()) {
      if (this.nodes.get('', name) !== undefined) continue;
      await client
        .of(NODES)
        .create(newSimulatedNode(name, index, template), { signal })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    }
    const surplus = this.nodes.list().filter((node) => isSimulated(node) && isGeneratedNodeName(node.name) && !names.includes(node.name));
    for (const { name } of surplus) await client.of(NODES).delete(name, { signal }).catch(ignoreNotFound);
  }

  private async sendHeartbeat(name: string): Promise<WorkOutcome> {
    const node = this.nodes.get('', name);
    if (node === undefined || !isSimulated(node)) return DONE;
    if (isStopped(node) || isBeingDeleted(node)) return DONE;
    await this.renewLease(node);
    await this.writeStatus(node);
    return { type: 'again', afterMs: PERIOD_MS };
  }

  private async renewLease(node: Node): Promise<void> {
    const { client, clock, signal, names } = this.context;
    const { name, uid } = node;
    const namespace = names.nodeLeaseNamespace;
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTimeAt(clock.now()) };
    const known = this.leases.get(name) ?? (await this.getLease(name));
    if (known === undefined) {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
      this.leases.set(name, await client.of(LEASES).namespace(namespace).create({ metadata: { name, ownerReferences }, spec }, { signal }));
      return;
    }
    const renewed = { ...known.body, spec: { ...known.body.spec, ...spec } };
    const lease = await client.of(LEASES).namespace(namespace).update(renewed, { signal }).catch(ignoreNotFoundOrConflict);
    // Another client changed or deleted the Lease: the next heartbeat reads it, or creates it again.
    if (lease === undefined) this.leases.delete(name);
    else this.leases.set(name, lease);
  }

  private async getLease(name: string): Promise<ApiObject<CoordinationV1Lease> | undefined> {
    const { client, signal, names } = this.context;
    return undefinedIfNotFound(client.of(LEASES).namespace(names.nodeLeaseNamespace).get(name, { signal }));
  }

  private async writeStatus(node: Node): Promise<void> {
    const { client, clock, signal } = this.context;
    const { endpoint, capacity } = this.settings;
    const status = nextNodeStatus({ node, now: clock.now(), internalIp: this.internalIpOf(node), endpoint, capacity });
    if (status === undefined) return;
    const metadata = { uid: node.uid, resourceVersion: node.resourceVersion };
    await client
      .of(NODES)
      .patch(node.name, 'merge', { metadata, status }, { subresource: 'status', signal })
      .catch(ignoreNotFoundOrConflict);
  }
}

/** Parses a CIDR; throws a RangeError when the text is none. */
export function requireRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw new RangeError(`${JSON.stringify(text)} is no range of IP addresses`);
  return range;
}
