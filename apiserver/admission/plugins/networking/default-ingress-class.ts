/**
 * DefaultIngressClass: gives a new Ingress without a class the default IngressClass, unless the Ingress names its class
 * by the older annotation.
 */
import { objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { Entry } from '../../../cache/cache';
import { ingressClassAnnotation } from '../../../kinds/networking/ingress';
import type { MutatingPlugin } from '../../chain';
import { newestDefaultClass } from '../../default-class';

const DEFAULT_ANNOTATION = 'ingressclass.platform.io/is-default-class';

/** `classes` returns the current IngressClass entries. */
export function defaultIngressClass(classes: () => Iterable<Entry>): MutatingPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: ({ resource: { row } }) => row.kind === 'Ingress' && row.group === 'networking.platform.io',
    mutate({ resource, subresource, object }) {
      const { group, kind } = resource.row;
      if (kind !== 'Ingress' || group !== 'networking.platform.io' || subresource !== undefined || object === undefined) return undefined;
      const spec = objectAt(object, 'spec');
      if (spec === undefined || hasClass(object, spec)) return undefined;
      const name = newestDefaultClass(classes(), [DEFAULT_ANNOTATION]);
      if (name !== undefined) spec['ingressClassName'] = name;
      return undefined;
    },
  };
}

const hasClass = (object: JsonObject, spec: JsonObject): boolean =>
  typeof own(spec, 'ingressClassName') === 'string' || ingressClassAnnotation(objectAt(readMetadata(object), 'annotations')) !== undefined;
