/**
 * Creates objects of every kind and compares defaults, server-set fields and encodings with release 1.31.1. Ids and
 * times are masked.
 */
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { canonicalizeGroups, groupFieldsOf } from '../../../shared/api/types/group-fields';
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { applyDefaults, encodeBody } from '../../../shared/api/types';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { decodeProtobuf, encodeProtobuf } from '../../../shared/serialization';
import { createdObjects, type SentObject } from '../../../test/support/objects/recorded-objects';
import { openWriteFixture } from '../../../test/support/store/write-fixture';
import { useResource } from '../../../test/support/use-resource';

const RECORDED = createdObjects();
/** The namespace of the recorded objects. */
const NAMESPACE = 'h13';

const kindIn = ({ sent }: Pick<SentObject, 'sent'>): string => stringAt(sent, 'kind') ?? '';

/** Kinds with creation tests of their own. */
const TESTED_ELSEWHERE = ['ConfigMap', 'Event', 'Lease', 'Namespace', 'Node', 'Pod', 'Secret', 'Service', 'ServiceAccount'];

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

const fixture = useResource(async () => {
  const opened = await openWriteFixture({ naming: 'kubernetes', ranges: '10.96.0.0/16' });
  await opened.create('namespaces', { metadata: { name: NAMESPACE } });
  await opened.cache.catchUp();
  return opened;
});

test.each(RECORDED.map((row) => [`${kindIn(row)}: ${row.note}`, row] as const))(
  'create returns the recorded object for %s',
  async (_, { sent, created }) => {
    const row = rowOf(kindIn({ sent }));
    const { object } = await fixture().create(row.resource, sent, row.namespaced ? { namespace: NAMESPACE } : {});
    const expected = withRequester(row, created, 'tester');
    canonicalizeGroups(expected, groupFieldsOf(row.type), GENERATED_NAMES.kubernetes);
    expect(masked(object)).toEqual(expected);
    const bytes = encodeProtobuf(row.type, object, apiVersionOf(row), row.kind);
    const decoded = decodeProtobuf(row.type, bytes).object;
    // A nested object has no kind in protobuf; defaults restore it.
    applyDefaults(row.type, decoded);
    expect(encodeBody(row.type, decoded)).toBe(encodeBody(row.type, object));
  },
);

test('every kind has a recorded create or a test of its own', () => {
  const kinds = [...RECORDED.map(kindIn), ...TESTED_ELSEWHERE];
  expect([...new Set(kinds)].sort()).toEqual([...new Set(STORED_KINDS.map(({ kind }) => kind))].sort());
});

/** Masks an object like the recording. */
function masked(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const text = JSON.stringify(object)
    .replaceAll(stringAt(metadata, 'uid') ?? 'none', '<uid>')
    .replaceAll(stringAt(metadata, 'creationTimestamp') ?? 'none', '<time>');
  const copy: JsonObject = JSON.parse(text);
  for (const member of ['resourceVersion', 'managedFields']) delete objectAt(copy, 'metadata')?.[member];
  return copy;
}

/** The recorded requests were made by another user. */
function withRequester(row: KindRow, created: JsonObject, user: string): JsonObject {
  if (row.kind !== 'CertificateSigningRequest') return created;
  const spec: JsonObject = { ...objectAt(created, 'spec'), username: user };
  delete spec['uid'];
  delete spec['groups'];
  return { ...created, spec };
}
