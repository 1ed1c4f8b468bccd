/**
 * An Ingress that is created without a class gets the default one: of the IngressClasses that are marked so the newest, and among equally new ones
 * the first by name. An Ingress that names its class in the older way, by an annotation, is left alone.
 */
import { objectAt, own, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { Entry } from '../cache/cache';
import { classAnnotation } from '../kinds/networking/ingress';
import type { MutatingPlugin } from './chain';
import { defaultAmong } from './default-class';

const MARK = 'ingressclass.platform.io/is-default-class';

/** `classes`: the entries of the IngressClasses that there are at this moment. */
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
      const name = defaultAmong(classes(), [MARK]);
      if (name !== undefined) spec['ingressClassName'] = name;
      return undefined;
    },
  };
}

const hasClass = (object: JsonObject, spec: JsonObject): boolean =>
  typeof own(spec, 'ingressClassName') === 'string' || classAnnotation(objectAt(readMetadata(object), 'annotations')) !== undefined;
