/** Services get no external addresses that they do not have. */
import { objectAt, stringsAt } from '../../shared/values/json';
import type { AdmissionTarget } from '../registry/admission';
import type { ValidatingPlugin } from './chain';
import { refused } from './pod-creation';

const isService = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'services' && subresource === undefined;

export function denyExternalIps(): ValidatingPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isService,
    validate(request) {
      if (!isService(request)) return undefined;
      const had = new Set(stringsAt(objectAt(request.oldObject, 'spec') ?? {}, 'externalIPs'));
      if (stringsAt(objectAt(request.object, 'spec') ?? {}, 'externalIPs').every((address) => had.has(address))) return undefined;
      throw refused(request, 'Use of external IPs is denied by admission control');
    },
  };
}
