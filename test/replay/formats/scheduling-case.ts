/** The lines of recorded scheduling decisions (format `scheduling`): a cluster, a pod, and what the scheduler decides. */
import type { Body } from '../json-response';
import { body, listOf, number, shape, text, type Check } from '../shape';

export interface SchedulingHead {
  readonly format: string;
  /** The namespace of the pods. */
  readonly namespace: string;
}

/** A pod that runs on a node. */
export interface RunningPod {
  readonly name: string;
  readonly node: string;
  readonly labels?: Body;
  /** The pod has a PriorityClass of this value. */
  readonly priority?: number;
  readonly spec?: Body;
}

export interface SchedulingCase {
  readonly title: string;
  /** `metadata`, `spec` and `status` of nodes. */
  readonly nodes: readonly Body[];
  readonly pods?: readonly RunningPod[];
  /** PersistentVolumeClaims, PersistentVolumes and StorageClasses. */
  readonly volumes?: readonly Body[];
  readonly pod: Omit<RunningPod, 'node' | 'name'>;
  /** The name of the node to which the pod is bound; absent when it is bound to none, or to one of several. */
  readonly node?: string;
  /** The message of the condition PodScheduled. */
  readonly message?: string;
  readonly nominated?: string;
  /** The names of the pods that are preempted, sorted. */
  readonly victims?: readonly string[];
}

export const isSchedulingHead: Check<SchedulingHead> = shape({ format: text, namespace: text });

const runningPod = { labels: body, priority: number, spec: body };

export const isSchedulingCase: Check<SchedulingCase> = shape(
  { title: text, nodes: listOf(body), pod: shape({}, runningPod) },
  {
    pods: listOf(shape({ name: text, node: text }, runningPod)),
    volumes: listOf(body),
    node: text,
    message: text,
    nominated: text,
    victims: listOf(text),
  },
);

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
