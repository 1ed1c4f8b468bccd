/**
 * The life cycle of a pod on a simulated node. Computes, from the pod and the time, the status that a kubelet would report,
 * whether the pod is to be deleted now, and when to look again. The functions are pure. Writes nothing and allocates no
 * addresses.
 */
import { formatTimestamp, parseTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1Container, CoreV1ContainerStatus, CoreV1PodStatus } from '../../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../../shared/client/rest/api-object';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { isPodTerminated } from '../../runtime/pods';
import {
  advanceContainer,
  exitCodeOf,
  isRunning,
  isTerminated,
  stoppedContainer,
  waitingContainer,
  type ContainerContext,
} from './container-state';
import { podConditions } from './pod-conditions';
import type { PodSettings } from './pod-settings';

/** A pod, and what its kubelet would know. */
export interface PodInput {
  readonly pod: Pod;
  readonly settings: PodSettings;
  /** Addresses of the node. */
  readonly hostIps: readonly string[];
  /** The addresses of the pod once its containers start. */
  readonly podIps: readonly string[];
  /** Milliseconds since 1970, as all times here. */
  readonly now: number;
}

/** What the kubelet does now. */
export interface PodStep {
  readonly status: CoreV1PodStatus;
  /** The containers have stopped: the pod is to be deleted with a grace period of 0. */
  readonly canBeDeleted: boolean;
  /** The time of the next change, in milliseconds since 1970; undefined when only a change of the pod causes one. */
  readonly dueAt: number | undefined;
}

/** The statuses of the containers of a pod. */
interface Containers {
  readonly init: readonly CoreV1ContainerStatus[];
  readonly regular: readonly CoreV1ContainerStatus[];
  /** Whether all init containers are done and all sidecars have started. */
  readonly isInitialized: boolean;
  /** As in {@link PodStep}. */
  readonly dueAt: number | undefined;
}

/** How a container runs: regular containers as the settings of the pod state, init containers and sidecars without failures. */
interface ContainerRun extends Pick<ContainerContext, 'runMs' | 'failure'> {
  /** Of the pod for regular containers; `Always` for sidecars and `Never` for other init containers. */
  readonly restartPolicy: string;
}

const SIDECAR: ContainerRun = { runMs: undefined, failure: undefined, restartPolicy: 'Always' };

/** The next step of a pod. It follows from the stored pod and the time alone, so that the call may be repeated. */
export function nextPodStep(input: PodInput): PodStep {
  const { pod, now } = input;
  if (isBeingDeleted(pod)) return terminationStep(input);
  if (isPodTerminated(pod)) return { status: pod.body.status ?? {}, canBeDeleted: false, dueAt: undefined };
  const deadline = activeDeadline(pod);
  if (deadline !== undefined && deadline <= now) return deadlineStep(input);
  const startTime = pod.body.status?.startTime ?? formatTimestamp(now);
  const startsAt = (parseTimestamp(startTime) ?? now) + input.settings.startMs;
  const hasStarted = pod.body.status?.startTime !== undefined && startsAt <= now && input.settings.waitingReason === undefined;
  const containers = hasStarted ? advanceContainers(input) : waitingContainers(input);
  const phase = hasStarted ? phaseOf(input, containers) : 'Pending';
  const isFinished = phase === 'Succeeded' || phase === 'Failed';
  const finished = isFinished ? { ...containers, init: stopSidecars(input, containers.init) } : containers;
  // With a waiting reason the containers never start, so that nothing is due (dueAt of waitingContainers).
  const dueAt = hasStarted || input.settings.waitingReason !== undefined ? containers.dueAt : startsAt;
  return {
    status: podStatus(input, { phase, startTime, hasStarted, containers: finished }),
    canBeDeleted: false,
    dueAt: isFinished ? undefined : earliest(dueAt, deadline),
  };
}

