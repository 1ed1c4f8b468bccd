/**
 * CustomResourceDefinition: what it may say stands in the files beside this one, what its schemas may say in schema/. The versions in which objects may
 * be stored are noted in its status, and a DELETE only marks it until its resources are gone. What its conditions say is worked out in
 * apiserver/custom-resources.
 */
import { invalidAs, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { equalJson, type JsonObject, objectAt, stringAt, stringsAt } from '../../../shared/values/json';
import { metadataOf, timestamp } from '../../../shared/api/metadata/object-meta';
import { approvalErrors } from './approval';
import { namesErrors } from './names';
import { specErrors } from './spec';
import { listed } from '../rules/field-rules';
import type { DeletionContext, Strategy } from '../../registry/strategy';

export const customResourceDefinition: Strategy = {
  prepareForCreate(object) {
    object['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    noteStorageVersion(object);
  },
  validateName(object, name) {
    const spec = specOf(object);
    const expected = `${stringAt(objectAt(spec, 'names'), 'plural') ?? ''}.${stringAt(spec, 'group') ?? ''}`;
    return name === expected ? [] : ['must be spec.names.plural+"."+spec.group'];
  },
  validate: (object) => [
    ...specErrors(specOf(object)),
    ...storedVersionsErrors(object),
    ...approvalErrors(object),
    ...preservationErrors(specOf(object)),
  ],
  update: {
    prepareForUpdate: noteStorageVersion,
    validate: (object, old) => [
      ...specErrors(specOf(object)),
      ...storedVersionsErrors(object),
      ...changeErrors(object, old),
      ...goneVersionsErrors(object),
      ...approvalErrors(object),
      ...preservationErrors(specOf(object)),
    ],
  },
  status: {
    validate: (object) => namesErrors(objectAt(objectAt(object, 'status'), 'acceptedNames') ?? {}, 'status.acceptedNames', 'some'),
  },
  deletion: { marksOnly: true, prepareForDeletion: markTerminating },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const storedVersionsOf = (object: JsonObject): readonly string[] => stringsAt(objectAt(object, 'status') ?? {}, 'storedVersions');

/** The version that objects are stored in is one of those that they may have been stored in. */
function noteStorageVersion(object: JsonObject): void {
  const stored = storedVersionsOf(object);
  const version = listed(specOf(object), 'versions').find(({ storage }) => storage === true);
  const storage = stringAt(version, 'name');
  if (storage === undefined || stored.includes(storage)) return;
  object['status'] = { ...objectAt(object, 'status'), storedVersions: [...stored, storage] };
}

const STORED = 'status.storedVersions';

function storedVersionsErrors(object: JsonObject): readonly FieldError[] {
  const stored = storedVersionsOf(object);
  if (stored.length === 0) return [invalidAs(STORED, '[]string(nil)', 'must have at least one stored version')];
  const left = new Set(stored);
  return listed(specOf(object), 'versions').flatMap((version) => {
    const name = stringAt(version, 'name') ?? '';
    if (left.delete(name) || version['storage'] !== true) return [];
    return [invalidValue(STORED, stored, `must have the storage version ${name}`)];
  });
}

/** Objects may still be stored in these. */
function goneVersionsErrors(object: JsonObject): readonly FieldError[] {
  const known = new Set(listed(specOf(object), 'versions').map((version) => stringAt(version, 'name') ?? ''));
  return storedVersionsOf(object).flatMap((name, index) =>
    known.has(name) ? [] : [invalidValue(`${STORED}[${index}]`, name, 'must appear in spec.versions')],
  );
}

/** What objects are called by, once there may be any. */
function changeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const always = ['group', 'names.plural'];
  const fields = isEstablished(old) ? ['scope', 'names.kind', ...always] : always;
  const read = (from: JsonObject, field: string): string => {
    const [first = '', second] = field.split('.');
    return (second === undefined ? stringAt(specOf(from), first) : stringAt(objectAt(specOf(from), first), second)) ?? '';
  };
  return fields
    .filter((field) => !equalJson(read(object, field), read(old, field)))
    .map((field) => invalidValue(`spec.${field}`, read(object, field), 'field is immutable'));
}

function isEstablished(object: JsonObject): boolean {
  return listed(objectAt(object, 'status'), 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');
}

function preservationErrors(spec: JsonObject): readonly FieldError[] {
  const text = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return spec['preserveUnknownFields'] === true ? [invalidValue('spec.preserveUnknownFields', true, text)] : [];
}

function markTerminating(object: JsonObject, { names, now }: DeletionContext): void {
  const metadata = metadataOf(object);
  const finalizers = stringsAt(metadata, 'finalizers');
  if (!finalizers.includes(names.definitionFinalizer)) metadata['finalizers'] = [...finalizers, names.definitionFinalizer];
  const status = objectAt(object, 'status') ?? {};
  const others = listed(status, 'conditions').filter((condition) => condition['type'] !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  object['status'] = { ...status, conditions: [...others, terminating] };
}
