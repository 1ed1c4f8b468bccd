/**
 * What controllers are shown: steps, each of a few requests, after which the cluster comes to rest and is looked at. The same scenarios are played to the
 * reference server with its controllers and to ours. `$NS` stands for the scenario's own namespace and begins the names of what belongs to no namespace, `$NOW`
 * for the present time, `$NOW+3s` for the time three seconds later, and `<uid of NAME>` for the uid of an object that was made or seen before.
 */
import type { Body, Json } from '../reference';

export interface Act {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * In upstream's spelling. A path that does not begin with a slash is below `/api/v1/namespaces/$NS/`. In the place of a name, `*` stands for all of the collection
   * that there are, one after the other, `*1` for the first one whose name was made up. `*!` and `*!1` mean those that have not ended; what stands before the star is how
   * the names begin.
   */
  readonly path: string;
  readonly body?: Json;
  /** Of a patch; a merge patch where nothing is said. */
  readonly type?: string;
  /** Who does it; absent = the administrator. */
  readonly as?: Actor;
  /** Sent again and again while its kind is not served yet. */
  readonly isPatient?: boolean;
  /** An object that holds data before this is done: its controller has been there. */
  readonly onceFilled?: string;
}

/** Somebody whom the administrator stands for. */
export interface Actor {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A collection that is looked at. */
export interface Look {
  /** As in {@link Act}. */
  readonly path: string;
  /** Members besides the metadata that are compared; absent = all. */
  readonly members?: readonly string[];
  /** Lists whose order is chance: that of conditions is the order in which they changed last. */
  readonly unordered?: readonly string[];
  /** What belongs to the scenario in a namespace that is not its own. */
  readonly names?: readonly string[];
  /** Members, at any depth, that are chance. */
  readonly leftOut?: readonly string[];
  /** Served by another API server, so that its changes are not in the store of this one. */
  readonly isAggregated?: true;
  /** Also compares the managedFields of each object, without the entries of the scenario itself. */
  readonly owners?: true;
}

/** The quiet period of steps that define none. Milliseconds. */
export const REST_MS = 3_000;

export interface ScenarioStep {
  readonly title: string;
  readonly acts: readonly Act[];
  /** Nodes, without `$NS-`, that give a sign of life all the time until the next step. */
  readonly beats?: readonly string[];
  /** Pods run and are ready as soon as they are there, until the step is over. */
  readonly serves?: boolean;
  /** How long nothing may have changed until the reference counts as at rest; absent = {@link REST_MS}. Milliseconds. */
  readonly restMs?: number;
}

export interface Scenario {
  readonly name: string;
  readonly looks: readonly Look[];
  readonly steps: readonly ScenarioStep[];
  /** What belongs to no namespace, to be deleted in the end; the namespace itself goes in any case. */
  readonly leftovers?: readonly string[];
  /** What it shares with others that say the same: those are played one after the other. */
  readonly shares?: string;
  /** Which of two pods is the older one decides, and their ages have whole seconds: each step begins in a second of its own. */
  readonly isByAge?: boolean;
}

/** How the object stands after a step: its collection and itself, without what differs from run to run. */
export interface Observed {
  readonly [collection: string]: readonly Json[];
}

const NAMESPACED = '/api/v1/namespaces/$NS/';
const MERGE = 'application/merge-patch+json';

export const create = (path: string, body: Body, as?: Actor): Act => ({ method: 'POST', path, body, ...(as === undefined ? {} : { as }) });
export const replace = (path: string, body: Body): Act => ({ method: 'PUT', path, body });
export const patch = (path: string, body: Json, type = MERGE): Act => ({ method: 'PATCH', path, body, type });
export const untilServed = (act: Act): Act => ({ ...act, isPatient: true });
export const onceFilled = (path: string, act: Act): Act => ({ ...act, onceFilled: path });
export const remove = (path: string, body?: Body): Act => ({ method: 'DELETE', path, ...(body === undefined ? {} : { body }) });

/** The absolute path of an act or a look, in the scenario's namespace. */
export function absolute(path: string, namespace: string): string {
  return (path.startsWith('/') ? path : `${NAMESPACED}${path}`).replaceAll('$NS', namespace);
}

/** Begins to play each scenario as soon as it may: at once, or when the one before it that shares something with it has been played. */
export function inTurn<T>(play: (scenario: Scenario) => Promise<T>): (scenario: Scenario) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>();
  return (scenario) => {
    const { shares } = scenario;
    if (shares === undefined) return play(scenario);
    const before = turns.get(shares) ?? Promise.resolve();
    const played = before.then(() => play(scenario));
    turns.set(
      shares,
      played.catch(() => undefined),
    );
    return played;
  };
}
