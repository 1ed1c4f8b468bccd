/** The roles and bindings of this replica's cache, as the authorizer wants to know them. Decides nothing. */
import { arrayAt, isObject, type JsonObject } from '../../../shared/values/json';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { readBinding } from '../../authorization/rbac/binding';
import { RbacPolicy } from '../../authorization/rbac/policy';
import { readRule } from '../../authorization/rbac/rule';
import { follow, together, type Following } from '../../cache/sync/follow';
import type { OpenedCache } from '../../cache/sync/options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

export interface RbacObjectsOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly failed: (message: string, error: unknown) => void;
}

export interface RbacObjects extends Following {
  readonly policy: RbacPolicy;
}

/** `object` is undefined where it is gone; `namespace` is '' for the kinds that are in none. */
type Place = (namespace: string, name: string, object: JsonObject | undefined) => void;

export function followRbacObjects(options: RbacObjectsOptions): RbacObjects {
  const policy = new RbacPolicy();
  const role: Place = (namespace, name, object) => policy.setRole(namespace, name, object === undefined ? undefined : rulesOf(object));
  const binding: Place = (namespace, name, object) =>
    policy.setBinding(namespace, name, object === undefined ? undefined : readBinding(namespace, name, object, options.names));
  const kinds = { roles: role, clusterroles: role, rolebindings: binding, clusterrolebindings: binding };
  const all = Object.entries(kinds).map(([resource, place]) => {
    const { stored } = options.resources.require(`${resource}.rbac.authorization.platform.io`);
    return follow(
      { ...options, stored },
      {
        place: (entry) => place(...placeOf(entry.key), parseEntry(entry).object),
        remove: (key) => place(...placeOf(key), undefined),
      },
    );
  });
  return { policy, ...together(all) };
}

/** Namespace and name. */
function placeOf(key: string): readonly [string, string] {
  const slash = key.indexOf('/');
  return slash < 0 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)];
}

const rulesOf = (role: JsonObject): ReturnType<typeof readRule>[] => (arrayAt(role, 'rules') ?? []).filter(isObject).map(readRule);