const earliest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The time at which `activeDeadlineSeconds` ends; undefined without a deadline and before the start of the pod. */
function activeDeadline({ body: { spec, status } }: Pod): number | undefined {
  const startedAt = parseTimestamp(status?.startTime);
  const seconds = spec?.activeDeadlineSeconds;
  return startedAt === undefined || seconds === undefined ? undefined : startedAt + 1000 * Number(seconds);
}

const DEADLINE_EXCEEDED = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };

/** The pod fails and its containers are stopped at once, as recorded from a kubelet of 1.31.1. */
function deadlineStep(input: PodInput): PodStep {
  const current = input.pod.body.status ?? {};
  const graceMs = 1000 * Number(input.pod.body.spec?.terminationGracePeriodSeconds ?? 0);
  const containers = stopContainers(input, input.settings.terminationMs < graceMs ? 'SIGTERM' : 'SIGKILL');
  const startTime = current.startTime ?? formatTimestamp(input.now);
  const status = podStatus(input, { phase: 'Failed', startTime, hasStarted: current.podIP !== undefined, containers });
  return { status: { ...status, ...DEADLINE_EXCEEDED }, canBeDeleted: false, dueAt: undefined };
}

/**
 * The step of a pod that is being deleted. Its containers keep running until the grace period or the simulated
 * termination ends, whichever is earlier. No container starts or becomes ready any more.
 */
function terminationStep(input: PodInput): PodStep {
  const { pod, settings, now } = input;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const graceMs = 1000 * Number(deletionGracePeriodSeconds ?? 0);
  // The deletionTimestamp is the end of the grace period.
  const requestedAt = (parseTimestamp(deletionTimestamp) ?? now) - graceMs;
  const stopsAt = requestedAt + Math.min(settings.terminationMs, graceMs);
  const current = pod.body.status ?? {};
  if (stopsAt > now) return { status: current, canBeDeleted: false, dueAt: stopsAt };
  // With a grace period of 0 the pod is already deleted as far as a kubelet can: only its finalizers keep it.
  const canBeDeleted = graceMs > 0;
  if (isPodTerminated(pod)) return { status: current, canBeDeleted, dueAt: undefined };
  const signal = settings.terminationMs < graceMs ? 'SIGTERM' : 'SIGKILL';
  const stopped = stopContainers(input, signal);
  const hasSucceeded = stopped.regular.every((status) => isTerminated(status) && exitCodeOf(status) === 0);
  const phase = hasSucceeded ? 'Succeeded' : 'Failed';
  const hasStarted = current.podIP !== undefined;
  const startTime = current.startTime ?? formatTimestamp(now);
  return { status: podStatus(input, { phase, startTime, hasStarted, containers: stopped }), canBeDeleted, dueAt: undefined };
}

function stopContainers({ pod, now }: PodInput, signal: 'SIGTERM' | 'SIGKILL'): Containers {
  const { containers = [], initContainers = [] } = pod.body.spec ?? {};
  const current = pod.body.status ?? {};
  const stop = (
    specs: readonly CoreV1Container[] | null,
    statuses: readonly CoreV1ContainerStatus[] | undefined,
  ): CoreV1ContainerStatus[] =>
    (specs ?? []).map((container) => stoppedContainer(container, statusOf(statuses, container), { now, signal }));
  return {
    init: stop(initContainers, current.initContainerStatuses),
    regular: stop(containers, current.containerStatuses),
    isInitialized: true,
    dueAt: undefined,
  };
}

function waitingContainers({ pod, settings }: PodInput): Containers {
  const { containers = [], initContainers = [] } = pod.body.spec ?? {};
  const reason = settings.waitingReason ?? (initContainers.length === 0 ? 'ContainerCreating' : 'PodInitializing');
  return {
    init: initContainers.map((container) => waitingContainer(container, undefined, reason)),
    regular: (containers ?? []).map((container) => waitingContainer(container, undefined, reason)),
    isInitialized: initContainers.length === 0,
    dueAt: undefined,
  };
}

