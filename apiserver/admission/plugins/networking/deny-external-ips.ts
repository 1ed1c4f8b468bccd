/** DenyServiceExternalIPs: rejects external IPs that the Service does not have yet. */
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
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
      const { object, oldObject }: AdmissionRequest<CoreV1Service> = request;
      const previousAddresses = new Set(oldObject?.spec?.externalIPs);
      if (object?.spec?.externalIPs?.every((address) => previousAddresses.has(address)) !== false) return undefined;
      throw newForbidden(request, 'Use of external IPs is denied by admission control');
    },
  };
}
