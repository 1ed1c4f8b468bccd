/**
 * A role binding in the form that the authorizer uses: the role, and the subjects that it is granted to, as names of
 * users and groups. Names of service accounts are those of their users. Parsed once per change of the object.
 */
import { canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../../shared/names/dialect';
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import type { RbacV1ClusterRoleBinding, RbacV1RoleBinding, RbacV1Subject } from '../../../shared/api/types/generated/members';

/** A role of the cluster, or of one namespace. */
export type RoleKind = 'ClusterRole' | 'Role';

/** The role of a binding. `namespace` is '' for a ClusterRole. */
export interface RoleReference {
  readonly kind: RoleKind;
  readonly namespace: string;
  readonly name: string;
}

/** A subject of a binding, as authorization looks it up. */
export interface BindingSubject {
  /** Whether the subject is looked up by user name or by group name. A service account is a user. */
  readonly kind: 'user' | 'group';
  /** The user or group name. */
  readonly key: string;
  /** The subject in the reason of a decision, as upstream prints it: `Group "system:masters"`, `ServiceAccount "name/namespace"`. */
  readonly text: string;
}

/** A RoleBinding or ClusterRoleBinding, parsed once per change. */
export interface Binding {
  /** The binding in the reason of a decision, as upstream prints it: `RoleBinding "name/namespace"`. */
  readonly text: string;
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly role: RoleReference;
  readonly subjects: readonly BindingSubject[];
}

type AnyBinding = RbacV1ClusterRoleBinding | RbacV1RoleBinding;

/**
 * The role of the binding. `namespace` is that of the binding, '' for a ClusterRoleBinding. The kind is not checked:
 * validation and the escalation check reject bindings with a `roleRef` of another kind, so none is stored.
 */
export function readRoleReference(namespace: string, { roleRef = {} }: AnyBinding): RoleReference {
  const kind: RoleKind = roleRef.kind === 'Role' ? 'Role' : 'ClusterRole';
  return { kind, namespace: kind === 'Role' ? namespace : '', name: roleRef.name ?? '' };
}

/**
 * Parses a binding. `namespace` is '' for a ClusterRoleBinding. Subjects of unknown kinds are ignored, and so are service
 * accounts without a namespace in a ClusterRoleBinding.
 */
export function readBinding(namespace: string, name: string, binding: AnyBinding, names: GeneratedNames): Binding {
  return {
    text: namespace === '' ? `ClusterRoleBinding ${JSON.stringify(name)}` : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`,
    namespace,
    role: readRoleReference(namespace, binding),
    subjects: (binding.subjects ?? []).flatMap((subject) => readSubject(subject, namespace, names)),
  };
}

/** One subject, or none when it is ignored. */
function readSubject(
  { kind, name = '', namespace: subjectNamespace = '' }: RbacV1Subject,
  bindingNamespace: string,
  names: GeneratedNames,
): readonly BindingSubject[] {
  switch (kind) {
    case 'User':
      return [{ kind: 'user', key: canonicalUserName(names, name), text: `User ${JSON.stringify(name)}` }];
    case 'Group':
      return [{ kind: 'group', key: canonicalUserName(names, name), text: `Group ${JSON.stringify(name)}` }];
    case 'ServiceAccount': {
      const namespace = subjectNamespace === '' ? bindingNamespace : canonicalNamespace(names, subjectNamespace);
      if (namespace === '') return [];
      return [
        {
          kind: 'user',
          key: serviceAccountUserName(namespace, name),
          text: `ServiceAccount ${JSON.stringify(`${name}/${namespace}`)}`,
        },
      ];
    }
    default:
      return [];
  }
}
