/**
 * DefaultIngressClass: gives a new Ingress without a class the default IngressClass, unless the Ingress names its class
 * in the annotation `ingress.class`, which is older than the field.
 */
import type { NetworkingV1Ingress } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
import type { Entry } from '../../../cache/cache';
import { ingressClassAnnotation } from '../../../kinds/networking/ingress';
import type { MutatingPlugin } from '../../chain';
import { newestDefaultClass } from '../../default-class';

const DEFAULT_ANNOTATION = 'ingressclass.platform.io/is-default-class';

const isOfIngresses = ({ resource: { row } }: Pick<AdmissionTarget, 'resource'>): boolean =>
  row.kind === 'Ingress' && row.group === 'networking.platform.io';

/** `classes` returns the current IngressClass entries. */
export function defaultIngressClass(classes: () => Iterable<Entry>): MutatingPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: isOfIngresses,
    mutate(request) {
      const { subresource, object }: AdmissionRequest<NetworkingV1Ingress> = request;
      if (!isOfIngresses(request) || subresource !== undefined) return undefined;
      if (object?.spec === undefined || hasClass(object)) return undefined;
      const name = newestDefaultClass(classes(), [DEFAULT_ANNOTATION]);
      if (name !== undefined) object.spec.ingressClassName = name;
      return undefined;
    },
  };
}

const hasClass = ({ metadata, spec }: NetworkingV1Ingress): boolean =>
  spec?.ingressClassName !== undefined || ingressClassAnnotation(metadata?.annotations) !== undefined;
