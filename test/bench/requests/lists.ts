/**
 * The waits of another client while one reads very many objects: in every form of a list, in pages, and as the response
 * of deleting all of them. The reader reads as fast as it can and keeps no more than a page of the data; the other client
 * is a process of its own.
 */
import { once } from 'node:events';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { configMap, type BenchClient } from '../harness/client';
import { measureLoop } from '../harness/measure';
import { cpuSeconds } from '../../support/process-usage';
import { waitUntil } from '../../support/programs';
import { formatWaits, Probe } from '../harness/probe';
import { withEtcd, withServer, type BenchServer } from '../harness/bench-server';
import { numberOption, stores, textOption, TOKEN } from '../harness/settings';
import { findEtcd } from '../../support/external/etcd';

/** A form in which a collection is read; a `GET` without a query and with the client's headers by default. */
interface ListForm {
  readonly name: string;
  readonly method?: 'GET' | 'DELETE';
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A part of the last data of a response that does not end by itself. */
  readonly until?: string;
}

/** Requests in flight while objects are created. */
const WORKERS = 16;
const NAMESPACE = 'long';
const GROUP = 'long.example.com';
/** The page size of kubectl and client-go. */
const PAGE = 500;
/**
 * Characters at the beginning and at the end of a list in which its metadata is searched; it is at the end where members
 * are sorted.
 */
const METADATA_SPAN = 1_000;
/** The text of each ConfigMap and of each custom object: a typical size of small objects. */
const PAYLOAD_BYTES = 1_200;
const acceptAs = (kind: string, type = JSON_MEDIA_TYPE): string => `${type};as=${kind};v=v1;g=meta.platform.io`;

const FORMS: readonly ListForm[] = [
  { name: 'JSON' },
  { name: 'JSON, from the cache as it is', query: 'resourceVersion=0' },
  { name: 'JSON, gzip', headers: { 'accept-encoding': 'gzip' } },
  { name: 'YAML', headers: { accept: YAML_MEDIA_TYPE } },
  { name: 'Table', headers: { accept: acceptAs('Table') } },
  { name: 'Table with objects', query: 'includeObject=Object', headers: { accept: acceptAs('Table') } },
  { name: 'Table as YAML', headers: { accept: acceptAs('Table', YAML_MEDIA_TYPE) } },
  { name: 'metadata alone', headers: { accept: acceptAs('PartialObjectMetadataList') } },
  { name: 'selector that all match', query: 'labelSelector=app%3Dlong' },
  { name: 'selector that none match', query: 'labelSelector=app%3Dshort' },
  { name: 'selector of names that none match', query: 'fieldSelector=metadata.name%3Dnobody' },
  { name: 'selector that all match, Table', query: 'labelSelector=app', headers: { accept: acceptAs('Table') } },
  { name: 'delete all of them, dry run', method: 'DELETE', query: 'dryRun=All' },
  {
    name: 'watch that begins with all of them',
    query: 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    until: '"BOOKMARK"',
  },
];

const BUILT_IN_FORMS: readonly ListForm[] = [
  { name: 'protobuf', headers: { accept: PROTOBUF_MEDIA_TYPE.platform } },
  { name: 'metadata alone, protobuf', headers: { accept: acceptAs('PartialObjectMetadataList', PROTOBUF_MEDIA_TYPE.platform) } },
];

/** A kind of which many objects are read. */
interface Kind {
  readonly name: string;
  /** The path of its objects. */
  readonly collection: string;
  readonly forms: readonly ListForm[];
  /** The number of objects as a share of the requested count. */
  readonly share: number;
  body(name: string): string;
}

const container = (name: string): JsonObject => ({
  name,
  image: 'registry.example.com/team/app:1.2.3',
  env: [{ name: 'A', value: 'x'.repeat(100) }],
  resources: { requests: { cpu: '100m', memory: '64Mi' } },
});

const KINDS: readonly Kind[] = [
  {
    name: 'ConfigMap',
    collection: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    forms: [...FORMS, ...BUILT_IN_FORMS],
    share: 1,
    body: (name) => configMap(NAMESPACE, name, '', PAYLOAD_BYTES).replace('"app":"bench"', '"app":"long"'),
  },
  {
    name: 'Pod',
    collection: `/api/v1/namespaces/${NAMESPACE}/pods`,
    forms: [...FORMS, ...BUILT_IN_FORMS],
    share: 0.5,
    body: (name) =>
      JSON.stringify({
        metadata: { name, labels: { app: 'long' } },
        spec: { containers: [container('a'), container('b')] },
      }),
  },
  {
    name: 'custom object, in a version that is not stored',
    collection: `/apis/${GROUP}/v1alpha1/namespaces/${NAMESPACE}/longs`,
    forms: FORMS,
    share: 0.5,
    body: (name) =>
      JSON.stringify({
        apiVersion: `${GROUP}/v1alpha1`,
        kind: 'Long',
        metadata: { name, labels: { app: 'long' } },
        spec: { text: 'x'.repeat(PAYLOAD_BYTES), ports: [{ port: 80 }, { port: 443 }] },
      }),
  },
];

