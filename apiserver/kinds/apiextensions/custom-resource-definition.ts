/**
 * CustomResourceDefinition: what it may say stands in the files beside this one, what its schemas may say in schema/. The versions in which objects may
 * be stored are noted in its status, and a DELETE only marks it until its resources are gone. What its conditions say is worked out in
 * apiserver/custom-resources.
 */
import { invalidShownValue, invalidValue } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { quote } from '../../../shared/values/quote';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { checkApproval } from './approval';
import { checkNames } from './names';
import { completed, outlineOf } from './outline';
import { checkSpec } from './spec';
import type { DeletionContext, Strategy } from '../../registry/strategy';
import type { ApiextensionsV1CustomResourceDefinition } from '../../../shared/api/types/generated/members';

type Definition = ApiextensionsV1CustomResourceDefinition;

export const customResourceDefinition: Strategy<Definition> = {
  maxInlineBytes: 0,
  prepareForCreate(object) {
    object.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    noteStorageVersion(object);
  },
  validateName(object, name) {
    const expected = `${object.spec?.names?.plural ?? ''}.${object.spec?.group ?? ''}`;
    return name === expected ? [] : ['must be spec.names.plural+"."+spec.group'];
  },
  validate(object) {
    const errors: Errors = [];
    checkSpec(object.spec ?? {}, errors);
    checkStoredVersions(object, errors);
    checkApproval(object, errors);
    checkPreservation(object, errors);
    return errors;
  },
  update: {
    prepareForUpdate: noteStorageVersion,
    validate(object, old) {
      const errors: Errors = [];
      checkSpec(object.spec ?? {}, errors);
      checkStoredVersions(object, errors);
      checkChange(object, old, errors);
      checkGoneVersions(object, errors);
      checkApproval(object, errors);
      checkPreservation(object, errors);
      return errors;
    },
  },
  status: {
    validate(object) {
      const errors: Errors = [];
      checkNames(object.status?.acceptedNames ?? {}, 'status.acceptedNames', 'some', errors);
      return errors;
    },
  },
  deletion: { firstDeleteOnlyMarks: true, prepareForDeletion: markTerminating, addsUidPrecondition: true },
  abridge(bytes) {
    const { object, schemas } = outlineOf(bytes);
    return { object, complete: (body) => completed(body, schemas) };
  },
};

const storedVersionsOf = (object: Definition): readonly string[] => object.status?.storedVersions ?? [];

/** The version that objects are stored in is one of those that they may have been stored in. */
function noteStorageVersion(object: Definition): void {
  const stored = storedVersionsOf(object);
  const storage = storageOf(object);
  if (storage === undefined || stored.includes(storage)) return;
  object.status = { ...object.status, storedVersions: [...stored, storage] };
}

const STORED = 'status.storedVersions';

function checkStoredVersions(object: Definition, errors: Errors): void {
  const stored = storedVersionsOf(object);
  if (stored.length === 0) {
    errors.push(invalidShownValue(STORED, '[]string(nil)', 'must have at least one stored version'));
    return;
  }
  const left = new Set(stored);
  const shown = `[]string{${stored.map((name) => quote(name)).join(', ')}}`;
  for (const { name = '', storage } of object.spec?.versions ?? []) {
    if (!left.delete(name) && storage === true) errors.push(invalidShownValue(STORED, shown, `must have the storage version ${name}`));
  }
}

/** Objects may still be stored in these. */
function checkGoneVersions(object: Definition, errors: Errors): void {
  const known = new Set(object.spec?.versions?.map(({ name }) => name ?? ''));
  storedVersionsOf(object).forEach((name, index) => {
    if (!known.has(name)) errors.push(invalidValue(`${STORED}[${index}]`, name, 'must appear in spec.versions'));
  });
}

/** What objects are called by, once there may be any. */
function checkChange({ spec = {} }: Definition, old: Definition, errors: Errors): void {
  const before = old.spec ?? {};
  const same = (field: string, now = '', then = ''): void => {
    if (now !== then) errors.push(invalidValue(`spec.${field}`, now, 'field is immutable'));
  };
  if (isEstablished(old)) {
    same('scope', spec.scope, before.scope);
    same('names.kind', spec.names?.kind, before.names?.kind);
  }
  same('group', spec.group, before.group);
  same('names.plural', spec.names?.plural, before.names?.plural);
}

const storageOf = ({ spec }: Definition): string | undefined => spec?.versions?.find(({ storage }) => storage === true)?.name;

function isEstablished(object: Definition): boolean {
  return object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
}

function checkPreservation({ spec }: Definition, errors: Errors): void {
  const text = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  if (spec?.preserveUnknownFields === true) errors.push(invalidValue('spec.preserveUnknownFields', true, text));
}

function markTerminating(object: Definition, { names, now }: DeletionContext): void {
  const metadata = (object.metadata ??= {});
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(names.definitionFinalizer)) metadata.finalizers = [...finalizers, names.definitionFinalizer];
  const others = (object.status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: formatTimestamp(now),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  object.status = { ...object.status, conditions: [...others, terminating] };
}
