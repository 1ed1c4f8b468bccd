/** RoleBinding and ClusterRoleBinding: whom they may name, and that the role they grant is the same for ever. */
import { invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { own, equalJson } from '../../../shared/values/json';
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

const GROUP = 'rbac.authorization.platform.io';

/** What each kind of subject asks for. */
const SUBJECTS: Readonly<Record<string, { readonly apiGroup: string; readonly isAccount?: true }>> = {
  ServiceAccount: { apiGroup: '', isAccount: true },
  User: { apiGroup: GROUP },
  Group: { apiGroup: GROUP },
};

export const roleBinding: Strategy<RbacV1RoleBinding> = binding({ roles: ['Role', 'ClusterRole'], namespaced: true });
export const clusterRoleBinding: Strategy<RbacV1ClusterRoleBinding> = binding({ roles: ['ClusterRole'], namespaced: false });

interface BindingRules {
  /** Kinds that it can grant. */
  readonly roles: readonly string[];
  readonly namespaced: boolean;
}

function binding(rules: BindingRules): Strategy<RbacV1RoleBinding | RbacV1ClusterRoleBinding> {
  return {
    validate(object) {
      const errors: Errors = [];
      checkRole(object.roleRef ?? {}, rules, errors);
      object.subjects?.forEach((subject, index) => checkSubject(subject, `subjects[${index}]`, rules, errors));
      return errors;
    },
    update: { stages: UPDATE.objectTwiceThenChange, validate: sameRole },
  };
}

function checkRole(role: RbacV1RoleRef, { roles }: BindingRules, errors: Errors): void {
  const [group, kind] = [role.apiGroup ?? '', role.kind ?? ''];
  if (group !== GROUP) errors.push(unsupportedValue('roleRef.apiGroup', group, [GROUP]));
  if (!roles.includes(kind)) errors.push(unsupportedValue('roleRef.kind', kind, roles));
  checkRequired(role, 'name', 'roleRef', errors, checkPathSegment);
}

function checkSubject(subject: RbacV1Subject, place: string, { namespaced }: BindingRules, errors: Errors): void {
  const [group, kind, name] = [subject.apiGroup ?? '', subject.kind ?? '', subject.name ?? ''];
  if (name === '') errors.push(requiredValue(`${place}.name`));
  const wanted = own(SUBJECTS, kind);
  if (wanted === undefined) {
    errors.push(unsupportedValue(`${place}.kind`, kind, Object.keys(SUBJECTS)));
    return;
  }
  if (wanted.isAccount === true && name !== '') checkFormat(name, `${place}.name`, checkDnsSubdomain, errors);
  if (group !== wanted.apiGroup) errors.push(unsupportedValue(`${place}.apiGroup`, group, [wanted.apiGroup]));
  // A binding in a namespace may leave out that of the account; upstream does not say where it then is.
  if (wanted.isAccount === true && !namespaced) checkRequired(subject, 'namespace', place, errors);
}

function sameRole(
  object: RbacV1RoleBinding | RbacV1ClusterRoleBinding,
  old: RbacV1RoleBinding | RbacV1ClusterRoleBinding,
): readonly FieldError[] {
  const [role, before] = [object.roleRef ?? {}, old.roleRef ?? {}];
  return equalJson(role, before) ? [] : [invalidValue('roleRef', role, 'cannot change roleRef')];
}