/**
 * Measures on each store. `--objects`: the number of ConfigMaps, half of it for other objects; `--only`: a part of
 * `kind: form` as it is printed.
 */
export async function lists(): Promise<void> {
  const count = numberOption('objects', 60_000);
  const isAvailable = (store: string): boolean => store !== 'etcd' || findEtcd() !== undefined;
  for (const store of stores.filter(isAvailable)) {
    console.log(`\n${store}: another client, while one asks for ${count} ConfigMaps of 1.5 KB or half as many larger objects`);
    const args = ['--feature-gates=WatchList=true'];
    await withEtcd(store === 'etcd', (etcdServers) =>
      withServer((opened) => printLists(opened, count, textOption('only') ?? ''), { etcdServers, args }),
    );
  }
}

async function printLists({ client, pid }: BenchServer, count: number, only: string): Promise<void> {
  const probe = await Probe.start({ port: client.port, token: TOKEN, path: '/api/v1/namespaces/default' });
  /** Prints the waits of the probe while `read` runs. */
  const printWaits = async (name: string, read: () => Promise<number>): Promise<void> => {
    await probe.waits();
    const startedAt = performance.now();
    const cpuBefore = cpuSeconds(pid);
    const bytes = await read();
    const ms = performance.now() - startedAt;
    const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1_000;
    const waited = formatWaits(await probe.waits(), 6);
    const work = `${ms.toFixed(0).padStart(6)} ms, CPU ${cpuMs.toFixed(0).padStart(6)} ms, ${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
    console.log(`${name.padEnd(84)} ${waited}  ${work}`);
  };
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await client.send('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  await createCustomResourceDefinition(client);
  for (const { name, collection, forms, share, body } of KINDS) {
    const selectedForms = forms.filter((form) => `${name}: ${form.name}`.includes(only));
    if (selectedForms.length === 0) continue;
    await measureLoop(pid, { workers: WORKERS, count: count * share }, async (index) => {
      await client.send('POST', collection, body(`o-${index}`));
    });
    for (const form of selectedForms) await printWaits(`${name}: ${form.name}`, () => readForm(client, collection, form));
    await printWaits(`${name}: pages of ${PAGE}`, () => readPages(client, collection));
    await printWaits(`${name}: delete all of them`, () => client.send('DELETE', collection));
  }
  probe.stop();
}

/**
 * Resolves with the size of the response in bytes. A response that does not end by itself is read to the chunk in which
 * `until` ends, and is counted in characters: all of its data are ASCII.
 */
async function readForm(client: BenchClient, collection: string, { method = 'GET', query, headers, until }: ListForm): Promise<number> {
  const target = query === undefined ? collection : `${collection}?${query}`;
  if (until === undefined) return client.send(method, target, undefined, headers);
  const response = await client.open(method, target, undefined, headers);
  let bytes = 0;
  let end = '';
  for await (const chunk of response) {
    const text = String(chunk);
    bytes += text.length;
    if ((end + text).includes(until)) break;
    end = text.slice(-until.length);
  }
  if (!response.closed) await once(response.destroy(), 'close');
  return bytes;
}

/** Resolves with the characters of all pages, which are ASCII. */
async function readPages(client: BenchClient, collection: string): Promise<number> {
  let bytes = 0;
  for (let token: string | undefined = ''; token !== undefined;) {
    const text: string = await client.text('GET', `${collection}?limit=${PAGE}&continue=${token}`);
    bytes += text.length;
    token = /"continue":"([^"]+)"/.exec(text.slice(0, METADATA_SPAN) + text.slice(-METADATA_SPAN))?.[1];
  }
  return bytes;
}

/** Resolves when the version that is not stored is served. */
async function createCustomResourceDefinition(client: BenchClient): Promise<void> {
  const text = { type: 'string', maxLength: 10_000 };
  const spec = {
    type: 'object',
    properties: {
      text,
      policy: { type: 'string', default: 'Always' },
      ports: {
        type: 'array',
        items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } } },
      },
    },
  };
  const version = (name: string): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    additionalPrinterColumns: [{ name: 'Policy', type: 'string', jsonPath: '.spec.policy' }],
  });
  const versions = [version('v1'), version('v1alpha1')];
  const body = customResourceDefinition({ plural: 'longs', kind: 'Long', group: GROUP, spec: { versions } });
  await client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
  const collection = `/apis/${GROUP}/v1alpha1/namespaces/${NAMESPACE}/longs`;
  await waitUntil('the custom resource to be served', async () => (await client.status('GET', collection)) === 200);
}
