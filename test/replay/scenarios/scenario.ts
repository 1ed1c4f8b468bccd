/**
 * Scenarios: steps with a few requests each, after which the cluster comes to rest and its collections are compared.
 * Recordings of the format `scenarios` hold them (test/replay/README.md); the same requests are sent to the reference
 * server with its controllers and to ours.
 */
import type { Body, Json } from '../json-response';
import { anything, listOf, mapOf, number, oneOf, shape, text, boolean, type Check } from '../shape';

export interface ScenarioRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With upstream's names, relative to `/api/v1/namespaces/$NS/` unless it begins with a slash. */
  readonly path: string;
  /** The type of a patch: `json`, `strategic` or `apply`; `merge` when absent. */
  readonly type?: PatchType;
  readonly body?: Json;
  /** The administrator when absent. */
  readonly as?: Impersonated;
  /** Repeats the request while the response is 404 or 429, as it is until a new kind is served. */
  readonly untilServed?: boolean;
  /** The path of an object that must have `data` before the request is sent. */
  readonly awaitsData?: string;
}

const PATCH_TYPES = ['json', 'merge', 'strategic', 'apply'] as const;
type PatchType = (typeof PATCH_TYPES)[number];

/** A user that the administrator impersonates. */
export interface Impersonated {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A collection that is compared after each step. */
export interface ComparedCollection {
  /** As in {@link ScenarioRequest}. */
  readonly path: string;
  /** Compared members besides the metadata; all when absent. */
  readonly members?: readonly string[];
  /** Lists with a varying order. */
  readonly unordered?: readonly string[];
  /** Members, at any depth, with varying values. */
  readonly omitted?: readonly string[];
  /** Names of the compared objects in a namespace that scenarios share. */
  readonly names?: readonly string[];
  /** Served by an aggregated API server, so that its changes are not in the store of this one. */
  readonly isAggregated?: boolean;
  /** Compares the managedFields too, without the entries of the scenario's own requests. */
  readonly managedFields?: boolean;
}

/** The default quiet period of steps. Milliseconds. */
export const QUIET_MS = 3_000;

export interface ScenarioStep {
  /** Unique in the scenario. */
  readonly title: string;
  readonly requests: readonly ScenarioRequest[];
  /** Nodes that renew their Leases until the next step, without the prefix `$NS-`. */
  readonly heartbeats?: readonly string[];
  /** Pending pods become running and ready until the step is over. */
  readonly servesPods?: boolean;
  /**
   * How long nothing may change until the cluster counts as at rest; that of the scenario when absent. Milliseconds.
   */
  readonly quietMs?: number;
  /**
   * The recorded code of each request: that of the first failure where its path names several objects. Absent until it
   * is recorded, like `state`.
   */
  readonly codes?: readonly number[];
  readonly state?: ObservedState;
}

/** The line that begins a scenario. */
export interface ScenarioLine {
  readonly scenario: string;
  readonly about?: string;
  readonly collections: readonly ComparedCollection[];
  /** Paths of objects outside the namespace that are deleted in the end. */
  readonly leftovers?: readonly string[];
  /**
   * Scenarios of the recording with the same text run one after the other, because they share an object outside their
   * namespaces.
   */
  readonly shares?: string;
  /** Begins each step in a new second, because the ages of objects are compared in whole seconds. */
  readonly needsNewSecond?: boolean;
  /** The default quiet period of its steps; {@link QUIET_MS} when absent. */
  readonly quietMs?: number;
}

export interface Scenario extends Omit<ScenarioLine, 'scenario'> {
  readonly name: string;
  readonly steps: readonly ScenarioStep[];
}

export interface ScenariosHead {
  readonly format: 'scenarios';
  readonly about: string;
  /** A server besides the cluster on which the scenarios depend. */
  readonly needs?: 'metrics-server' | 'conversion-webhook';
  /** The seed from which `random-scenarios.ts` generated the steps. */
  readonly seed?: number;
}

/** The compared members of the objects of each collection after a step, by the collection's path. */
export interface ObservedState {
  readonly [collection: string]: readonly Json[];
}

const isRequest: Check<ScenarioRequest> = shape(
  { method: oneOf('POST', 'PUT', 'PATCH', 'DELETE'), path: text },
  {
    type: oneOf(...PATCH_TYPES),
    body: anything,
    as: shape({ user: text, groups: listOf(text) }),
    untilServed: boolean,
    awaitsData: text,
  },
);

const isCollection: Check<ComparedCollection> = shape(
  { path: text },
  {
    members: listOf(text),
    unordered: listOf(text),
    omitted: listOf(text),
    names: listOf(text),
    isAggregated: boolean,
    managedFields: boolean,
  },
);

const isState: Check<ObservedState> = mapOf(listOf(anything));

export const isScenariosHead: Check<ScenariosHead> = shape(
  { format: oneOf('scenarios'), about: text },
  { needs: oneOf('metrics-server', 'conversion-webhook'), seed: number },
);

export const isScenarioLine: Check<ScenarioLine> = shape(
  { scenario: text, collections: listOf(isCollection) },
  { about: text, leftovers: listOf(text), shares: text, needsNewSecond: boolean, quietMs: number },
);

export const isScenarioStep: Check<ScenarioStep> = shape(
  { title: text, requests: listOf(isRequest) },
  { heartbeats: listOf(text), servesPods: boolean, quietMs: number, codes: listOf(number), state: isState },
);

const NAMESPACED = '/api/v1/namespaces/$NS/';

export const create = (path: string, body: Body): ScenarioRequest => ({ method: 'POST', path, body });
export const replace = (path: string, body: Body): ScenarioRequest => ({ method: 'PUT', path, body });
export const patch = (path: string, body: Json): ScenarioRequest => ({ method: 'PATCH', path, body });
export const remove = (path: string, body?: Body): ScenarioRequest => ({ method: 'DELETE', path, ...(body === undefined ? {} : { body }) });

/** The absolute path of a request or a collection, in the scenario's namespace. */
export function absolutePath(path: string, namespace: string): string {
  return (path.startsWith('/') ? path : `${NAMESPACED}${path}`).replaceAll('$NS', namespace);
}

/** Starts each scenario at once, or after the previous scenario with the same `shares`. */
export function sequenceByShares<T>(run: (scenario: Scenario) => Promise<T>): (scenario: Scenario) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (scenario) => {
    const { shares } = scenario;
    if (shares === undefined) return run(scenario);
    const result = (last.get(shares) ?? Promise.resolve()).then(() => run(scenario));
    last.set(
      shares,
      result.catch(() => undefined),
    );
    return result;
  };
}
