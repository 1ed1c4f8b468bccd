/** Custom objects whose members sort before, between and behind those that every object has, and how they are looked at. */
import { isBody, type Body, type Json } from '../reference';
import { FREE } from './cases';

export const ORDER_GROUP = 'order.example.com';
export const PATH = `/apis/${ORDER_GROUP}/v1/namespaces/$NS/odds`;

export const ORDER_DEFINITION: Body = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `odds.${ORDER_GROUP}` },
  spec: {
    group: ORDER_GROUP,
    scope: 'Namespaced',
    names: { plural: 'odds', kind: 'Odd' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...FREE } } }],
  },
};

const odd = (name: string, members: Body, metadata: Body = {}): Body => ({
  kind: 'Odd',
  ...members,
  metadata: { name, ...metadata },
  apiVersion: `${ORDER_GROUP}/v1`,
});

export const ODD: readonly Body[] = [
  odd('a', { spec: { b: 1, a: 2 }, status: {} }),
  odd('b', {
    zzz: 1,
    aaa: [{ z: 1 }],
    Zed: 'x',
    data: { 'metadata"': '}{' },
    kinds: 1,
    l: null,
    meta: true,
    metadatas: 1,
    apiVersions: 'x',
    _: 1,
  }),
  odd('c', {}),
  odd(
    'd',
    { data: { z: [{ y: 1, x: { b: 1, a: 2 } }], a: 1 } },
    {
      labels: { z: '1', resourceVersion: '5', a: '2' },
      annotations: { uid: '1', b: '\\"}', a: 'ü' },
      ownerReferences: [{ uid: 'u', name: 'n', kind: 'ConfigMap', apiVersion: 'v1', controller: true, blockOwnerDeletion: false }],
    },
  ),
];

const JSON_TYPE = 'application/json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

export const LOOKS: readonly { readonly path: string; readonly accept: string }[] = [
  ...['a', 'b', 'c', 'd'].map((name) => ({ path: `${PATH}/${name}`, accept: JSON_TYPE })),
  { path: PATH, accept: JSON_TYPE },
  { path: `${PATH}?limit=2`, accept: JSON_TYPE },
  { path: `${PATH}?labelSelector=a`, accept: JSON_TYPE },
  { path: `${PATH}?watch=true&timeoutSeconds=1`, accept: JSON_TYPE },
  { path: PATH, accept: 'application/yaml' },
  { path: `${PATH}/b`, accept: 'application/yaml' },
  { path: `${PATH}?includeObject=Object`, accept: TABLE },
  { path: `${PATH}/b`, accept: PARTIAL },
  { path: `${PATH}/d`, accept: PARTIAL },
];

/** The members that stand at the top, in metadata and data, in a list's items, in a table's rows and in events, in their order; of YAML those at the top. */
export function namesOf(text: string): Json {
  if (!text.startsWith('{')) return text.split('\n').flatMap((line) => /^([A-Za-z_]+):/.exec(line)?.[1] ?? []);
  return text
    .trim()
    .split('\n')
    .map((line) => namesIn(JSON.parse(line)));
}

const INSIDE: ReadonlySet<string> = new Set([
  'annotations',
  'data',
  'fieldsV1',
  'items',
  'labels',
  'managedFields',
  'metadata',
  'object',
  'ownerReferences',
  'rows',
  'x',
  'z',
]);

function namesIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(namesIn);
  if (!isBody(value)) return '';
  return Object.entries(value).map(([name, member]) => (INSIDE.has(name) ? [name, namesIn(member)] : name));
}
