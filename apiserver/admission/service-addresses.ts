/**
 * Who may draw traffic to a Service from addresses that are not the cluster's: by `spec.externalIPs`, or by the addresses of a load balancer in the
 * status. Either lets one tenant take the traffic of another, so both are for those only whom the authorizer allows to `update` the subresource
 * `externalips` or `loadbalancer` of Services. What is there already may stay or go, whoever writes.
 */
import { arrayAt, isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden } from '../../shared/api/errors/status';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { UserInfo } from '../../shared/api/identity/user';
import type { AdmissionRequest } from '../registry/admission';
import type { ValidatingPlugin } from './chain';

/** What a user wants to do with a Service, as a permission to `update` one of its subresources (which nobody serves: they only name it). */
export interface AddressUse {
  readonly subresource: 'externalips' | 'loadbalancer';
  readonly namespace: string;
  readonly name: string;
}

export type MayUse = (user: UserInfo, use: AddressUse) => MaybePromise<boolean>;

interface Guarded {
  readonly subresource: AddressUse['subresource'];
  readonly refusal: string;
  readonly addresses: (service: JsonObject | undefined) => readonly string[];
}

const EXTERNAL: Guarded = {
  subresource: 'externalips',
  refusal: 'Use of external IPs is denied by admission control',
  addresses: (service) => stringsAt(objectAt(service, 'spec') ?? {}, 'externalIPs'),
};
const BALANCER: Guarded = {
  subresource: 'loadbalancer',
  refusal: 'Use of load balancer addresses is denied by admission control',
  addresses: (service) =>
    (arrayAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress') ?? [])
      .filter(isObject)
      .flatMap((ingress) => [stringAt(ingress, 'ip') ?? '', stringAt(ingress, 'hostname') ?? ''])
      .filter((address) => address !== ''),
};

export function serviceAddresses(mayUse: MayUse): ValidatingPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row } }) => row.group === '' && row.resource === 'services',
    validate(request) {
      const { row } = request.resource;
      if (row.group !== '' || row.resource !== 'services') return undefined;
      const guarded = request.subresource === 'status' ? BALANCER : EXTERNAL;
      const before = new Set(guarded.addresses(request.oldObject));
      if (guarded.addresses(request.object).every((address) => before.has(address))) return undefined;
      const { user, namespace } = request;
      const { subresource, refusal } = guarded;
      const name = nameOf(request);
      const judge = (may: boolean): undefined => {
        if (!may) throw forbidden({ group: '', resource: 'services' }, name, refusal);
      };
      const may = mayUse(user, { subresource, namespace, name });
      return may instanceof Promise ? may.then(judge) : judge(may);
    },
  };
}

/** A generated name is in the object by now. */
const nameOf = (request: AdmissionRequest): string => stringAt(readMetadata(request.object ?? {}), 'name') ?? request.name;
