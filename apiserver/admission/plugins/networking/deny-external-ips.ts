/** DenyServiceExternalIPs: rejects external IPs that the Service does not have yet. */
import { objectAt, stringsAt } from '../../../../shared/values/json';
import type { AdmissionTarget } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../pod-plugin';

const isService = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'services' && subresource === undefined;

export function denyExternalIps(): ValidatingPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isService,
    validate(request) {
      if (!isService(request)) return undefined;
      const previousAddresses = new Set(stringsAt(objectAt(request.oldObject, 'spec') ?? {}, 'externalIPs'));
      if (stringsAt(objectAt(request.object, 'spec') ?? {}, 'externalIPs').every((address) => previousAddresses.has(address)))
        return undefined;
      throw newForbidden(request, 'Use of external IPs is denied by admission control');
    },
  };
}
