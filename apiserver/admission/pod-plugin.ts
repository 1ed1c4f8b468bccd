/**
 * Builds plug-ins that handle the spec of pods, and the Forbidden error that plug-ins reject with. Subresources of pods
 * are left to the plug-ins that handle them.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import type { CoreV1Pod, CoreV1PodSpec } from '../../shared/api/types/generated/members';
import type { AdmissionOperation, AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';

const isPod = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && subresource === undefined;

/** `undefined` when the request is for another resource or a subresource. */
function podSpec(request: AdmissionRequest<CoreV1Pod>): CoreV1PodSpec | undefined {
  return isPod(request) ? request.object?.spec : undefined;
}

/** Checks or changes a pod spec; throws to reject the pod. */
type ApplyToPodSpec = (request: AdmissionRequest<CoreV1Pod>, spec: CoreV1PodSpec) => void;

/** The operation of a plug-in that sees new pods only. */
export const ON_CREATE: readonly AdmissionOperation[] = ['CREATE'];
/** The operations of a plug-in that sees new and changed pods. */
export const ON_CREATE_OR_UPDATE: readonly AdmissionOperation[] = ['CREATE', 'UPDATE'];

/** A plug-in that may change the specs of pods in these operations. */
export function podMutatingPlugin(name: string, operations: readonly AdmissionOperation[], apply: ApplyToPodSpec): MutatingPlugin {
  return { ...podPluginBase(name, operations), mutate: (request) => callWithPodSpec(request, apply) };
}

/** A plug-in that checks the specs of pods in these operations. */
export function podValidatingPlugin(name: string, operations: readonly AdmissionOperation[], apply: ApplyToPodSpec): ValidatingPlugin {
  return { ...podPluginBase(name, operations), validate: (request) => callWithPodSpec(request, apply) };
}

/** The members that mutating and validating plug-ins share. */
const podPluginBase = (name: string, operations: readonly AdmissionOperation[]): Omit<MutatingPlugin, 'mutate'> => ({
  name,
  handles: (operation) => operations.includes(operation),
  inspectsObject: isPod,
});

function callWithPodSpec(request: AdmissionRequest<CoreV1Pod>, apply: ApplyToPodSpec): undefined {
  const spec = podSpec(request);
  if (spec !== undefined) apply(request, spec);
}

/** Forbidden, with the name of the object, its `generateName`, or `Unknown`. */
export function newForbidden({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const metadata = readMetadata(object ?? {});
  const shownName = [metadata.name, name, metadata.generateName].find((candidate) => candidate !== undefined && candidate !== '');
  return forbidden({ group: row.group, resource: row.resource }, shownName ?? 'Unknown', text);
}
