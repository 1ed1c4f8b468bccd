/** What plug-ins that look at new pods have in common: which requests those are, and how they refuse. Decides nothing else. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { AdmissionOperation, AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';

const isPod = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && subresource === undefined;

/** The pod's specification, where the request is about a pod itself. */
function podSpec(request: AdmissionRequest): JsonObject | undefined {
  return isPod(request) ? objectAt(request.object, 'spec') : undefined;
}

/** What a plug-in does with the specification of a pod. */
type PodWork = (request: AdmissionRequest, spec: JsonObject) => void;

/** The requests that a plug-in about pods handles. */
export const NEW_PODS: readonly AdmissionOperation[] = ['CREATE'];
export const WRITTEN_PODS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE'];

export function podMutation(name: string, operations: readonly AdmissionOperation[], work: PodWork): MutatingPlugin {
  return { ...aboutPods(name, operations), mutate: (request) => withSpec(request, work) };
}

export function podValidation(name: string, operations: readonly AdmissionOperation[], work: PodWork): ValidatingPlugin {
  return { ...aboutPods(name, operations), validate: (request) => withSpec(request, work) };
}

const aboutPods = (name: string, operations: readonly AdmissionOperation[]): Omit<MutatingPlugin, 'mutate'> => ({
  name,
  handles: (operation) => operations.includes(operation),
  inspectsObject: isPod,
});

function withSpec(request: AdmissionRequest, work: PodWork): undefined {
  const spec = podSpec(request);
  if (spec !== undefined) work(request, spec);
}

/** Forbidden, with the name that the object has or will begin with. */
export function refused({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const metadata = readMetadata(object ?? {});
  const shown = [stringAt(metadata, 'name'), name, stringAt(metadata, 'generateName')].find((one) => one !== undefined && one !== '');
  return forbidden({ group: row.group, resource: row.resource }, shown ?? 'Unknown', text);
}
