/** PersistentVolume and PersistentVolumeClaim: the phase in which they begin, and the two names of a claim's source. */
import { cloneJson, objectAt, stringAt, type JsonObject } from '../../../shared/api/json';
import { readMetadata } from '../../../shared/api/object-meta';
import { SNAPSHOT_GROUPS } from '../../../shared/names/dialect';
import type { Strategy } from './strategy';

export const persistentVolume: Strategy = {
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: stringAt(readMetadata(object), 'creationTimestamp') ?? null };
  },
};

export const persistentVolumeClaim: Strategy = {
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending' };
    settleSource(object);
  },
  update: { prepare: settleSource },
};

/**
 * The older member and the newer one say the same. The older one knows claims and snapshots only; sources in another namespace are a feature that
 * is off.
 */
function settleSource(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  if (!isKnownSource(objectAt(spec, 'dataSource'))) delete spec['dataSource'];
  if ((stringAt(objectAt(spec, 'dataSourceRef'), 'namespace') ?? '') !== '') delete spec['dataSourceRef'];
  const [older, newer] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  if (older !== undefined && newer === undefined) spec['dataSourceRef'] = cloneJson(older);
  if (newer !== undefined && older === undefined) spec['dataSource'] = cloneJson(newer);
}

function isKnownSource(source: JsonObject | undefined): boolean {
  const [group, kind] = [stringAt(source, 'apiGroup') ?? '', stringAt(source, 'kind')];
  return (group === '' && kind === 'PersistentVolumeClaim') || (SNAPSHOT_GROUPS.has(group) && kind === 'VolumeSnapshot');
}
