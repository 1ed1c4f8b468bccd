/**
 * CustomResourceDefinition (behaviour-reference §5.18): the versions in which objects may be stored are noted in its status, and a DELETE only marks
 * it until its resources are gone. What its conditions say is the controllers' work.
 */
import { objectAt, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, stringsAt, timestamp } from '../../../shared/api/object-meta';
import { listed } from './field-rules';
import type { MarkContext, Strategy } from './strategy';

export const customResourceDefinition: Strategy = {
  prepareForCreate(object) {
    object['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    noteStorageVersion(object);
  },
  update: { state: 'last', prepare: noteStorageVersion },
  status: { prepare: noteStorageVersion },
  marksOnly: true,
  markDeleted,
};

/** The version that objects are stored in is one of those that they may have been stored in. */
function noteStorageVersion(object: JsonObject): void {
  const status = objectAt(object, 'status') ?? {};
  const stored = stringsAt(status, 'storedVersions');
  const missing = listed(objectAt(object, 'spec'), 'versions')
    .filter((version) => version['storage'] === true)
    .map((version) => stringAt(version, 'name') ?? '')
    .filter((name) => !stored.includes(name));
  if (missing.length > 0) object['status'] = { ...status, storedVersions: [...stored, ...missing] };
}

function markDeleted(object: JsonObject, { names, now }: MarkContext): void {
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
