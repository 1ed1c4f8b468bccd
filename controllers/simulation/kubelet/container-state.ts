/**
 * The states of a simulated container over time. Pure: the next status follows from the current one and the time. Times
 * in statuses have whole seconds, so that a delay may be up to a second shorter than configured.
 */
import { formatTimestamp, parseTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1Container, CoreV1ContainerState, CoreV1ContainerStatus } from '../../../shared/api/types/generated/members';
import { formatDuration } from '../../../shared/cli/duration';
import { probeDelays, type PodSettings } from './pod-settings';

/** The status of a container now, and when it changes next. */
export interface ContainerStep {
  readonly status: CoreV1ContainerStatus;
  /** Milliseconds since 1970 of the next change; undefined when none is due. */
  readonly dueAt: number | undefined;
}

/** What the states of a container depend on besides its status. */
export interface ContainerContext {
  readonly settings: PodSettings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the container is started again after it ended with this code. */
  readonly shouldRestart: (exitCode: number) => boolean;
  /** Milliseconds from the start of a container until it exits with 0; undefined when it does not exit by itself. */
  readonly runMs: number | undefined;
  /** The runs that fail; undefined when none does. */
  readonly failure: PodSettings['failure'];
  /** `name_namespace(uid)` of the pod, for messages. */
  readonly podName: string;
  readonly podUid: string;
}

/** The kubelet's delays before restarts: none before the first one, then 10 s, 20 s, 40 s and so on up to 5 minutes. */
const INITIAL_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 300_000;
/** Exit codes of processes that end on SIGTERM, and on SIGKILL. */
const EXIT_CODES = { SIGTERM: 143, SIGKILL: 137 };

export const isRunning = ({ state }: CoreV1ContainerStatus): boolean => state?.running !== undefined;
export const isTerminated = ({ state }: CoreV1ContainerStatus): boolean => state?.terminated !== undefined;
/** 0 for a container that has not terminated. */
export const exitCodeOf = ({ state }: CoreV1ContainerStatus): number => state?.terminated?.exitCode ?? 0;

/** The status of a container that has not been started yet. `reason`: such as `PodInitializing`. */
export function waitingContainer(
  container: CoreV1Container,
  previous: CoreV1ContainerStatus | undefined,
  reason: string,
): CoreV1ContainerStatus {
  return containerStatus(container, previous, { waiting: { reason } });
}

/** The status of a container that may run: started if it is not, and advanced to the present. */
export function advanceContainer(
  container: CoreV1Container,
  previous: CoreV1ContainerStatus | undefined,
  context: ContainerContext,
): ContainerStep {
  const { now, shouldRestart } = context;
  let status = previous ?? waitingContainer(container, undefined, 'ContainerCreating');
  const { terminated } = status.state ?? {};
  if (terminated !== undefined) {
    if (!shouldRestart(terminated.exitCode ?? 0)) return { status, dueAt: undefined };
    status = { ...status, state: {}, lastState: { terminated } };
  }
  if (!isRunning(status)) {
    const failed = status.lastState?.terminated;
    const restartCount = status.restartCount ?? 0;
    const backOffMs = failed === undefined ? 0 : backOffAfter(restartCount);
    const startsAt = (parseTimestamp(failed?.finishedAt ?? undefined) ?? now) + backOffMs;
    if (failed !== undefined && startsAt > now) return { status: crashLoop(container, status, context, backOffMs), dueAt: startsAt };
    status = startContainer(container, status, context, failed === undefined ? restartCount : restartCount + 1);
  }
  return runContainer(container, status, context);
}

/**
 * The status of a container after a signal, or after it exited with 0 by itself when `signal` is undefined. A container
 * that does not run keeps its state.
 */
export function stoppedContainer(
  container: CoreV1Container,
  previous: CoreV1ContainerStatus | undefined,
  { now, signal }: { readonly now: number; readonly signal: keyof typeof EXIT_CODES | undefined },
): CoreV1ContainerStatus {
  if (previous === undefined) return waitingContainer(container, undefined, 'ContainerCreating');
  if (!isRunning(previous)) return { ...previous, ready: false, started: false };
  const exitCode = signal === undefined ? 0 : EXIT_CODES[signal];
  return terminatedContainer(container, previous, { exitCode, now });
}

