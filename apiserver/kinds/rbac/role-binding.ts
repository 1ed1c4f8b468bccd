/**
 * RoleBinding and ClusterRoleBinding strategies: subjects with the API group of their kind, and an immutable role
 * reference. Privilege escalation is checked before the write, and the role need not exist.
 */
import { invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { ownMember, equalJson } from '../../../shared/values/json';
import { checkDnsSubdomain, checkPathSegment } from '../../../shared/values/name-formats';
import { checkFormat, checkRequired, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  RbacV1ClusterRoleBinding,
  RbacV1RoleBinding,
  RbacV1RoleRef,
  RbacV1Subject,
} from '../../../shared/api/types/generated/members';

const RBAC_GROUP = 'rbac.authorization.platform.io';

/** The API group that each kind of subject requires, and whether the subject is a ServiceAccount. */
const SUBJECT_RULES: Readonly<Record<string, { readonly apiGroup: string; readonly isAccount?: true }>> = {
  ServiceAccount: { apiGroup: '', isAccount: true },
  User: { apiGroup: RBAC_GROUP },
  Group: { apiGroup: RBAC_GROUP },
};

export const roleBinding: Strategy<RbacV1RoleBinding> = createBindingStrategy({ roles: ['Role', 'ClusterRole'], isNamespaced: true });
export const clusterRoleBinding: Strategy<RbacV1ClusterRoleBinding> = createBindingStrategy({
  roles: ['ClusterRole'],
  isNamespaced: false,
});

interface BindingRules {
  /** Kinds of roles that the binding may refer to. */
  readonly roles: readonly string[];
  readonly isNamespaced: boolean;
}

function createBindingStrategy(bindingRules: BindingRules): Strategy<RbacV1RoleBinding | RbacV1ClusterRoleBinding> {
  return {
    validate(object) {
      const errors: Errors = [];
      checkRoleRef(object.roleRef ?? {}, bindingRules, errors);
      object.subjects?.forEach((subject, index) => checkSubject(subject, `subjects[${index}]`, bindingRules, errors));
      return errors;
    },
    update: { stages: UPDATE.objectTwiceThenChange, validate: validateRoleRefUnchanged },
  };
}

function checkRoleRef(role: RbacV1RoleRef, { roles }: BindingRules, errors: Errors): void {
  const group = role.apiGroup ?? '';
  const kind = role.kind ?? '';
  if (group !== RBAC_GROUP) errors.push(unsupportedValue('roleRef.apiGroup', group, [RBAC_GROUP]));
  if (!roles.includes(kind)) errors.push(unsupportedValue('roleRef.kind', kind, roles));
  checkRequired(role, 'name', 'roleRef', errors, checkPathSegment);
}

function checkSubject(subject: RbacV1Subject, fieldPath: string, { isNamespaced }: BindingRules, errors: Errors): void {
  const group = subject.apiGroup ?? '';
  const kind = subject.kind ?? '';
  const name = subject.name ?? '';
  if (name === '') errors.push(requiredValue(`${fieldPath}.name`));
  const rules = ownMember(SUBJECT_RULES, kind);
  if (rules === undefined) {
    errors.push(unsupportedValue(`${fieldPath}.kind`, kind, Object.keys(SUBJECT_RULES)));
    return;
  }
  if (rules.isAccount === true && name !== '') checkFormat(name, `${fieldPath}.name`, checkDnsSubdomain, errors);
  if (group !== rules.apiGroup) errors.push(unsupportedValue(`${fieldPath}.apiGroup`, group, [rules.apiGroup]));
  // In a RoleBinding the namespace of a ServiceAccount is optional (upstream behaviour).
  if (rules.isAccount === true && !isNamespaced) checkRequired(subject, 'namespace', fieldPath, errors);
}

function validateRoleRefUnchanged(
  object: RbacV1RoleBinding | RbacV1ClusterRoleBinding,
  old: RbacV1RoleBinding | RbacV1ClusterRoleBinding,
): readonly FieldError[] {
  const role = object.roleRef ?? {};
  const before = old.roleRef ?? {};
  return equalJson(role, before) ? [] : [invalidValue('roleRef', role, 'cannot change roleRef')];
}
