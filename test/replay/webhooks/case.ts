/** What is asked of a server with webhooks: which there are, what is there before, and which requests are made. Names are upstream's. */
import type { Body, Headers, Json } from '../reference';

/** Where all objects of the cases live. */
export const NAMESPACE = 'recorded';

export interface Hook {
  readonly type: 'mutating' | 'validating';
  /** What it answers; see behaviours.ts. */
  readonly does: string;
  /** Of the webhook; `<does>.example.com` when nothing is said. */
  readonly name?: string;
  /** The configuration that it is in; `recorded` when nothing is said. */
  readonly configuration?: string;
  /** Of its rules, which are about ConfigMaps when nothing is said. */
  readonly rule?: Body;
  /** Members of the webhook itself. */
  readonly more?: Body;
}

export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly type?: string;
  readonly headers?: Headers;
}

export interface WebhookCase {
  readonly title: string;
  readonly hooks: readonly Hook[];
  /** Made before there are webhooks; unrecorded. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

export const post = (path: string, body: Json): Step => ({ method: 'POST', path, body });
export const put = (path: string, body: Json): Step => ({ method: 'PUT', path, body });
export const get = (path: string): Step => ({ method: 'GET', path });
export const merge = (path: string, body: Json): Step => ({ method: 'PATCH', path, body, type: 'application/merge-patch+json' });
export const apply = (path: string, body: Json): Step => ({ method: 'PATCH', path, body, type: 'application/apply-patch+yaml' });
export const remove = (path: string, body?: Json): Step => ({ method: 'DELETE', path, ...(body === undefined ? {} : { body }) });

export const configMap = (name: string, more: Body = {}): Body => {
  const { metadata, ...rest } = more;
  const given: Body = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...given }, data: { a: '1' }, ...rest };
};
export const mapsPath = (name = '', query = ''): string => `${CONFIG_MAPS}${name === '' ? '' : `/${name}`}${query}`;
export const createMap = (name: string, more: Body = {}, query = ''): Step => post(mapsPath('', query), configMap(name, more));
