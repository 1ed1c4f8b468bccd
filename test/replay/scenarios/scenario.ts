/**
 * Scenarios: steps with a few requests each, after which the cluster comes to rest and its collections are compared.
 * Recordings of the format `scenarios` hold them (test/replay/README.md); the same requests are sent to the reference
 * server with its controllers and to ours.
 */
import type { Body, Json } from '../json-response';
import { anything, listOf, mapOf, number, oneOf, shape, text, boolean, type Checked } from '../shape';

/** A user that the administrator impersonates. */
const isImpersonated = shape({ user: text, groups: listOf(text) });
export type Impersonated = Checked<typeof isImpersonated>;

export const isScenarioRequest = shape(
  {
    method: oneOf('POST', 'PUT', 'PATCH', 'DELETE'),
    /**
     * With upstream's names, relative to `/api/v1/namespaces/$NS/` unless it begins with a slash. A name with an asterisk
     * stands for several objects, each of which gets the request:
     *   `pods/web-*`  all with this prefix
     *   `pods/*!`     those that have neither succeeded nor failed
     *   `pods/*!1`    the first of these with a generated name
     */
    path: text,
  },
  {
    /** The type of a patch; `merge` when absent. */
    type: oneOf('json', 'merge', 'strategic', 'apply'),
    body: anything,
    /** The administrator when absent. */
    as: isImpersonated,
    /** Repeats the request while the response is 404 or 429, as it is until a new kind is served. */
    untilServed: boolean,
    /** The path of an object that must have `data` before the request is sent. */
    awaitsData: text,
  },
);
export type ScenarioRequest = Checked<typeof isScenarioRequest>;

/** A collection that is compared after each step. */
const isCollection = shape(
  {
    /** As in {@link ScenarioRequest}, without asterisks. */
    path: text,
  },
  {
    /** Compared members besides the metadata; all when absent. */
    members: listOf(text),
    /** Lists with a varying order. */
    unordered: listOf(text),
    /** Members, at any depth, with varying values. */
    omitted: listOf(text),
    /** Names of the compared objects in a namespace that scenarios share. */
    names: listOf(text),
    /** Served by an aggregated API server, so that its changes are not in the store of this one. */
    isAggregated: boolean,
    /** Compares the managedFields too, without the entries of the scenario's own requests. */
    managedFields: boolean,
  },
);
export type ComparedCollection = Checked<typeof isCollection>;

/** The default quiet period of steps. Milliseconds. */
export const QUIET_MS = 3_000;

/** The compared members of the objects of each collection after a step, by the collection's path. */
const isState = mapOf(listOf(anything));
export type ObservedState = Checked<typeof isState>;

export const isScenarioStep = shape(
  {
    /** Unique in the scenario. */
    title: text,
    requests: listOf(isScenarioRequest),
  },
  {
    /** Nodes that renew their Leases until the next step, without the prefix `$NS-`. */
    heartbeats: listOf(text),
    /** Pending pods become running and ready until the step is over. */
    servesPods: boolean,
    /** How long nothing may change until the cluster counts as at rest; that of the scenario when absent. Milliseconds. */
    quietMs: number,
    /**
     * The recorded code of each request: that of the first failure where its path names several objects. Absent until it
     * is recorded, like `state`.
     */
    codes: listOf(number),
    state: isState,
  },
);
export type ScenarioStep = Checked<typeof isScenarioStep>;

/** The line that begins a scenario. */
export const isScenarioLine = shape(
  { scenario: text, collections: listOf(isCollection) },
  {
    about: text,
    /** Paths of objects outside the namespace that are deleted in the end. */
    leftovers: listOf(text),
    /**
     * Scenarios of the recording with the same text run one after the other, because they share an object outside their
     * namespaces.
     */
    shares: text,
    /** Begins each step in a new second, because the ages of objects are compared in whole seconds. */
    needsNewSecond: boolean,
    /** The default quiet period of its steps; {@link QUIET_MS} when absent. */
    quietMs: number,
  },
);

export interface Scenario extends Omit<Checked<typeof isScenarioLine>, 'scenario'> {
  readonly name: string;
  readonly steps: readonly ScenarioStep[];
}

export const isScenariosHead = shape(
  { format: oneOf('scenarios'), about: text },
  {
    /** A server besides the cluster on which the scenarios depend. */
    needs: oneOf('metrics-server', 'conversion-webhook'),
    /** The seed from which `random-scenarios.ts` generated the steps. */
    seed: number,
  },
);
export type ScenariosHead = Checked<typeof isScenariosHead>;

/** The beginning of paths that do not begin with a slash. */
const NAMESPACED = '/api/v1/namespaces/$NS/';

// Requests of generated scenarios, as the administrator; `patch` is a merge patch.
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
  /** The end of the last scenario, by `shares`. */
  const previous = new Map<string, Promise<unknown>>();
  return (scenario) => {
    const { shares } = scenario;
    if (shares === undefined) return run(scenario);
    const result = (previous.get(shares) ?? Promise.resolve()).then(() => run(scenario));
    previous.set(
      shares,
      result.catch(() => undefined),
    );
    return result;
  };
}
