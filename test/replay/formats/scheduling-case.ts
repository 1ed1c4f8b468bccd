/** The lines of recorded scheduling decisions (format `scheduling`): a cluster, a pod, and what the scheduler decides. */
import type { Body } from '../json-response';
import { body, listOf, number, shape, text, type Checked } from '../shape';

/** `namespace` is that of the pods. */
export const isSchedulingHead = shape({ format: text, namespace: text });

/** `priority` is the value of the pod's PriorityClass. */
const podMembers = { labels: body, priority: number, spec: body };
const isRunningPod = shape({ name: text, node: text }, podMembers);
export type RunningPod = Checked<typeof isRunningPod>;

export const isSchedulingCase = shape(
  {
    title: text,
    /** `metadata`, `spec` and `status` of nodes. */
    nodes: listOf(body),
    /** The pod that the scheduler decides about. */
    pod: shape({}, podMembers),
  },
  {
    pods: listOf(isRunningPod),
    /** PersistentVolumeClaims, PersistentVolumes and StorageClasses. */
    volumes: listOf(body),
    /** The name of the node to which the pod is bound; absent when it is bound to none, or to one of several. */
    node: text,
    /** The message of the condition PodScheduled. */
    message: text,
    /** The name of the nominated node. */
    nominated: text,
    /** The names of the pods that are preempted, sorted. */
    victims: listOf(text),
  },
);
export type SchedulingCase = Checked<typeof isSchedulingCase>;

/** The name of the pod that the scheduler decides about. */
export const POD_NAME = 'incoming';

/** The pod as it is created; the priority is set by its class. */
export function podManifest(
  namespace: string,
  { name, node, labels = {}, priority, spec = {} }: Partial<RunningPod> & { readonly name: string },
): Body {
  return {
    metadata: { namespace, name, labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i' }],
      ...spec,
      ...(node === undefined ? {} : { nodeName: node }),
      ...(priority === undefined ? {} : { priorityClassName: `recorded-${priority}` }),
    },
  };
}
