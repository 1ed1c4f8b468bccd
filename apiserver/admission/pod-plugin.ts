/**
 * Builds plug-ins that check or change the specs of pods. They skip requests for subresources of pods and for other kinds;
 * pods that controllers create are requests of their own.
 */
import type { CoreV1Pod, CoreV1PodSpec } from '../../shared/api/types/generated/members';
import type { AdmissionOperation, AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';

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

/** Calls `apply` for a pod with a spec. */
function callWithPodSpec(request: AdmissionRequest<CoreV1Pod>, apply: ApplyToPodSpec): undefined {
  const spec = isPod(request) ? request.object?.spec : undefined;
  if (spec !== undefined) apply(request, spec);
}

const isPod = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && subresource === undefined;
