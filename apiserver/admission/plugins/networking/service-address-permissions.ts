/**
 * Permissions for Service addresses outside the cluster: `spec.externalIPs` and the load balancer addresses of the
 * status. Either lets a tenant take the traffic of another, so adding one requires permission to `update` the
 * subresource `externalips` or `loadbalancer` of Services. Existing addresses may be kept or removed by any writer.
 */
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { forbidden } from '../../../../shared/api/errors/status';
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { UserInfo } from '../../../../shared/api/identity/user';
import type { AdmissionRequest } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';

/** A permission to `update` a subresource of Services. The subresource is not served: it only names the permission. */
export interface ServiceAddressUse {
  readonly subresource: 'externalips' | 'loadbalancer';
  readonly namespace: string;
  readonly name: string;
}

/** Whether the user has the permission. A decision that needs no call is returned synchronously. */
export type CanUseAddresses = (user: UserInfo, use: ServiceAddressUse) => MaybePromise<boolean>;

/** The addresses of a Service that one permission guards. */
interface GuardedAddresses {
  readonly subresource: ServiceAddressUse['subresource'];
  readonly rejection: string;
  readonly addresses: (service: CoreV1Service | undefined) => readonly string[];
}

const EXTERNAL: GuardedAddresses = {
  subresource: 'externalips',
  rejection: 'Use of external IPs is denied by admission control',
  addresses: (service) => service?.spec?.externalIPs ?? [],
};
const LOAD_BALANCER: GuardedAddresses = {
  subresource: 'loadbalancer',
  rejection: 'Use of load balancer addresses is denied by admission control',
  addresses(service) {
    const ingressPoints = service?.status?.loadBalancer?.ingress ?? [];
    const addresses = ingressPoints.flatMap(({ ip = '', hostname = '' }) => [ip, hostname]);
    return addresses.filter((address) => address !== '');
  },
};

/** Creates the plug-in. Only a write that adds an address asks for permission. */
export function serviceAddressPermissions(canUseAddresses: CanUseAddresses): ValidatingPlugin {
  return {
    name: 'ServiceAddressPermissions',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row } }) => row.group === '' && row.resource === 'services',
    validate(request) {
      const { row } = request.resource;
      if (row.group !== '' || row.resource !== 'services') return undefined;
      const guarded = request.subresource === 'status' ? LOAD_BALANCER : EXTERNAL;
      const previous = new Set(guarded.addresses(request.oldObject));
      if (guarded.addresses(request.object).every((address) => previous.has(address))) return undefined;
      const { user, namespace } = request;
      const { subresource, rejection } = guarded;
      const name = nameOf(request);
      const rejectUnlessAllowed = (isAllowed: boolean): undefined => {
        if (!isAllowed) throw forbidden({ group: '', resource: 'services' }, name, rejection);
      };
      const isAllowed = canUseAddresses(user, { subresource, namespace, name });
      return isAllowed instanceof Promise ? isAllowed.then(rejectUnlessAllowed) : rejectUnlessAllowed(isAllowed);
    },
  };
}

/** The name in the metadata: a generated name is set there before the validating step. */
const nameOf = (request: AdmissionRequest): string => readMetadata(request.object ?? {}).name ?? request.name;
