import { KINDS, type KindRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import { EncodingCache } from './encoding-cache';
import { Spelling } from './spelling';

const SYSTEM = { shown: 'kube-system', stored: 'platform-system' };

function rowOf(kind: string): KindRow {
  const row = KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no ${kind}`);
  return row;
}

function entryOf(body: object, dialectSensitive = false): Entry {
  return { key: '', revision: 1, bytes: Buffer.from(JSON.stringify(body)), labels: {}, fields: {}, dialectSensitive };
}

const shown = (spelling: Spelling, entry: Entry): unknown => JSON.parse(spelling.body(entry, false).toString());

const configMap = (namespace: string, group: string) => ({
  metadata: {
    name: 'platform-system',
    generateName: 'platform-system',
    namespace,
    uid: 'u',
    annotations: { a: '"namespace":"platform-system"', namespace: 'platform-system' },
    ownerReferences: [{ apiVersion: `${group}/v1` }],
  },
  data: { namespace: 'platform-system' },
});

it("hands on the entry's own bytes where nothing is to be respelled", () => {
  const entry = entryOf(configMap('platform-system', 'apps'));
  expect(new Spelling(rowOf('ConfigMap'), 'kubernetes', undefined, new EncodingCache()).body(entry, false)).toBe(entry.bytes);
});

it('shows the alias as the namespace, and nowhere else', () => {
  const entry = entryOf(configMap('platform-system', 'coordination.platform.io'), true);
  const spelled = new Spelling(rowOf('ConfigMap'), 'kubernetes', SYSTEM, new EncodingCache());
  expect(shown(spelled, entry)).toEqual(configMap('kube-system', 'coordination.k8s.io'));
  expect(JSON.parse(spelled.canonicalBody(entry).toString())).toEqual(configMap('kube-system', 'coordination.platform.io'));
});

it("shows the alias as a Namespace's name", () => {
  const namespace = (name: string) => ({ metadata: { name, uid: 'u', labels: { 'platform.io/metadata.name': 'platform-system' } } });
  const spelled = new Spelling(rowOf('Namespace'), 'platform', SYSTEM, new EncodingCache());
  expect(shown(spelled, entryOf(namespace('platform-system')))).toEqual(namespace('kube-system'));
  expect(shown(spelled, entryOf(namespace('platform-systems')))).toEqual(namespace('platform-systems'));
});

it('leaves bookmarks alone, and has a key of its own', () => {
  const row = rowOf('ConfigMap');
  const bookmark = entryOf({ metadata: { resourceVersion: '7', creationTimestamp: null } });
  const spelled = new Spelling(row, 'platform', SYSTEM, new EncodingCache());
  expect(spelled.body(bookmark, false)).toBe(bookmark.bytes);
  expect(spelled.key).not.toBe(new Spelling(row, 'platform', undefined, new EncodingCache()).key);
});

it('shows the metadata in the other dialect without looking at the rest', () => {
  const { metadata } = configMap('platform-system', 'coordination.platform.io');
  const long = { key: '', revision: 1, labels: {}, fields: {}, dialectSensitive: true };
  const entry: Entry = { ...long, bytes: Buffer.from(`{"metadata":${JSON.stringify(metadata)},"data":{this is nothing}}`) };
  const spelled = new Spelling(rowOf('ConfigMap'), 'kubernetes', SYSTEM, new EncodingCache());
  expect(JSON.parse(spelled.metadataBody(entry, false).toString())).toEqual({
    metadata: configMap('kube-system', 'coordination.k8s.io').metadata,
  });
});
