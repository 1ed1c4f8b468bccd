/**
 * Carries out decisions: selects nodes for claims, binds pods, and reports unschedulable ones in their condition, in an
 * Event, and by preempting others. Decides nothing.
 */
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { ignoreNotFound, ignoreNotFoundOrConflict } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { qualifiedNameInDialect } from '../../../shared/names/dialect';
import { conditionOf, conditionsOf, conditionsPatch, transitionTime, withCondition } from '../../runtime/conditions';
import type { ControllerContext } from '../../runtime/controller';
import { disruptionTargetPatch } from '../../runtime/disruption-target';
import { podReference } from '../../runtime/pods';
import type { SchedulingDecision } from './decide';
import type { PodInfo } from './pod-info';
import type { Preemption } from './preemption';
import { selectedNodeOf, SELECTED_NODE_ANNOTATION, type ClaimBinding } from './volumes';

const PODS = resourceOf('core.v1.Pod');
const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');
const VOLUMES = resourceOf('core.v1.PersistentVolume');
const SCHEDULED = 'PodScheduled';
const PREEMPTION = {
  reason: 'PreemptionByScheduler',
  message: 'simulated-scheduler: preempting to accommodate a higher priority pod',
};

/** The part of the controller context that is used here. */
export type DecisionContext = Pick<ControllerContext, 'client' | 'clock' | 'signal' | 'events'>;
type Unschedulable = Extract<SchedulingDecision, { type: 'unschedulable' }>;

/** Its methods may run concurrently for different pods. */
export class DecisionWriter {
  constructor(private readonly context: DecisionContext) {}

  /** Rejects when the pod could not be bound, for example because it was deleted. */
  async bind({ pod }: PodInfo, node: string): Promise<void> {
    const { client, signal, events } = this.context;
    const { namespace, name, uid } = pod;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    await client.of(PODS).namespace(namespace).createSubresource(name, 'binding', binding, { signal });
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    events.record({ about: podReference(pod), type: 'Normal', reason: 'Scheduled', message });
  }

  /**
   * Reserves existing volumes for claims, and names the node on claims that get a new volume for it. The volume
   * controller binds both.
   */
  async bindClaims(bindings: readonly ClaimBinding[], node: string): Promise<void> {
    const { client, signal } = this.context;
    const annotation = qualifiedNameInDialect(client.dialect, SELECTED_NODE_ANNOTATION);
    for (const { claim, volume } of bindings) {
      const { namespace, name, uid, resourceVersion } = claim;
      if (volume !== undefined) {
        if (volume.body.spec?.claimRef?.uid === uid) continue;
        const patch = {
          metadata: { resourceVersion: volume.resourceVersion },
          spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid } },
        };
        await client.of(VOLUMES).patch(volume.name, 'merge', patch, { signal }).catch(ignoreNotFoundOrConflict);
        continue;
      }
      if (selectedNodeOf(claim) === node) continue;
      const metadata = { resourceVersion, annotations: { [annotation]: node } };
      await client.of(CLAIMS).namespace(namespace).patchMetadata(name, metadata, { signal }).catch(ignoreNotFoundOrConflict);
    }
  }

  /**
   * Records an Event, writes the condition and preempts the victims. Skips the condition of a pod that has changed or was
   * deleted since. A victim is deleted even if it has changed. Rejects on any other failure.
   */
  async reportUnschedulable({ pod }: PodInfo, { message, preemption, keepsNomination }: Unschedulable): Promise<void> {
    this.context.events.record({ about: podReference(pod), type: 'Warning', reason: 'FailedScheduling', message });
    const nominated = pod.body.status?.nominatedNodeName;
    await this.writeCondition(pod, message, keepsNomination ? nominated : preemption?.node);
    if (preemption !== undefined) await this.preempt(pod, preemption);
  }

  private async writeCondition(pod: Pod, message: string, nominatedNodeName: string | undefined): Promise<void> {
    const { client, clock, signal } = this.context;
    const { namespace, name, body } = pod;
    const current = conditionOf(body, SCHEDULED);
    const isSameNomination = (body.status?.nominatedNodeName ?? '') === (nominatedNodeName ?? '');
    if (current?.status === 'False' && current.message === message && isSameNomination) return;
    const conditions = conditionsOf(body);
    const condition = {
      type: SCHEDULED,
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: transitionTime(conditions, SCHEDULED, 'False', formatTimestamp(clock.now())),
    };
    const { metadata, status } = conditionsPatch(pod, withCondition(conditions, condition));
    const patch = { metadata, status: { ...status, ...(isSameNomination ? {} : { nominatedNodeName: nominatedNodeName ?? null }) } };
    await client
      .of(PODS)
      .namespace(namespace)
      .patch(name, 'merge', patch, { subresource: 'status', signal })
      .catch(ignoreNotFoundOrConflict);
  }

  private async preempt(preemptor: Pod, { node, victims }: Preemption): Promise<void> {
    const { client, clock, signal, events } = this.context;
    for (const { pod } of victims) {
      const { namespace, name, uid } = pod;
      const patch = disruptionTargetPatch(pod, PREEMPTION, clock.now());
      await client
        .of(PODS)
        .namespace(namespace)
        .patch(name, 'merge', patch, { subresource: 'status', signal })
        .catch(ignoreNotFoundOrConflict);
      await client.of(PODS).namespace(namespace).delete(name, { preconditions: { uid }, signal }).catch(ignoreNotFound);
      const message = `Preempted by pod ${preemptor.uid} on node ${node}`;
      events.record({ about: podReference(pod), type: 'Normal', reason: 'Preempted', message });
    }
  }
}