/** Init containers run one after the other; a sidecar lets the next one start as soon as it has started itself. */
function advanceContainers(input: PodInput): Containers {
  const { pod, settings } = input;
  const { containers = [], initContainers = [], restartPolicy = 'Always' } = pod.body.spec ?? {};
  const status = pod.body.status ?? {};
  const due: number[] = [];
  const advance = (container: CoreV1Container, previous: CoreV1ContainerStatus | undefined, run: ContainerRun): CoreV1ContainerStatus => {
    const step = advanceContainer(container, previous, containerContext(input, run));
    if (step.dueAt !== undefined) due.push(step.dueAt);
    return step.status;
  };
  const init: CoreV1ContainerStatus[] = [];
  let isInitialized = true;
  for (const container of initContainers) {
    const previous = statusOf(status.initContainerStatuses, container);
    if (!isInitialized) {
      init.push(waitingContainer(container, previous, 'PodInitializing'));
      continue;
    }
    const isSidecar = container.restartPolicy === 'Always';
    const next = advance(container, previous, isSidecar ? SIDECAR : { runMs: settings.initMs, failure: undefined, restartPolicy: 'Never' });
    isInitialized = isSidecar ? next.started === true : isTerminated(next) && exitCodeOf(next) === 0;
    init.push(isTerminated(next) && exitCodeOf(next) === 0 ? { ...next, ready: true } : next);
  }
  const regular = (containers ?? []).map((container) => {
    const previous = statusOf(status.containerStatuses, container);
    if (!isInitialized) return waitingContainer(container, previous, 'PodInitializing');
    return advance(container, previous, { runMs: settings.runMs, failure: settings.failure, restartPolicy });
  });
  return { init, regular, isInitialized, dueAt: due.length === 0 ? undefined : Math.min(...due) };
}

function containerContext({ pod, settings, now }: PodInput, { restartPolicy, ...run }: ContainerRun): ContainerContext {
  const { namespace, name, uid } = pod;
  const shouldRestart = (exitCode: number): boolean => restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  return { settings, now, ...run, shouldRestart, podName: `${name}_${namespace}(${uid})`, podUid: uid };
}

/** The statuses of the init containers once the regular containers have ended: sidecars that still run exit with 0. */
function stopSidecars({ pod, now }: PodInput, statuses: readonly CoreV1ContainerStatus[]): readonly CoreV1ContainerStatus[] {
  return (pod.body.spec?.initContainers ?? []).flatMap((container) => {
    const status = statusOf(statuses, container);
    if (status === undefined) return [];
    return isRunning(status) ? stoppedContainer(container, status, { now, signal: undefined }) : status;
  });
}

/** The phase of a pod that has started. */
function phaseOf({ pod }: PodInput, { regular, isInitialized }: Containers): string {
  if (!isInitialized) return 'Pending';
  if (!regular.every(isTerminated)) return 'Running';
  if (pod.body.spec?.restartPolicy === 'Always') return 'Running';
  return regular.every((status) => exitCodeOf(status) === 0) ? 'Succeeded' : 'Failed';
}

function podStatus(
  { pod, hostIps, podIps, now }: PodInput,
  next: { readonly phase: string; readonly startTime: string; readonly hasStarted: boolean; readonly containers: Containers },
): CoreV1PodStatus {
  const { phase, startTime, hasStarted, containers } = next;
  const { init, regular, isInitialized } = containers;
  const current = pod.body.status ?? {};
  const [hostIP] = hostIps;
  const [podIP] = podIps;
  return {
    ...current,
    phase,
    conditions: podConditions(pod, { phase, hasStarted, isInitialized, init, regular }, formatTimestamp(now)),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(hasStarted && podIP !== undefined ? { podIP, podIPs: podIps.map((ip) => ({ ip })) } : {}),
    startTime,
    ...(init.length === 0 ? {} : { initContainerStatuses: [...init] }),
    containerStatuses: [...regular],
  };
}

const statusOf = (statuses: readonly CoreV1ContainerStatus[] | undefined, { name }: CoreV1Container): CoreV1ContainerStatus | undefined =>
  statuses?.find((status) => status.name === name);
