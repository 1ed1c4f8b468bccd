/** RoleBinding and ClusterRoleBinding: whom they may name, and that the role they grant is the same for ever. */
import { append } from '../../../shared/values/append';
import { invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { own, equalJson, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { dnsSubdomain, pathSegment } from '../../../shared/values/name-formats';
import { listed, misnamed } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const GROUP = 'rbac.authorization.platform.io';

/** What each kind of subject asks for. */
const SUBJECTS: Readonly<Record<string, { readonly apiGroup: string; readonly isAccount?: true }>> = {
  ServiceAccount: { apiGroup: '', isAccount: true },
  User: { apiGroup: GROUP },
  Group: { apiGroup: GROUP },
};

export const roleBinding: Strategy = binding({ roles: ['Role', 'ClusterRole'], namespaced: true });
export const clusterRoleBinding: Strategy = binding({ roles: ['ClusterRole'], namespaced: false });

interface BindingRules {
  /** Kinds that it can grant. */
  readonly roles: readonly string[];
  readonly namespaced: boolean;
}

function binding(rules: BindingRules): Strategy {
  return {
    validate: (object) => [
      ...roleErrors(objectAt(object, 'roleRef') ?? {}, rules),
      ...listed(object, 'subjects').flatMap((subject, index) => subjectErrors(subject, `subjects[${index}]`, rules)),
    ],
    update: { stages: UPDATE.objectTwiceThenChange, validate: sameRole },
  };
}

function roleErrors(role: JsonObject, { roles }: BindingRules): readonly FieldError[] {
  const [group, kind, name] = [stringAt(role, 'apiGroup') ?? '', stringAt(role, 'kind') ?? '', stringAt(role, 'name') ?? ''];
  const errors: FieldError[] = [];
  if (group !== GROUP) errors.push(notSupported('roleRef.apiGroup', group, [GROUP]));
  if (!roles.includes(kind)) errors.push(notSupported('roleRef.kind', kind, roles));
  if (name === '') return [...errors, required('roleRef.name')];
  return [...errors, ...misnamed(name, 'roleRef.name', pathSegment)];
}

function subjectErrors(subject: JsonObject, place: string, { namespaced }: BindingRules): readonly FieldError[] {
  const [group, kind, name] = [stringAt(subject, 'apiGroup') ?? '', stringAt(subject, 'kind') ?? '', stringAt(subject, 'name') ?? ''];
  const errors: FieldError[] = name === '' ? [required(`${place}.name`)] : [];
  const wanted = own(SUBJECTS, kind);
  if (wanted === undefined) return [...errors, notSupported(`${place}.kind`, kind, Object.keys(SUBJECTS))];
  if (wanted.isAccount === true && name !== '') append(errors, misnamed(name, `${place}.name`, dnsSubdomain));
  if (group !== wanted.apiGroup) errors.push(notSupported(`${place}.apiGroup`, group, [wanted.apiGroup]));
  // A binding in a namespace may leave out that of the account; upstream does not say where it then is.
  const needsNamespace = wanted.isAccount === true && !namespaced && (stringAt(subject, 'namespace') ?? '') === '';
  return needsNamespace ? [...errors, required(`${place}.namespace`)] : errors;
}

function sameRole(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [role, before] = [objectAt(object, 'roleRef') ?? {}, objectAt(old, 'roleRef') ?? {}];
  return equalJson(role, before) ? [] : [invalidValue('roleRef', role, 'cannot change roleRef')];
}
