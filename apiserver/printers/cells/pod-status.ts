/**
 * The cells of a pod's row that depend on its containers: ready containers, status text and restarts (upstream
 * behaviour, recorded in test/replay/answers/printers). The status text of an initialized pod is about its first
 * container with a reason. Without such a container, or before, it is about the init container that blocks the pod, else
 * about the pod.
 */
import type {
  CoreV1ContainerStateTerminated,
  CoreV1ContainerStatus,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodStatus,
} from '../../../shared/api/types/generated/members';

/** The parts of a pod's row that depend on its containers. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly statusText: string;
  readonly restarts: number;
  /** RFC 3339 time at which the run before the latest restart ended; `undefined` without a restart. */
  readonly lastRestart: string | undefined;
}

/** Any client may write a status, so its parts need not agree with each other. */
export function summarizePod(pod: CoreV1Pod): PodSummary {
  const { spec = {}, status = {} } = pod;
  const sidecars = sidecarNames(spec);
  const initPhase = readInitPhase(status, sidecars, spec.initContainers?.length ?? 0);
  // A pod with the condition is shown as initialized although an init container blocks: a reason of a main container then
  // takes precedence over `initPhase.pending`.
  const isInitialized = initPhase.pending === undefined || hasCondition(status, 'Initialized', 'True');
  const mainPhase = isInitialized ? readMainPhase(status, initPhase.sidecarRestarts) : undefined;
  const statusText = mainPhase?.statusText ?? initPhase.pending ?? podStateText(status);
  return {
    ready: initPhase.ready + (mainPhase?.ready ?? 0),
    total: (spec.containers?.length ?? 0) + sidecars.size,
    statusText: withDeletion(pod, statusText),
    ...(mainPhase?.restarts ?? initPhase.restarts).result(),
  };
}

/** Restarts of several containers, and the latest time at which a previous run ended. */
class Restarts {
  private count = 0;
  private last: string | undefined;

  add({ restartCount = 0, lastState }: CoreV1ContainerStatus): void {
    this.count += restartCount;
    const finished = lastState?.terminated?.finishedAt ?? undefined;
    if (finished !== undefined && (this.last === undefined || Date.parse(finished) > Date.parse(this.last))) this.last = finished;
  }

  result(): { readonly restarts: number; readonly lastRestart: string | undefined } {
    return { restarts: this.count, lastRestart: this.last };
  }
}

interface InitPhase {
  /** The text for the init container that blocks the others; `undefined` when none does. */
  readonly pending: string | undefined;
  /** Sidecars that have started and are ready. */
  readonly ready: number;
  /** Restarts of the init containers up to and including the blocking one. */
  readonly restarts: Restarts;
  /** Restarts of the sidecars among them. */
  readonly sidecarRestarts: Restarts;
}

function readInitPhase({ initContainerStatuses = [] }: CoreV1PodStatus, sidecars: ReadonlySet<string>, count: number): InitPhase {
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  let pending: string | undefined;
  for (const [index, container] of initContainerStatuses.entries()) {
    const isSidecar = sidecars.has(container.name ?? '');
    restarts.add(container);
    if (isSidecar) sidecarRestarts.add(container);
    const terminated = container.state?.terminated;
    const hasSucceeded = terminated !== undefined && (terminated.exitCode ?? 0) === 0;
    if (hasSucceeded) continue;
    if (isSidecar && container.started === true) {
      if (container.ready === true) ready += 1;
      continue;
    }
    // `Init:Error`; `Init:0/2` while the container is running or has not started.
    pending = `Init:${initFailureText(container) ?? `${index}/${count}`}`;
    break;
  }
  return { pending, ready, restarts, sidecarRestarts };
}

function initFailureText({ state }: CoreV1ContainerStatus): string | undefined {
  if (state?.terminated !== undefined) return terminationText(state.terminated);
  const reason = state?.waiting?.reason ?? '';
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

interface MainPhase {
  readonly ready: number;
  /** `undefined` when no container has a reason. */
  readonly statusText: string | undefined;
  readonly restarts: Restarts;
}

/** Adds the restarts of the containers to `restarts`, which has those of the sidecars. */
function readMainPhase(status: CoreV1PodStatus, restarts: Restarts): MainPhase {
  let ready = 0;
  let statusText: string | undefined;
  for (const container of status.containerStatuses ?? []) {
    restarts.add(container);
    const { waiting, terminated, running } = container.state ?? {};
    const waitingReason = waiting?.reason ?? '';
    if (waitingReason !== '') statusText ??= waitingReason;
    else if (terminated !== undefined) statusText ??= terminationText(terminated);
    else if (container.ready === true && running !== undefined) ready += 1;
  }
  // Some containers have completed, and others run.
  if (statusText === 'Completed' && ready > 0) statusText = hasCondition(status, 'Ready', 'True') ? 'Running' : 'NotReady';
  return { ready, statusText, restarts };
}

/** The pod's reason or phase; SchedulingGated takes precedence. */
function podStateText({ conditions = [], reason = '', phase = '' }: CoreV1PodStatus): string {
  if (conditions.some((condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated')) return 'SchedulingGated';
  return reason === '' ? phase : reason;
}

/** A terminating pod is shown as such, unless it has finished or its node was lost. */
function withDeletion({ metadata, status: { reason, phase } = {} }: CoreV1Pod, statusText: string): string {
  if (metadata?.deletionTimestamp === undefined) return statusText;
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? statusText : 'Terminating';
}

function terminationText({ reason = '', signal = 0, exitCode = 0 }: CoreV1ContainerStateTerminated): string {
  if (reason !== '') return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** Sidecars: init containers that keep running. */
function sidecarNames({ initContainers = [] }: CoreV1PodSpec): ReadonlySet<string> {
  return new Set(initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name = '' }) => name));
}

function hasCondition({ conditions = [] }: CoreV1PodStatus, type: string, value: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === value);
}
