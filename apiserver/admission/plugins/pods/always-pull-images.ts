/**
 * AlwaysPullImages: sets `imagePullPolicy: Always` on every container, so that a pod cannot use an image that is
 * already on its node without credentials to pull it.
 */
import { arrayAt, isObject, objectAt } from '../../../../shared/values/json';
import type { AdmissionTarget } from '../../../registry/admission';
import type { MutatingPlugin } from '../../chain';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

const isPodRequest = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && (subresource === undefined || subresource === 'ephemeralcontainers');

export function alwaysPullImages(): MutatingPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isPodRequest,
    mutate(request) {
      if (!isPodRequest(request)) return undefined;
      const spec = objectAt(request.object, 'spec') ?? {};
      for (const list of CONTAINER_LISTS)
        for (const container of arrayAt(spec, list) ?? []) if (isObject(container)) container['imagePullPolicy'] = 'Always';
      return undefined;
    },
  };
}
