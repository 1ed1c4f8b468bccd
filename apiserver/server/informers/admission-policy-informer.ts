/**
 * Keeps the admission policies and bindings of admission up to date from this replica's cache, and provides access to
 * their parameters.
 */
import { canonicalApiVersion, canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { whenResolved } from '../../../shared/runtime/maybe-promise';
import { AdmissionPolicies, type MeasureCompilation } from '../../admission/policy/admission-policies';
import type { ParameterDependencies } from '../../admission/policy/parameters';
import type { AuthorizeCheck } from '../../admission/webhook/authorizer-decisions';
import { parseObject, kindView } from '../../admission/webhook/object-view';
import { canonicalUser } from '../../authentication/union';
import type { Authorizer } from '../../authorization/authorizer';
import { followType, combineFollowers, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';
import type { ServedResource } from '../../registry/verbs';
import { apiVersionOf } from '../../../shared/api/identity/identity';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface AdmissionPolicyInformerOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
  /** Measures how long compilations take. Absent when it is not measured. */
  readonly measureCompilation?: MeasureCompilation;
}

/** `policies` is updated until `stop`. */
export interface AdmissionPolicyInformer extends TypeFollower {
  readonly policies: AdmissionPolicies;
}

const GROUP = 'admissionregistration.platform.io';

/** Returns at once; `complete` resolves when the existing policies and bindings are in `policies`. */
export function startAdmissionPolicyInformer(options: AdmissionPolicyInformerOptions): AdmissionPolicyInformer {
  const policies = new AdmissionPolicies(options.measureCompilation);
  const storedOf = (resource: string) => options.resources.require(`${resource}.${GROUP}`).stored;
  const informers = [
    followType(
      { ...options, stored: storedOf('validatingadmissionpolicies') },
      {
        upsert: (entry) => policies.setPolicy(entry.key, parseEntry(entry).object),
        remove: (key) => policies.setPolicy(key, undefined),
      },
    ),
    followType(
      { ...options, stored: storedOf('validatingadmissionpolicybindings') },
      {
        upsert: (entry) => policies.setBinding(entry.key, parseEntry(entry).object),
        remove: (key) => policies.setBinding(key, undefined),
      },
    ),
  ];
  return { policies, ...combineFollowers(informers) };
}

/** How policies read their parameters: from the cache, in the version that the policy names. */
export function createParameterDependencies(
  { cache, conversions }: Pick<ParameterDependencies, 'cache' | 'conversions'>,
  resources: Resources,
  names: GeneratedNames,
): ParameterDependencies {
  return {
    cache,
    conversions,
    resourceOf: createKindLookup(resources),
    decodeEntry: ({ row }, entry) => parseObject(kindView(row, names).text(parseEntry(entry).object)),
  };
}

/** Finds the resource of a kind, including custom resources. */
export const createKindLookup =
  (resources: Pick<Resources, 'rows' | 'find'>) =>
  (apiVersion: string, kind: string): ServedResource | undefined => {
    const row = resources.rows.find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === canonicalApiVersion(apiVersion));
    return row === undefined ? undefined : resources.find(row.group, row.version, row.resource);
  };

/** Passes the authorization checks of CEL expressions to the authorizer, with names in canonical spelling. */
export const createExpressionAuthorizer =
  (authorizer: Authorizer, names: GeneratedNames): AuthorizeCheck =>
  (user, check) => {
    const attributes = check.kind === 'path' ? check : { ...check, namespace: canonicalNamespace(names, check.namespace), version: '*' };
    return whenResolved(authorizer.authorize(canonicalUser(user, names), attributes), ({ type, reason }) => ({
      allowed: type === 'allow',
      reason,
    }));
  };
