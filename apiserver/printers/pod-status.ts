/**
 * What a pod's row says about its state: ready containers, a word for where it is, restarts (upstream behaviour, recorded in
 * test/replay/answers/printers). Trouble of an init container comes before that of a container, and the first container in trouble is the one that shows.
 */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly word: string;
  readonly restarts: number;
  /** When the latest restart's previous run ended: RFC 3339, or undefined. */
  readonly lastRestart: string | undefined;
}

export function summarisePod(pod: JsonObject): PodSummary {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const sidecars = sidecarNames(spec);
  const inits = initPhase(status, sidecars, objects(spec, 'initContainers').length);
  const initialised = inits.pending === undefined || conditionIs(status, 'Initialized', 'True');
  const main = initialised ? mainPhase(status, inits.sidecars) : undefined;
  const word = main?.word ?? inits.pending ?? stateWord(status);
  return {
    ready: inits.ready + (main?.ready ?? 0),
    total: objects(spec, 'containers').length + sidecars.size,
    word: finalWord(pod, status, word),
    ...(main?.restarts ?? inits.all).result(),
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
  /** The word for the init container that holds up the others; undefined when none does. */
  readonly pending: string | undefined;
  /** Sidecars that have started and are ready. */
  readonly ready: number;
  /** Restarts of the init containers up to and including the pending one. */
  readonly all: Restarts;
  /** Those of the sidecars among them. */
  readonly sidecars: Restarts;
}

function initPhase(status: JsonObject | undefined, sidecars: ReadonlySet<string>, count: number): InitPhase {
  const all = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  let pending: string | undefined;
  for (const [index, container] of objects(status, 'initContainerStatuses').entries()) {
    const sidecar = sidecars.has(stringAt(container, 'name') ?? '');
    all.add(container);
    if (sidecar) sidecarRestarts.add(container);
    const terminated = stateAt(container, 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (sidecar && own(container, 'started') === true) {
      if (own(container, 'ready') === true) ready += 1;
      continue;
    }
    pending = `Init:${initTrouble(container, terminated) ?? `${index}/${count}`}`;
    break;
  }
  return { pending, ready, all, sidecars: sidecarRestarts };
}

function initTrouble(container: JsonObject, terminated: JsonObject | undefined): string | undefined {
  if (terminated !== undefined) return terminationWord(terminated);
  const reason = stringAt(stateAt(container, 'waiting'), 'reason') ?? '';
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

interface MainPhase {
  readonly ready: number;
  /** Undefined when no container gives a reason. */
  readonly word: string | undefined;
  readonly restarts: Restarts;
}

function mainPhase(status: JsonObject | undefined, restarts: Restarts): MainPhase {
  let ready = 0;
  let word: string | undefined;
  for (const container of objects(status, 'containerStatuses')) {
    restarts.add(container);
    const waiting = stringAt(stateAt(container, 'waiting'), 'reason') ?? '';
    const terminated = stateAt(container, 'terminated');
    if (waiting !== '') word ??= waiting;
    else if (terminated !== undefined) word ??= terminationWord(terminated);
    else if (own(container, 'ready') === true && stateAt(container, 'running') !== undefined) ready += 1;
  }
  if (word === 'Completed' && ready > 0) word = conditionIs(status, 'Ready', 'True') ? 'Running' : 'NotReady';
  return { ready, word, restarts };
}

/** The pod's own reason or phase; a pod that may not be scheduled yet says that. */
function stateWord(status: JsonObject | undefined): string {
  const gated = objects(status, 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'PodScheduled' && stringAt(condition, 'reason') === 'SchedulingGated',
  );
  if (gated) return 'SchedulingGated';
  const reason = stringAt(status, 'reason') ?? '';
  return reason === '' ? (stringAt(status, 'phase') ?? '') : reason;
}

/** A pod that is being deleted says so unless it has finished, or its node was lost. */
function finalWord(pod: JsonObject, status: JsonObject | undefined, word: string): string {
  if (stringAt(objectAt(pod, 'metadata'), 'deletionTimestamp') === undefined) return word;
  if (stringAt(status, 'reason') === 'NodeLost') return 'Unknown';
  const phase = stringAt(status, 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? word : 'Terminating';
}

function terminationWord(terminated: JsonObject): string {
  const reason = stringAt(terminated, 'reason') ?? '';
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** Init containers that go on running beside the containers. */
function sidecarNames(spec: JsonObject | undefined): ReadonlySet<string> {
  const sidecars = objects(spec, 'initContainers').filter((container) => stringAt(container, 'restartPolicy') === 'Always');
  return new Set(sidecars.map((container) => stringAt(container, 'name') ?? ''));
}

function conditionIs(status: JsonObject | undefined, type: string, value: string): boolean {
  return objects(status, 'conditions').some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === value);
}

function stateAt(container: JsonObject, state: 'waiting' | 'running' | 'terminated'): JsonObject | undefined {
  return objectAt(objectAt(container, 'state'), state);
}

function numberAt(value: JsonObject, member: string): number {
  const found = own(value, member);
  return typeof found === 'number' ? found : 0;
}

function objects(value: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(value, member) ?? []).filter((item) => isObject(item));
}
