/**
 * AlwaysPullImages: sets `imagePullPolicy: Always` on every container, so that a pod cannot use an image that is
 * already on its node without credentials to pull it.
 */
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
import type { MutatingPlugin } from '../../chain';

const isPodRequest = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && (subresource === undefined || subresource === 'ephemeralcontainers');

/** Creates the plug-in. */
export function alwaysPullImages(): MutatingPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isPodRequest,
    mutate(request) {
      if (!isPodRequest(request)) return undefined;
      const { object }: AdmissionRequest<CoreV1Pod> = request;
      const { initContainers = [], containers, ephemeralContainers = [] } = object?.spec ?? {};
      for (const container of [...initContainers, ...(containers ?? []), ...ephemeralContainers]) container.imagePullPolicy = 'Always';
      return undefined;
    },
  };
}
