/**
 * Watches the nodes and the objects of a workload, records what changes, and waits for states. It connects again soon
 * after the API was away, so that the recorded times are those of the changes.
 */
import { conditionStatus } from '../../../controllers/runtime/conditions';
import { taintsOf, type Node } from '../../../controllers/runtime/nodes';
import { isPodReady, labelsOf, nodeNameOf } from '../../../controllers/runtime/pods';
import { Informer } from '../../../shared/client/informer/informer';
import { isBeingDeleted } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { systemClock as clock, type Clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom as random } from '../../../shared/runtime/random';
import { waitUntil } from '../../support/programs';
import { NODES } from './node-tool';
import { endpointState, nodeChanges, podChanges, sliceChanges, WORKLOAD_LABEL } from './object-changes';
import type { TimelineRecorder } from './timeline';
import { DEPLOYMENT, REPLICAS } from './workload';

const LEASE_NAMESPACE = 'kube-node-lease';
/** The longest back-off of informers. The usual one would hide changes for up to 30 s after an outage. */
const MAX_RECONNECT_MS = 250;
const shortBackOffClock: Clock = { ...clock, after: (ms, task) => clock.after(Math.min(ms, MAX_RECONNECT_MS), task) };

export class ClusterObserver {
  private readonly stopping = new AbortController();
  private readonly nodes;
  private readonly leases;
  private readonly pods;
  private readonly slices;
  private readonly ended: Promise<unknown>;

  constructor(client: RestClient, namespace: string, recorder: TimelineRecorder) {
    const options = { client, clock: shortBackOffClock, random, logger: silentLogger };
    this.nodes = new Informer({ ...options, resource: resourceOf('core.v1.Node') });
    this.leases = new Informer({ ...options, resource: resourceOf('coordination.v1.Lease'), namespace: LEASE_NAMESPACE });
    this.pods = new Informer({ ...options, resource: resourceOf('core.v1.Pod'), namespace });
    this.slices = new Informer({ ...options, resource: resourceOf('discovery.v1.EndpointSlice'), namespace });
    this.nodes.handle({
      added: (node) => recorder.record(nodeChanges(undefined, node)),
      updated: (previous, node) => recorder.record(nodeChanges(previous, node)),
      deleted: (node) => recorder.record(nodeChanges(node, undefined)),
    });
    this.pods.handle({
      added: (pod) => recorder.record(podChanges(undefined, pod)),
      updated: (previous, pod) => recorder.record(podChanges(previous, pod)),
      deleted: (pod) => recorder.record(podChanges(pod, undefined)),
    });
    this.slices.handle({
      added: (slice) => recorder.record(sliceChanges(undefined, slice)),
      updated: (previous, slice) => recorder.record(sliceChanges(previous, slice)),
      deleted: (slice) => recorder.record(sliceChanges(slice, undefined)),
    });
    this.ended = Promise.all([this.nodes, this.leases, this.pods, this.slices].map((informer) => informer.run(this.stopping.signal)));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  /** Resolves after the next renewal of the node's Lease. */
  async waitForRenewal(nodeName: string): Promise<void> {
    const renewTime = (): string | undefined => this.leases.get(LEASE_NAMESPACE, nodeName)?.body.spec?.renewTime;
    const before = renewTime();
    await waitUntil(`a renewal of the Lease of ${nodeName}`, () => renewTime() !== before, 60_000);
  }

  /** Whether a node has the NoExecute taint of nodes that do not respond. */
  isUnreachable(nodeName: string): boolean {
    const node = this.nodes.get('', nodeName);
    return node !== undefined && taintsOf(node).some(({ key, effect }) => key.endsWith('/unreachable') && effect === 'NoExecute');
  }

  /** Whether all pods of the Deployment on a node are being deleted or have been. */
  isEvicted(nodeName: string): boolean {
    return this.workloadPods().every((pod) => nodeNameOf(pod) !== nodeName || isBeingDeleted(pod));
  }

  /** Whether all nodes are ready and free of taints, all pods ready, and all endpoints of the Service too. */
  isRecovered(): boolean {
    const nodes = this.nodes.list();
    const pods = this.pods.list();
    const endpoints = this.slices.list().flatMap(({ body }) => body.endpoints ?? []);
    return (
      nodes.length === NODES.length &&
      nodes.every(isHealthy) &&
      pods.length === REPLICAS + NODES.length &&
      pods.every((pod) => isPodReady(pod) && !isBeingDeleted(pod)) &&
      endpoints.length === REPLICAS &&
      endpoints.every((endpoint) => endpointState(endpoint) === 'ready')
    );
  }

  /** Numbers of the Deployment's pods by node. */
  spread(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const pod of this.workloadPods()) counts.set(nodeNameOf(pod), (counts.get(nodeNameOf(pod)) ?? 0) + 1);
    return counts;
  }

  private workloadPods(): readonly Pod[] {
    return this.pods.list().filter((pod) => labelsOf(pod)[WORKLOAD_LABEL] === DEPLOYMENT);
  }
}

const isHealthy = (node: Node): boolean => conditionStatus(node.body, 'Ready') === 'True' && taintsOf(node).length === 0;
