/**
 * Resolves the parameters of a policy binding (`paramKind`, `paramRef`) from the cache. Returns an error for a
 * misconfigured reference; whether it denies the request depends on the failure policy, which the caller applies.
 */
import { stringLabelsOf } from '../../../shared/api/metadata/object-meta';
import { canonicalApiVersion } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import type { Cache, Entry, Snapshot } from '../../cache/cache';
import type { Conversions } from '../../registry/conversions';
import type { ServedResource } from '../../registry/verbs';
import type { PolicyBinding, AdmissionPolicy, ParameterReference } from './admission-policies';

/** Where parameters are read from, and how they are converted. */
export interface ParameterDependencies {
  readonly cache: Pick<Cache, 'snapshot'>;
  /** The resource of a kind by canonical apiVersion; `undefined` when it is not served. */
  readonly resourceOf: (apiVersion: string, kind: string) => ServedResource | undefined;
  /** Converts objects when only a conversion webhook can. */
  readonly conversions: Pick<Conversions, 'convertEntries'>;
  /** Decodes an entry in the version of the resource. */
  readonly decodeEntry: (resource: ServedResource, entry: Entry) => JsonObject;
}

/** A configuration error that keeps a policy or binding from being evaluated. */
export interface ParameterConfigurationError {
  readonly error: string;
}

/** The resource of `paramKind`; `null` when the policy has no parameters. */
export function resolveParamKind(
  deps: ParameterDependencies,
  { paramKind }: AdmissionPolicy,
): ServedResource | null | ParameterConfigurationError {
  if (paramKind === undefined) return null;
  const { apiVersion, kind } = paramKind;
  return (
    deps.resourceOf(canonicalApiVersion(apiVersion), kind) ?? {
      error: `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`,
    }
  );
}

// Upstream's messages.
const NO_PARAMS_FOUND = { error: 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction' };
const NAMESPACE_NOT_ALLOWED = {
  error: 'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
};

/** Converts entries to the version of the resource, in the same order. */
export type ConvertParameters = (resource: ServedResource, entries: readonly Entry[]) => readonly Entry[] | ParameterConfigurationError;

/** The objects from which the parameters for one request are chosen. */
export interface ParameterSource {
  /** The resource of `paramKind`. */
  readonly resource: ServedResource;
  /** '' when the request concerns a cluster-scoped object. */
  readonly requestNamespace: string;
  readonly convert: ConvertParameters;
}

/**
 * The parameters of a binding. The policy is evaluated once for each, and not at all when the list is empty. A binding
 * without `paramRef` has one parameter, `{}`.
 */
export function listParameters(
  deps: ParameterDependencies,
  { parameters }: PolicyBinding,
  { resource, requestNamespace, convert }: ParameterSource,
): readonly JsonObject[] | ParameterConfigurationError {
  if (parameters === undefined) return [{}];
  const { namespace: paramNamespace, selector, isNotFoundAllowed } = parameters;
  const { row, stored } = resource;
  if (!row.namespaced && paramNamespace !== '') return NAMESPACE_NOT_ALLOWED;
  const namespace = paramNamespace === '' ? requestNamespace : paramNamespace;
  const resultWhenNotFound = isNotFoundAllowed ? [] : NO_PARAMS_FOUND;
  if (stored === undefined || (row.namespaced && namespace === '')) return resultWhenNotFound;
  const snapshot = deps.cache.snapshot(stored);
  const candidates = row.namespaced ? namespacedCandidates(snapshot, parameters, namespace) : clusterScopedCandidates(snapshot, parameters);
  const entries = convert(resource, candidates);
  if ('error' in entries) return entries;
  const objects = entries.map((entry) => deps.decodeEntry(resource, entry));
  const matching = selector === undefined ? objects : objects.filter((object) => selector(stringLabelsOf(object)));
  return matching.length === 0 ? resultWhenNotFound : matching;
}

/** The named entry, or all entries of the namespace when a label selector is to choose from them. */
function namespacedCandidates(
  snapshot: Snapshot,
  { name, selector }: Pick<ParameterReference, 'name' | 'selector'>,
  namespace: string,
): readonly Entry[] {
  // Keys are `NAMESPACE/NAME`, and `0` is the character after `/`.
  if (selector !== undefined) return [...snapshot.range(`${namespace}/`, `${namespace}0`)];
  return presentEntries(snapshot.get(`${namespace}/${name}`));
}

/** As {@link namespacedCandidates}, for a cluster-scoped kind. */
function clusterScopedCandidates(snapshot: Snapshot, { name, selector }: Pick<ParameterReference, 'name' | 'selector'>): readonly Entry[] {
  return selector === undefined ? presentEntries(snapshot.get(name)) : [...snapshot.range()];
}

const presentEntries = (entry: Entry | undefined): readonly Entry[] => (entry === undefined ? [] : [entry]);
