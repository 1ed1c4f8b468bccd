/** What plug-ins that look at new pods have in common: which requests those are, and how they refuse. Decides nothing else. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { AdmissionQuestion, AdmissionRequest } from '../registry/admission';

export const isPod = ({ resource: { row }, subresource }: Pick<AdmissionQuestion, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && subresource === undefined;

/** The pod's specification, where the request is about a pod itself. */
export function podSpec(request: AdmissionRequest): JsonObject | undefined {
  return isPod(request) ? objectAt(request.object, 'spec') : undefined;
}

/** Forbidden, with the name that the object has or will begin with. */
export function refused({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const metadata = readMetadata(object ?? {});
  const shown = [stringAt(metadata, 'name'), name, stringAt(metadata, 'generateName')].find((one) => one !== undefined && one !== '');
  return forbidden({ group: row.group, resource: row.resource }, shown ?? 'Unknown', text);
}
