/** Images are pulled each time, so that nobody runs one that is there already without being allowed to pull it. */
import { arrayAt, isObject, objectAt } from '../../shared/values/json';
import type { AdmissionTarget } from '../registry/admission';
import type { MutatingPlugin } from './chain';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

const isAboutPods = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && (subresource === undefined || subresource === 'ephemeralcontainers');

export function alwaysPullImages(): MutatingPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isAboutPods,
    mutate(request) {
      if (!isAboutPods(request)) return undefined;
      const spec = objectAt(request.object, 'spec') ?? {};
      for (const list of LISTS)
        for (const container of arrayAt(spec, list) ?? []) if (isObject(container)) container['imagePullPolicy'] = 'Always';
      return undefined;
    },
  };
}
