/** PersistentVolume and PersistentVolumeClaim: the phase in which they begin, and the two names of a claim's source. */
import { cloneJson, objectAt, stringAt, type JsonObject } from '../../../shared/api/json';
import { readMetadata } from '../../../shared/api/object-meta';
import type { Strategy } from './strategy';

export const persistentVolume: Strategy = {
  prepareForCreate(object) {
    dropGated(object);
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: stringAt(readMetadata(object), 'creationTimestamp') ?? null };
  },
  update: { prepare: dropGated },
};

export const persistentVolumeClaim: Strategy = {
  prepareForCreate(object) {
    dropGated(object);
    object['status'] = { phase: 'Pending' };
    mirrorSource(object);
  },
  update: {
    prepare(object) {
      dropGated(object);
      mirrorSource(object);
    },
  },
};

/** The class of changeable attributes is a feature that is off. */
function dropGated(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined) delete spec['volumeAttributesClassName'];
}

/** The older member and the newer one say the same as long as the source lies in the claim's namespace. */
function mirrorSource(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  const [older, newer] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  if (older !== undefined && newer === undefined) spec['dataSourceRef'] = cloneJson(older);
  if (newer === undefined || older !== undefined || (stringAt(newer, 'namespace') ?? '') !== '') return;
  spec['dataSource'] = cloneJson(newer);
}
