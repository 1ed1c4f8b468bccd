/** What is asked of a server with a conversion webhook: which versions there are, what the webhook does meanwhile, and which requests are made. Names are upstream's. */
import type { Body, Json } from '../reference';

export const NAMESPACE = 'converted';
export const GROUP = 'conversions.example.com';

export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly type?: string;
  readonly accept?: string;
  /** What the webhook does from here on; `good` when nothing is said at the beginning. */
  readonly does?: string;
  /** Unrecorded: it only brings about a state. */
  readonly silent?: true;
  /** The objects that the webhook was asked to convert are recorded. */
  readonly calls?: true;
  /** Tried again until this member of the answer, in dots, is so; for what comes about with time. */
  readonly until?: readonly [path: string, value: Json];
  /** Done from the moment its answer begins; recorded after it. */
  readonly during?: readonly Step[];
}

/** A webhook of admission, and the versions that its rule names. */
export interface Review {
  readonly type: 'mutating' | 'validating';
  readonly does: string;
  readonly versions: readonly string[];
  readonly resources?: readonly string[];
  readonly more?: Body;
}

/** A policy that is bound. */
export interface BoundSpec {
  readonly spec: Body;
  readonly binding?: Body;
}

export interface ConversionCase {
  readonly title: string;
  /** Of the definition's spec. */
  readonly definition?: Body;
  /** Of its conversion's webhook. */
  readonly webhook?: Body;
  /** What they are asked is recorded. */
  readonly reviews?: readonly Review[];
  readonly policies?: readonly BoundSpec[];
  /** Made before there are webhooks and policies, and unrecorded. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

const STRING: Body = { type: 'string' };

const version = (name: string, storage: boolean, spec: Body, columns: Json, selectable: string): Body => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { replicas: { type: 'integer' }, tags: { type: 'object', additionalProperties: STRING }, ...spec },
        },
        status: { type: 'object', properties: { ready: STRING, replicas: { type: 'integer' }, [`of${name.toUpperCase()}`]: STRING } },
      },
    },
  },
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  additionalPrinterColumns: columns,
  selectableFields: [{ jsonPath: selectable }],
});

const column = (name: string, type: string, jsonPath: string): Body => ({ name, type, jsonPath });

const FIRST: Body = { address: STRING, byFirst: { type: 'string', default: 'first' }, onlyFirst: STRING };
const SECOND: Body = {
  host: { ...STRING, maxLength: 1_000 },
  port: { type: 'integer', minimum: 1 },
  bySecond: { type: 'string', default: 'second' },
  onlySecond: STRING,
};

/** With the version that objects are stored in. */
export const versions = (storage: 'v1' | 'v2'): Json[] => [
  version('v1', storage === 'v1', FIRST, [column('Address', 'string', '.spec.address')], '.spec.address'),
  version('v2', storage === 'v2', SECOND, [column('Host', 'string', '.spec.host'), column('Port', 'integer', '.spec.port')], '.spec.host'),
];

export const path = (apiVersion: string, name = '', query = ''): string =>
  `/apis/${GROUP}/${apiVersion}/namespaces/${NAMESPACE}/widgets${name === '' ? '' : `/${name}`}${query}`;

export const DEFINITION = `widgets.${GROUP}`;
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const widget = (apiVersion: string, name: string, spec: Json, more: Body = {}, rest: Body = {}): Body => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind: 'Widget',
  metadata: { name, ...more },
  spec,
  ...rest,
});
export const first = (name: string, address = 'h:1', more: Body = {}, rest: Body = {}): Body => widget('v1', name, { address }, more, rest);
/** Stands for the resource version that was told last. */
export const LAST = '<rv>';
export const changed = (apiVersion: string, name: string, spec: Json, rest: Body = {}): Body =>
  widget(apiVersion, name, spec, { resourceVersion: LAST }, rest);
export const second = (name: string, host = 'h', port = 1, more: Body = {}): Body => widget('v2', name, { host, port }, more);

export const get = (where: string, more: Partial<Step> = {}): Step => ({ method: 'GET', path: where, ...more });
export const post = (where: string, body: Json, more: Partial<Step> = {}): Step => ({ method: 'POST', path: where, body, ...more });
export const put = (where: string, body: Json, more: Partial<Step> = {}): Step => ({ method: 'PUT', path: where, body, ...more });
const patchOf =
  (type: string) =>
  (where: string, body: Json, more: Partial<Step> = {}): Step => ({ method: 'PATCH', path: where, body, type, ...more });
export const merge = patchOf('application/merge-patch+json');
export const jsonPatch = patchOf('application/json-patch+json');
export const apply = patchOf('application/apply-patch+yaml');
export const remove = (where: string, more: Partial<Step> = {}): Step => ({ method: 'DELETE', path: where, ...more });
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
