/**
 * An Ingress that is created without a class gets the default one: of the IngressClasses that are marked so the newest, and among equally new ones
 * the first by name. An Ingress that names its class in the older way, by an annotation, is left alone.
 */
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { Entry } from '../cache/cache';
import { classAnnotation } from '../kinds/networking/ingress';
import { parseEntry } from '../registry/object/stored-object';
import type { MutatingPlugin } from './chain';

const MARK = 'ingressclass.platform.io/is-default-class';
/** The part of the mark that both spellings share. */
const MARK_BYTES = Buffer.from('is-default-class');

/** `classes`: the entries of the IngressClasses that there are at this moment. */
export function defaultIngressClass(classes: () => Iterable<Entry>): MutatingPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (operation) => operation === 'CREATE',
    looksInto: ({ resource: { row } }) => row.kind === 'Ingress' && row.group === 'networking.platform.io',
    mutate({ resource, subresource, object }) {
      const { group, kind } = resource.row;
      if (kind !== 'Ingress' || group !== 'networking.platform.io' || subresource !== undefined || object === undefined) return undefined;
      const spec = objectAt(object, 'spec');
      if (spec === undefined || hasClass(object, spec)) return undefined;
      const name = defaultAmong(classes());
      if (name !== undefined) spec['ingressClassName'] = name;
      return undefined;
    },
  };
}

const hasClass = (object: JsonObject, spec: JsonObject): boolean =>
  typeof own(spec, 'ingressClassName') === 'string' || classAnnotation(objectAt(readMetadata(object), 'annotations')) !== undefined;

function defaultAmong(classes: Iterable<Entry>): string | undefined {
  let best: { readonly name: string; readonly created: string } | undefined;
  for (const entry of classes) {
    // Most classes carry no mark, and need not be parsed to tell.
    if (!entry.bytes.includes(MARK_BYTES)) continue;
    const metadata = readMetadata(parseEntry(entry).object);
    if (!isMarked(objectAt(metadata, 'annotations') ?? {})) continue;
    // Entries come in the order of their names.
    const created = stringAt(metadata, 'creationTimestamp') ?? '';
    if (best === undefined || created > best.created) best = { name: entry.key, created };
  }
  return best?.name;
}

const isMarked = (annotations: JsonObject): boolean =>
  Object.keys(annotations).some((name) => canonicalQualifiedName(name) === MARK && annotations[name] === 'true');
