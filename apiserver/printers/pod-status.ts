/**
 * The status of a pod's row: ready containers, status text and restarts (upstream behaviour, recorded in
 * test/replay/answers/printers). A failing init container takes precedence over containers, and the first failing
 * container is shown.
 */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly statusText: string;
  readonly restarts: number;
  /** When the previous run before the latest restart ended, in RFC 3339; `undefined` without a restart. */
  readonly lastRestart: string | undefined;
}

export function summarizePod(pod: JsonObject): PodSummary {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const sidecars = sidecarNames(spec);
  const initPhase = readInitPhase(status, sidecars, objects(spec, 'initContainers').length);
  const isInitialized = initPhase.pending === undefined || hasCondition(status, 'Initialized', 'True');
  const mainPhase = isInitialized ? readMainPhase(status, initPhase.sidecarRestarts) : undefined;
  const statusText = mainPhase?.statusText ?? initPhase.pending ?? podStateText(status);
  return {
    ready: initPhase.ready + (mainPhase?.ready ?? 0),
    total: objects(spec, 'containers').length + sidecars.size,
    statusText: withDeletion(pod, status, statusText),
    ...(mainPhase?.restarts ?? initPhase.restarts).result(),
  };
}

/** Restarts of several containers, and the latest time at which a previous run ended. */
class Restarts {
  private count = 0;
  private last: string | undefined;

  add(container: JsonObject): void {
    this.count += numberAt(container, 'restartCount');
    const finished = stringAt(objectAt(objectAt(container, 'lastState'), 'terminated'), 'finishedAt');
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

function readInitPhase(status: JsonObject | undefined, sidecars: ReadonlySet<string>, count: number): InitPhase {
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  let pending: string | undefined;
  for (const [index, container] of objects(status, 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(stringAt(container, 'name') ?? '');
    restarts.add(container);
    if (isSidecar) sidecarRestarts.add(container);
    const terminated = stateAt(container, 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && own(container, 'started') === true) {
      if (own(container, 'ready') === true) ready += 1;
      continue;
    }
    pending = `Init:${initFailureText(container, terminated) ?? `${index}/${count}`}`;
    break;
  }
  return { pending, ready, restarts, sidecarRestarts };
}

function initFailureText(container: JsonObject, terminated: JsonObject | undefined): string | undefined {
  if (terminated !== undefined) return terminationText(terminated);
  const reason = stringAt(stateAt(container, 'waiting'), 'reason') ?? '';
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

interface MainPhase {
  readonly ready: number;
  /** `undefined` when no container has a reason. */
  readonly statusText: string | undefined;
  readonly restarts: Restarts;
}

function readMainPhase(status: JsonObject | undefined, restarts: Restarts): MainPhase {
  let ready = 0;
  let statusText: string | undefined;
  for (const container of objects(status, 'containerStatuses')) {
    restarts.add(container);
    const waiting = stringAt(stateAt(container, 'waiting'), 'reason') ?? '';
    const terminated = stateAt(container, 'terminated');
    if (waiting !== '') statusText ??= waiting;
    else if (terminated !== undefined) statusText ??= terminationText(terminated);
    else if (own(container, 'ready') === true && stateAt(container, 'running') !== undefined) ready += 1;
  }
  if (statusText === 'Completed' && ready > 0) statusText = hasCondition(status, 'Ready', 'True') ? 'Running' : 'NotReady';
  return { ready, statusText, restarts };
}

/** The pod's reason or phase; SchedulingGated takes precedence. */
function podStateText(status: JsonObject | undefined): string {
  const isSchedulingGated = objects(status, 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'PodScheduled' && stringAt(condition, 'reason') === 'SchedulingGated',
  );
  if (isSchedulingGated) return 'SchedulingGated';
  const reason = stringAt(status, 'reason') ?? '';
  return reason === '' ? (stringAt(status, 'phase') ?? '') : reason;
}

/** A terminating pod is shown as such, unless it has finished or its node was lost. */
function withDeletion(pod: JsonObject, status: JsonObject | undefined, statusText: string): string {
  if (stringAt(objectAt(pod, 'metadata'), 'deletionTimestamp') === undefined) return statusText;
  if (stringAt(status, 'reason') === 'NodeLost') return 'Unknown';
  const phase = stringAt(status, 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? statusText : 'Terminating';
}

function terminationText(terminated: JsonObject): string {
  const reason = stringAt(terminated, 'reason') ?? '';
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** Sidecars: init containers that keep running. */
function sidecarNames(spec: JsonObject | undefined): ReadonlySet<string> {
  const sidecars = objects(spec, 'initContainers').filter((container) => stringAt(container, 'restartPolicy') === 'Always');
  return new Set(sidecars.map((container) => stringAt(container, 'name') ?? ''));
}

function hasCondition(status: JsonObject | undefined, type: string, value: string): boolean {
  return objects(status, 'conditions').some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === value);
}

function stateAt(container: JsonObject, state: 'waiting' | 'running' | 'terminated'): JsonObject | undefined {
  return objectAt(objectAt(container, 'state'), state);
}

function numberAt(value: JsonObject, member: string): number {
  const number = own(value, member);
  return typeof number === 'number' ? number : 0;
}

function objects(value: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(value, member) ?? []).filter((item) => isObject(item));
}
