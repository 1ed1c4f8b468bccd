/** Bodies in another dialect, and with the alias of a system namespace. */
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import { EncodingCache } from './encoding-cache';
import { Spelling } from './spelling';

/** The alias of the system namespace in the dialect of Kubernetes. */
const SYSTEM_ALIAS = { shown: 'kube-system', stored: 'platform-system' };

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no ${kind}`);
  return row;
}

function entryOf(body: object): Entry {
  return { key: '', revision: 1, bytes: Buffer.from(JSON.stringify(body)), labels: {}, fields: {}, isDialectSensitive: false };
}

const bodyOf = (spelling: Spelling, entry: Entry): unknown => JSON.parse(spelling.body(entry, 'uncached').toString());

/** A ConfigMap with the names to be converted, and the same texts where they must stay. */
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

it("Spelling.body returns the entry's own bytes when nothing is to be converted", () => {
  const entry = entryOf(configMap('platform-system', 'apps'));
  const spelling = new Spelling(rowOf('ConfigMap'), { dialect: 'kubernetes', alias: undefined }, new EncodingCache());
  expect(spelling.body(entry, 'uncached')).toBe(entry.bytes);
});

it('Spelling.body replaces the namespace by the alias, and no other text', () => {
  const entry = { ...entryOf(configMap('platform-system', 'coordination.platform.io')), isDialectSensitive: true };
  const spelling = new Spelling(rowOf('ConfigMap'), { dialect: 'kubernetes', alias: SYSTEM_ALIAS }, new EncodingCache());
  expect(bodyOf(spelling, entry)).toEqual(configMap('kube-system', 'coordination.k8s.io'));
  expect(JSON.parse(spelling.canonicalBody(entry).toString())).toEqual(configMap('kube-system', 'coordination.platform.io'));
});

it('Spelling.body replaces the name of a Namespace by the alias', () => {
  const namespace = (name: string) => ({ metadata: { name, uid: 'u', labels: { 'platform.io/metadata.name': 'platform-system' } } });
  const spelling = new Spelling(rowOf('Namespace'), { dialect: 'platform', alias: SYSTEM_ALIAS }, new EncodingCache());
  expect(bodyOf(spelling, entryOf(namespace('platform-system')))).toEqual(namespace('kube-system'));
  expect(bodyOf(spelling, entryOf(namespace('platform-systems')))).toEqual(namespace('platform-systems'));
});

it('Spelling with an alias leaves bookmarks unchanged, and has a key of its own', () => {
  const row = rowOf('ConfigMap');
  const bookmark = entryOf({ metadata: { resourceVersion: '7', creationTimestamp: null } });
  const spelling = new Spelling(row, { dialect: 'platform', alias: SYSTEM_ALIAS }, new EncodingCache());
  const spellingWithoutAlias = new Spelling(row, { dialect: 'platform', alias: undefined }, new EncodingCache());
  expect(spelling.body(bookmark, 'uncached')).toBe(bookmark.bytes);
  expect(spelling.key).not.toBe(spellingWithoutAlias.key);
});

it('Spelling.metadataBody converts the metadata to the other dialect without parsing the rest', () => {
  const { metadata } = configMap('platform-system', 'coordination.platform.io');
  const bytes = Buffer.from(`{"metadata":${JSON.stringify(metadata)},"data":{this is no JSON}}`);
  const entry: Entry = { ...entryOf({}), bytes, isDialectSensitive: true };
  const spelling = new Spelling(rowOf('ConfigMap'), { dialect: 'kubernetes', alias: SYSTEM_ALIAS }, new EncodingCache());
  expect(JSON.parse(spelling.metadataBody(entry, 'uncached').toString())).toEqual({
    metadata: configMap('kube-system', 'coordination.k8s.io').metadata,
  });
});
