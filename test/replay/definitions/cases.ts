/** How cases of CustomResourceDefinitions are written: each is a definition that differs from a good one in what is to be looked at. */
import type { Body, Json } from '../reference';

export const GROUP = 'crd.example.com';

/** A good schema that says next to nothing. */
export const PLAIN: Body = { type: 'object' };

export const version = (name: string, members: Body = {}): Body => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: PLAIN },
  ...members,
});

export const STORAGE: Body = version('v1', { storage: true });

export const NAMES: Body = { plural: 'things', kind: 'Thing' };

/** A definition whose spec has these members instead of the good ones; null = none. */
export const definition = (spec: Body = {}, metadata: Body = {}, more: Body = {}): Body => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}`, ...metadata },
  spec: { group: GROUP, names: NAMES, scope: 'Namespaced', versions: [STORAGE], ...spec },
  ...more,
});

export const names = (members: Body): Body => definition({ names: { ...NAMES, ...members } });
export const grouped = (group: string, metadata: Body = {}): Body => definition({ group }, { name: `things.${group}`, ...metadata });
export const versions = (...list: Json[]): Body => definition({ versions: list });
export const stored = (members: Body): Body => versions({ ...STORAGE, ...members });
/** A second version, with members of its own. */
export const second = (members: Body): Body => versions(STORAGE, version('v2', members));
export const schema = (root: Body): Body => stored({ schema: { openAPIV3Schema: root } });
/** The schemas of the members of an object. */
export const properties = (of: Body): Body => schema({ type: 'object', properties: of });
export const property = (of: Json): Body => properties({ a: of });
/** Beside another version whose schema is another one. */
export const secondSchema = (root: Json): Body => second({ schema: { openAPIV3Schema: root } });
export const conversion = (of: Json): Body => definition({ conversion: of });
export const webhook = (members: Body): Body =>
  conversion({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], ...members } });
export const client = (config: Json): Body => webhook({ clientConfig: config });
export const column = (members: Body): Body =>
  stored({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', ...members }] });
export const scale = (members: Json): Body => stored({ subresources: { scale: members } });
/** A schema in which `.spec.a` is a string, and so on. */
export const SELECTABLE: Body = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'boolean' },
        c: { type: 'integer' },
        d: { type: 'number' },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};
export const selectable = (...paths: Json[]): Body =>
  stored({ schema: { openAPIV3Schema: SELECTABLE }, selectableFields: paths.map((jsonPath) => ({ jsonPath })) });

/** A case each, titled by what is looked at. */
export const each = <T extends Json>(prefix: string, values: readonly T[], of: (value: T) => Body): Record<string, Body> =>
  Object.fromEntries(values.map((value) => [`${prefix}: ${JSON.stringify(value).slice(0, 90)}`, of(value)]));
