/** The conditions that a kubelet reports of a pod. The functions are pure. Conditions of other components are kept. */
import type { CoreV1ContainerStatus, CoreV1PodCondition } from '../../../shared/api/types/generated/members';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { conditionsOf, conditionStatus, transitionTime, withCondition } from '../../runtime/conditions';

/** What the conditions follow from. */
export interface PodState {
  /** The phase of the pod's status. */
  readonly phase: string;
  /** The pod has its network: its containers may be created. */
  readonly hasStarted: boolean;
  /** All init containers are done and all sidecars have started. */
  readonly isInitialized: boolean;
  /** The statuses of init containers, sidecars included. */
  readonly init: readonly CoreV1ContainerStatus[];
  /** The statuses of the other containers. */
  readonly regular: readonly CoreV1ContainerStatus[];
}

/** A condition without its type and times. */
interface ConditionValue {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

const TRUE: ConditionValue = { status: 'True' };

/** All conditions of the pod. `now`: RFC 3339, for conditions that change their status. */
export function podConditions(pod: Pod, state: PodState, now: string): CoreV1PodCondition[] {
  const current = conditionsOf(pod.body);
  const values: readonly (readonly [type: string, value: ConditionValue])[] = [
    ['PodReadyToStartContainers', state.hasStarted && !isFinished(state) ? TRUE : { status: 'False' }],
    ['Initialized', initializedValue(state)],
    ['Ready', readyValue(pod, state)],
    ['ContainersReady', containersReadyValue(state)],
    ['PodScheduled', TRUE],
  ];
  return values.reduce<CoreV1PodCondition[]>(
    (conditions, [type, value]) =>
      withCondition(conditions, {
        type,
        ...value,
        lastProbeTime: null,
        lastTransitionTime: transitionTime(current, type, value.status, now),
      }),
    [...current],
  );
}

const isFinished = ({ phase }: PodState): boolean => phase === 'Succeeded' || phase === 'Failed';

function initializedValue({ phase, isInitialized, init }: PodState): ConditionValue {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if (isInitialized) return TRUE;
  const incomplete = namesOf(init.filter(({ ready }) => ready !== true));
  return { status: 'False', reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${incomplete}]` };
}

function containersReadyValue({ phase, init, regular }: PodState): ConditionValue {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = [...init.filter(({ state }) => state?.running !== undefined), ...regular].filter(({ ready }) => ready !== true);
  if (unready.length === 0) return TRUE;
  return { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${namesOf(unready)}]` };
}

function readyValue(pod: Pod, state: PodState): ConditionValue {
  const containers = containersReadyValue(state);
  if (containers.status === 'False') return containers;
  const gates = (pod.body.spec?.readinessGates ?? []).map(({ conditionType = '' }) => conditionType);
  const missing = gates.filter((type) => conditionStatus(pod.body, type) !== 'True');
  if (missing.length === 0) return TRUE;
  const message = missing.map(
    (type) => `the status of pod readiness gate "${type}" is not "True", but ${conditionStatus(pod.body, type) || 'Unknown'}`,
  );
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: message.join(', ') };
}

const namesOf = (statuses: readonly CoreV1ContainerStatus[]): string => statuses.map(({ name = '' }) => name).join(' ');