function startContainer(
  container: CoreV1Container,
  previous: CoreV1ContainerStatus,
  { now, podUid }: ContainerContext,
  restartCount: number,
): CoreV1ContainerStatus {
  const containerID = `simulation://${podUid}/${container.name ?? ''}/${restartCount}`;
  const state = { running: { startedAt: formatTimestamp(now) } };
  return { ...containerStatus(container, previous, state), restartCount, containerID };
}

/** Advances a running container: it may have ended since, and have been started again. */
function runContainer(container: CoreV1Container, running: CoreV1ContainerStatus, context: ContainerContext): ContainerStep {
  const { settings, now, failure } = context;
  const startedAt = parseTimestamp(running.state?.running?.startedAt ?? undefined) ?? now;
  const isFailing = failure !== undefined && (running.restartCount ?? 0) < failure.runs;
  const endsAt = startedAt + (isFailing ? failure.afterMs : (context.runMs ?? Infinity));
  if (endsAt <= now) {
    const status = terminatedContainer(container, running, { exitCode: isFailing ? failure.exitCode : 0, now });
    if (!context.shouldRestart(exitCodeOf(status))) return { status, dueAt: undefined };
    return advanceContainer(container, status, context);
  }
  const delays = probeDelays(container, settings);
  const startupAt = startedAt + delays.startedMs;
  const readyAt = startedAt + delays.readyMs;
  const due = [startupAt, readyAt, endsAt].filter((at) => at > now && Number.isFinite(at));
  const probes = { ready: readyAt <= now, started: startupAt <= now };
  const status = containerStatus(container, running, running.state ?? {}, probes);
  return { status, dueAt: due.length === 0 ? undefined : Math.min(...due) };
}

function terminatedContainer(
  container: CoreV1Container,
  running: CoreV1ContainerStatus,
  { exitCode, now }: { readonly exitCode: number; readonly now: number },
): CoreV1ContainerStatus {
  const { containerID } = running;
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: running.state?.running?.startedAt ?? null,
    finishedAt: formatTimestamp(now),
    ...(containerID === undefined ? {} : { containerID }),
  };
  return containerStatus(container, running, { terminated });
}

function crashLoop(
  container: CoreV1Container,
  status: CoreV1ContainerStatus,
  { podName }: ContainerContext,
  backOffMs: number,
): CoreV1ContainerStatus {
  const message = `back-off ${formatDuration(backOffMs)} restarting failed container=${container.name ?? ''} pod=${podName}`;
  return containerStatus(container, status, { waiting: { reason: 'CrashLoopBackOff', message } });
}

/** The delay before the next restart of a container that was restarted `restartCount` times. Milliseconds. */
const backOffAfter = (restartCount: number): number =>
  restartCount === 0 ? 0 : Math.min(INITIAL_BACK_OFF_MS * 2 ** (restartCount - 1), MAX_BACK_OFF_MS);

/** What the probes of a container report. */
interface ProbeResults {
  readonly ready: boolean;
  readonly started: boolean;
}

const NOT_STARTED: ProbeResults = { ready: false, started: false };

/** The status with this state. The number of restarts, the container ID and the last state are those of `previous`. */
function containerStatus(
  { name = '', image = '' }: CoreV1Container,
  previous: CoreV1ContainerStatus | undefined,
  state: CoreV1ContainerState,
  { ready, started }: ProbeResults = NOT_STARTED,
): CoreV1ContainerStatus {
  const { containerID } = previous ?? {};
  return {
    name,
    image,
    imageID: containerID === undefined ? '' : `simulation://${image}`,
    restartCount: previous?.restartCount ?? 0,
    ...(containerID === undefined ? {} : { containerID }),
    lastState: previous?.lastState ?? {},
    state,
    ready,
    started,
  };
}
