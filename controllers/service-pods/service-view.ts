/**
 * The part of a Service that determines its endpoints, parsed from the object. Which pods it selects is left to
 * selection-index.ts.
 */
import type { CoreV1ServicePort, CoreV1ServiceSpec } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Service } from '../../shared/client/rest/typed-objects';
import { valueInEitherSpelling } from '../../shared/names/spellings';

/** The families of addresses, as EndpointSlices and Services name them. */
export type AddressType = 'IPv4' | 'IPv6';

/** A port of a Service, with the defaults of the API. */
export interface ServicePortView {
  readonly name: string;
  readonly protocol: string;
  /** `undefined` when the Service names none. */
  readonly appProtocol: string | undefined;
  /** A number, or the name of a container's port. */
  readonly targetPort: number | string;
}

/** A parsed Service; immutable, so that values can be cached by it. */
export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339; '' when it is unknown. */
  readonly creationTimestamp: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the spec has a selector, even where it is ignored, as for ExternalName. */
  readonly hasSelector: boolean;
  /** Undefined when pods do not determine the endpoints: the selector is empty or ignored. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  /** The families that endpoints are written for, the primary one first. */
  readonly ipFamilies: readonly AddressType[];
  /** Without a cluster IP: DNS returns the addresses of the endpoints. */
  readonly isHeadless: boolean;
  /** Pods count as ready from their creation. */
  readonly publishNotReadyAddresses: boolean;
  readonly ports: readonly ServicePortView[];
  /** How endpoints are assigned to zones. */
  readonly topology: 'auto' | 'preferClose' | 'none';
}

/** Parses the Service. `prefix`: of annotation keys in the server's dialect. */
export function serviceView(service: Service, prefix: string): ServiceView {
  const { namespace, name, uid, metadata } = service;
  const { spec = {} } = service.body;
  const { clusterIP = '', selector = {} } = spec;
  const hasSelector = Object.keys(selector).length > 0;
  return {
    namespace,
    name,
    uid,
    creationTimestamp: metadata.creationTimestamp ?? '',
    isTerminating: isBeingDeleted(service),
    labels: metadata.labels ?? {},
    hasSelector,
    selector: hasSelector && spec.type !== 'ExternalName' ? selector : undefined,
    ipFamilies: ipFamiliesOf(spec),
    isHeadless: clusterIP === 'None' || clusterIP === '',
    publishNotReadyAddresses: spec.publishNotReadyAddresses === true,
    ports: (spec.ports ?? []).map(portView),
    topology: topologyOf(spec, metadata.annotations ?? {}, prefix),
  };
}

/** A Service without `ipFamilies`, from before there was the field, has the family of its cluster IP. */
function ipFamiliesOf({ ipFamilies = [], clusterIP = '' }: CoreV1ServiceSpec): readonly AddressType[] {
  const families = ipFamilies.filter((family) => family === 'IPv4' || family === 'IPv6');
  return families.length > 0 ? families : [clusterIP.includes(':') ? 'IPv6' : 'IPv4'];
}

/** A `targetPort` of '' or 0 means the same port as that of the Service. */
function portView({ name = '', protocol = 'TCP', appProtocol, port = 0, targetPort }: CoreV1ServicePort): ServicePortView {
  return { name, protocol, appProtocol, targetPort: targetPort === undefined || targetPort === '' || targetPort === 0 ? port : targetPort };
}

function topologyOf(
  { trafficDistribution }: CoreV1ServiceSpec,
  annotations: Readonly<Record<string, string>>,
  prefix: string,
): ServiceView['topology'] {
  const mode =
    valueInEitherSpelling(annotations, `service.${prefix}/topology-mode`) ??
    valueInEitherSpelling(annotations, `service.${prefix}/topology-aware-hints`) ??
    '';
  if (mode === 'Auto' || mode === 'auto') return 'auto';
  return trafficDistribution === 'PreferClose' ? 'preferClose' : 'none';
}
