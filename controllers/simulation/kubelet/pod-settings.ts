/**
 * Reads how a simulated pod behaves: from its annotations, its probes and its owner. A malformed annotation is reported
 * and has no effect.
 */
import type { CoreV1Container } from '../../../shared/api/types/generated/members';
import { parseDuration } from '../../../shared/cli/duration';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { simulationAnnotation, SIMULATION_ANNOTATIONS, type SimulationAnnotation } from '../../../shared/names/simulation';
import { controllerOf } from '../../runtime/pods';

/** How the containers of a pod behave. Durations are in milliseconds. */
export interface PodSettings {
  /** From the pod's `startTime`, which the first status after the binding sets, to the start of the first container. */
  readonly startMs: number;
  /** From the start of a container until it is ready; undefined: the initial delays of its probes. */
  readonly readyMs: number | undefined;
  /** How long each init container runs, except sidecars. */
  readonly initMs: number;
  /** From the start of a container until it exits with 0; undefined: it runs until the pod is deleted. */
  readonly runMs: number | undefined;
  /** Undefined when no run fails. */
  readonly failure: RunFailure | undefined;
  /** From the deletion until the containers have stopped. The caller limits it to the grace period. */
  readonly terminationMs: number;
  /** The containers never start, and wait for this reason. */
  readonly waitingReason: string | undefined;
}

/** The first `runs` runs of each regular container fail. */
export interface RunFailure {
  /** From 1 to 255. */
  readonly exitCode: number;
  /** `Infinity` when all runs fail. */
  readonly runs: number;
  /** How long a failing run takes. */
  readonly afterMs: number;
}

/** The settings, and what could not be read. */
export interface ParsedPodSettings {
  readonly settings: PodSettings;
  /** One message for each malformed annotation. */
  readonly problems: readonly string[];
}

const DEFAULT_MS = { start: 1_000, termination: 1_000, run: 1_000 };
/** A year: longer durations in an annotation are taken for mistakes. */
const MAX_DURATION_MS = 365 * 86_400_000;
/** The exit code of a process is a byte. */
const MAX_EXIT_CODE = 255;
/** A reason such as `ImagePullBackOff`. */
const REASON = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Returns the settings and a message for each malformed annotation, which counts as absent. */
export function podSettings(pod: Pod): ParsedPodSettings {
  const { annotations } = pod.metadata;
  const problems: string[] = [];
  const read = <T>(name: SimulationAnnotation, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = simulationAnnotation(annotations, name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(`the annotation ${SIMULATION_ANNOTATIONS[name]} must be ${expected}`);
    return value;
  };
  const duration = (name: SimulationAnnotation): number | undefined => read(name, durationIn, 'a duration such as 500ms or 1m30s');
  const exitCode = read('exitCode', integerUpTo(MAX_EXIT_CODE), 'a number from 0 to 255');
  const runs = read('failingRuns', integerUpTo(Number.MAX_SAFE_INTEGER), 'a number') ?? Infinity;
  const runMs = duration('runDuration');
  const settings = {
    startMs: duration('startDelay') ?? DEFAULT_MS.start,
    readyMs: duration('readyDelay'),
    initMs: duration('initDuration') ?? 0,
    runMs: runMs ?? (isPodOfJob(pod) ? DEFAULT_MS.run : undefined),
    failure: exitCode === undefined || exitCode === 0 ? undefined : { exitCode, runs, afterMs: runMs ?? DEFAULT_MS.run },
    terminationMs: duration('terminationDelay') ?? DEFAULT_MS.termination,
    waitingReason: read('waitingReason', (text) => (REASON.test(text) ? text : undefined), 'a word such as ImagePullBackOff'),
  };
  return { settings, problems };
}

/**
 * Milliseconds from the start of a container until its startup probe succeeds, and until it is ready. A `readyMs` of the
 * settings may be shorter than `startedMs`: the container is then ready before its startup probe succeeds.
 */
export function probeDelays(
  container: CoreV1Container,
  { readyMs }: PodSettings,
): { readonly startedMs: number; readonly readyMs: number } {
  const startedMs = 1000 * (container.startupProbe?.initialDelaySeconds ?? 0);
  return { startedMs, readyMs: readyMs ?? startedMs + 1000 * (container.readinessProbe?.initialDelaySeconds ?? 0) };
}

/** Pods of Jobs complete by themselves. */
const isPodOfJob = (pod: Pod): boolean => controllerOf(pod)?.kind === 'Job' && pod.body.spec?.restartPolicy !== 'Always';

function durationIn(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined || ms < 0 || ms > MAX_DURATION_MS ? undefined : ms;
}

/** Up to 16 digits, as many as the largest safe integer has. */
const DECIMAL = /^\d{1,16}$/;

/** Returns a parser of integers from 0 to `max`; undefined for other text. */
const integerUpTo =
  (max: number) =>
  (text: string): number | undefined =>
    DECIMAL.test(text) && Number(text) <= max ? Number(text) : undefined;
