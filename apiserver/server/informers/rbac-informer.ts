/**
 * Keeps the policy of the RBAC authorizer up to date from the roles and bindings in this replica's cache. Decisions are
 * left to `authorization/rbac`.
 */
import type { RbacV1Role } from '../../../shared/api/types/generated/members';
import type { JsonObject } from '../../../shared/values/json';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { readBinding } from '../../authorization/rbac/binding';
import { RbacPolicy } from '../../authorization/rbac/policy';
import { readRule } from '../../authorization/rbac/rule';
import { followType, combineFollowers, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface RbacInformerOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
}

/** `policy` is updated until `stop`. */
export interface RbacInformer extends TypeFollower {
  readonly policy: RbacPolicy;
}

/** `object` is `undefined` when it was deleted; `namespace` is '' for cluster-scoped kinds. */
type SetObject = (key: NamespacedName, object: JsonObject | undefined) => void;

/** Returns at once; `complete` resolves when the existing roles and bindings are in the policy. */
export function startRbacInformer(options: RbacInformerOptions): RbacInformer {
  const policy = new RbacPolicy();
  const setRole: SetObject = ({ namespace, name }, object) =>
    policy.setRole(namespace, name, object === undefined ? undefined : rulesOf(object));
  const setBinding: SetObject = ({ namespace, name }, object) =>
    policy.setBinding(namespace, name, object === undefined ? undefined : readBinding(namespace, name, object, options.names));
  const kinds = { roles: setRole, clusterroles: setRole, rolebindings: setBinding, clusterrolebindings: setBinding };
  const informers = Object.entries(kinds).map(([resource, setObject]) => {
    const { stored } = options.resources.require(`${resource}.rbac.authorization.platform.io`);
    return followType(
      { ...options, stored },
      {
        upsert: (entry) => setObject(splitKey(entry.key), parseEntry(entry).object),
        remove: (key) => setObject(splitKey(key), undefined),
      },
    );
  });
  return { policy, ...combineFollowers(informers) };
}

interface NamespacedName {
  /** '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** Splits a cache key. */
function splitKey(key: string): NamespacedName {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

const rulesOf = ({ rules }: RbacV1Role): ReturnType<typeof readRule>[] => rules?.map(readRule) ?? [];
