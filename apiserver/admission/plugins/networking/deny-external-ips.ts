/**
 * DenyServiceExternalIPs: rejects a write that adds external IPs to a Service, for every user. IPs that the Service has
 * already may stay.
 */
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';

const isService = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'services' && subresource === undefined;

/** Creates the plug-in. */
export function denyExternalIps(): ValidatingPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isService,
    validate(request) {
      if (!isService(request)) return undefined;
      const { object, oldObject }: AdmissionRequest<CoreV1Service> = request;
      const previousAddresses = new Set(oldObject?.spec?.externalIPs);
      const addresses = object?.spec?.externalIPs ?? [];
      if (addresses.every((address) => previousAddresses.has(address))) return undefined;
      throw newForbidden(request, 'Use of external IPs is denied by admission control');
    },
  };
}
