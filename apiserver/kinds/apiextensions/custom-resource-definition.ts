/**
 * CustomResourceDefinition strategy. Records in the status the versions in which objects may be stored. A DELETE only
 * marks the definition, which stays until its custom resources are deleted. The files beside this one and in schema/
 * validate the spec; apiserver/custom-resources computes the conditions.
 */
import { invalidShownValue, invalidValue } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { quote } from '../../../shared/values/text/quote';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { checkApiApproval } from './api-approval';
import { checkDefinitionNames } from './definition-names';
import { restoreSchemas, extractSchemas } from './extract-schemas';
import { checkDefinitionSpec } from './definition-spec';
import type { DeletionContext, Strategy } from '../../registry/strategy';
import type { ApiextensionsV1CustomResourceDefinition } from '../../../shared/api/types/generated/members';

type Definition = ApiextensionsV1CustomResourceDefinition;

export const customResourceDefinition: Strategy<Definition> = {
  // Even short schemas may take long to validate, so every write runs in a worker thread.
  maxInlineBytes: 0,
  prepareForCreate(object) {
    object.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    addStoredVersion(object);
  },
  validateName(object, name) {
    const expected = `${object.spec?.names?.plural ?? ''}.${object.spec?.group ?? ''}`;
    return name === expected ? [] : ['must be spec.names.plural+"."+spec.group'];
  },
  validate(object) {
    const errors: Errors = [];
    checkDefinitionSpec(object.spec ?? {}, errors);
    checkStoredVersions(object, errors);
    checkApiApproval(object, errors);
    checkPreserveUnknownFields(object, errors);
    return errors;
  },
  update: {
    prepareForUpdate: addStoredVersion,
    validate(object, old) {
      const errors: Errors = [];
      checkDefinitionSpec(object.spec ?? {}, errors);
      checkStoredVersions(object, errors);
      checkImmutableFields(object, old, errors);
      checkStoredVersionsExist(object, errors);
      checkApiApproval(object, errors);
      checkPreserveUnknownFields(object, errors);
      return errors;
    },
  },
  status: {
    validate(object) {
      const errors: Errors = [];
      checkDefinitionNames(object.status?.acceptedNames ?? {}, 'status.acceptedNames', 'some', errors);
      return errors;
    },
  },
  deletion: { firstDeleteOnlyMarks: true, prepareForDeletion: markTerminating, addsUidPrecondition: true },
  abridge(bytes) {
    const { object, schemas } = extractSchemas(bytes);
    return { object, complete: (body) => restoreSchemas(body, schemas) };
  },
};

const storedVersionsOf = (object: Definition): readonly string[] => object.status?.storedVersions ?? [];

/** Adds the storage version to `status.storedVersions`. */
function addStoredVersion(object: Definition): void {
  const stored = storedVersionsOf(object);
  const storage = storageVersionOf(object);
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
  const remaining = new Set(stored);
  const shown = `[]string{${stored.map((name) => quote(name)).join(', ')}}`;
  for (const { name = '', storage } of object.spec?.versions ?? []) {
    if (!remaining.delete(name) && storage === true) errors.push(invalidShownValue(STORED, shown, `must have the storage version ${name}`));
  }
}

/** Objects may still be stored in these versions, so the spec must keep them. */
function checkStoredVersionsExist(object: Definition, errors: Errors): void {
  const known = new Set(object.spec?.versions?.map(({ name }) => name ?? ''));
  storedVersionsOf(object).forEach((name, index) => {
    if (!known.has(name)) errors.push(invalidValue(`${STORED}[${index}]`, name, 'must appear in spec.versions'));
  });
}

/** Group and plural name are immutable. Scope and kind are immutable once the definition is established. */
function checkImmutableFields({ spec = {} }: Definition, old: Definition, errors: Errors): void {
  const before = old.spec ?? {};
  const checkSame = (field: string, current = '', previous = ''): void => {
    if (current !== previous) errors.push(invalidValue(`spec.${field}`, current, 'field is immutable'));
  };
  if (isEstablished(old)) {
    checkSame('scope', spec.scope, before.scope);
    checkSame('names.kind', spec.names?.kind, before.names?.kind);
  }
  checkSame('group', spec.group, before.group);
  checkSame('names.plural', spec.names?.plural, before.names?.plural);
}

const storageVersionOf = ({ spec }: Definition): string | undefined => spec?.versions?.find(({ storage }) => storage === true)?.name;

function isEstablished(object: Definition): boolean {
  return object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
}

function checkPreserveUnknownFields({ spec }: Definition, errors: Errors): void {
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
