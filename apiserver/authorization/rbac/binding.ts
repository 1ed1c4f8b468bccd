/** A role binding as the authorizer sees it: which role it grants, and to whom. Reads no role. */
import { canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../../shared/names/dialect';
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';

export type RoleKind = 'ClusterRole' | 'Role';

/** `namespace` is '' for a ClusterRole. */
export interface RoleReference {
  readonly kind: RoleKind;
  readonly namespace: string;
  readonly name: string;
}

export interface BindingSubject {
  /** Whether it is found by the name of a user or by that of a group. */
  readonly found: 'user' | 'group';
  /** The name of that user or group. */
  readonly key: string;
  /** In upstream's words: `Group "system:masters"`, `ServiceAccount "name/namespace"`. */
  readonly text: string;
}

export interface Binding {
  /** In upstream's words: `RoleBinding "name/namespace"`. */
  readonly text: string;
  /** '' = it holds everywhere. */
  readonly namespace: string;
  readonly role: RoleReference;
  readonly subjects: readonly BindingSubject[];
}

/** What a binding in a namespace ('' = a ClusterRoleBinding) grants. */
export function readRoleReference(namespace: string, binding: JsonObject): RoleReference {
  const role = objectAt(binding, 'roleRef');
  const kind: RoleKind = stringAt(role, 'kind') === 'Role' ? 'Role' : 'ClusterRole';
  return { kind, namespace: kind === 'Role' ? namespace : '', name: stringAt(role, 'name') ?? '' };
}

/** `namespace` is '' for a ClusterRoleBinding. Of a subject that is none of the three kinds nothing is known, and nothing is granted to it. */
export function readBinding(namespace: string, name: string, object: JsonObject, names: GeneratedNames): Binding {
  return {
    text: namespace === '' ? `ClusterRoleBinding ${JSON.stringify(name)}` : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`,
    namespace,
    role: readRoleReference(namespace, object),
    subjects: (arrayAt(object, 'subjects') ?? []).filter(isObject).flatMap((subject) => readSubject(subject, namespace, names)),
  };
}

function readSubject(subject: JsonObject, bound: string, names: GeneratedNames): readonly BindingSubject[] {
  const name = stringAt(subject, 'name') ?? '';
  switch (stringAt(subject, 'kind')) {
    case 'User':
      return [{ found: 'user', key: canonicalUserName(names, name), text: `User ${JSON.stringify(name)}` }];
    case 'Group':
      return [{ found: 'group', key: canonicalUserName(names, name), text: `Group ${JSON.stringify(name)}` }];
    case 'ServiceAccount': {
      const given = stringAt(subject, 'namespace') ?? '';
      const namespace = given === '' ? bound : canonicalNamespace(names, given);
      if (namespace === '') return [];
      return [
        {
          found: 'user',
          key: serviceAccountUserName(namespace, name),
          text: `ServiceAccount ${JSON.stringify(`${name}/${namespace}`)}`,
        },
      ];
    }
    default:
      return [];
  }
}
