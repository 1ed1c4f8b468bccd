/** The objects that a binding gives its policy as parameters, out of the cache. Decides nothing but whether there have to be some. */
import { stringLabelsOf } from '../../../shared/api/metadata/object-meta';
import { canonicalApiVersion } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import type { Cache, Entry } from '../../cache/cache';
import type { Conversions } from '../../registry/conversions';
import type { ServedResource } from '../../registry/verbs';
import type { PolicyBinding, AdmissionPolicy } from './policy';

export interface ParameterParts {
  readonly cache: Pick<Cache, 'snapshot'>;
  /** The resource of a kind, by its canonical apiVersion; undefined = nobody serves it. */
  readonly resourceOf: (apiVersion: string, kind: string) => ServedResource | undefined;
  /** Who knows objects in other versions, where only a webhook does. */
  readonly conversions: Pick<Conversions, 'convertEntries'>;
  /** An object as its version shows it. */
  readonly shown: (resource: ServedResource, entry: Entry) => JsonObject;
}

/** What keeps a policy or a binding from being asked. */
export interface ConfigurationFault {
  readonly fault: string;
}

/** Null = the policy has no parameters. */
export function parameterResource(parts: ParameterParts, { paramKind }: AdmissionPolicy): ServedResource | null | ConfigurationFault {
  if (paramKind === undefined) return null;
  const { apiVersion, kind } = paramKind;
  return (
    parts.resourceOf(canonicalApiVersion(apiVersion), kind) ?? {
      fault: `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`,
    }
  );
}

const NONE_FOUND = { fault: 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction' };
const NAMESPACED_ANYWAY = {
  fault: 'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
};

/** Entries as the version of the resource has them, in their order. */
export type InVersion = (resource: ServedResource, entries: readonly Entry[]) => readonly Entry[] | ConfigurationFault;

/** The policy is asked once for each; `{}` stands for none where the binding names none. Empty = it is not asked. */
export function parametersOf(
  parts: ParameterParts,
  { parameters }: PolicyBinding,
  resource: ServedResource,
  requestNamespace: string,
  inVersion: InVersion,
): readonly JsonObject[] | ConfigurationFault {
  if (parameters === undefined) return [{}];
  const { name, namespace: given, selector, isAllowedWithout } = parameters;
  const { row, stored } = resource;
  if (!row.namespaced && given !== '') return NAMESPACED_ANYWAY;
  const namespace = row.namespaced ? (given === '' ? requestNamespace : given) : '';
  const without = isAllowedWithout ? [] : NONE_FOUND;
  if (stored === undefined || (row.namespaced && namespace === '')) return without;
  const snapshot = parts.cache.snapshot(stored);
  const prefix = row.namespaced ? `${namespace}/` : '';
  const chosen = selector === undefined ? snapshot.get(prefix + name) : undefined;
  const all = selector === undefined ? [] : row.namespaced ? snapshot.range(prefix, `${namespace}0`) : snapshot.range();
  const entries = inVersion(resource, chosen === undefined ? [...all] : [chosen]);
  if ('fault' in entries) return entries;
  const found = entries.map((entry) => parts.shown(resource, entry)).filter((object) => selector?.(stringLabelsOf(object)) ?? true);
  return found.length === 0 ? without : found;
}
