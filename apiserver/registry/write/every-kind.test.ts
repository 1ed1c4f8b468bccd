/** Objects of every kind as release 1.31.1 created them, masked where ids and times stand: defaults, what the server sets, and the encodings. */
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { canonicalizeGroups, groupFieldsOf } from '../../../shared/api/types/group-fields';
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { applyDefaults, encodeBody } from '../../../shared/api/types';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { decodeProtobuf, encodeProtobuf } from '../../../shared/serialization';
import { createdObjects, type SentObject } from '../../../test/support/recorded-objects';
import { writeFixture, type Fixture } from '../../../test/support/write-fixture';

const RECORDED = createdObjects();

const kindOf = ({ sent }: Pick<SentObject, 'sent'>): string => stringAt(sent, 'kind') ?? '';

/** Kinds whose creation other tests look at closely. */
const ELSEWHERE = ['ConfigMap', 'Event', 'Lease', 'Namespace', 'Node', 'Pod', 'Secret', 'Service', 'ServiceAccount'];

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await writeFixture({ naming: 'kubernetes', ranges: '10.96.0.0/16' });
  await fixture.create('namespaces', { metadata: { name: 'h13' } });
  await fixture.cache.catchUp();
});

test.each(RECORDED.map((row) => [`${kindOf(row)}: ${row.note}`, row] as const))(
  'create returns the recorded object for %s',
  async (_, { sent, created }) => {
    const row = rowOf(kindOf({ sent }));
    const { object } = await fixture.create(row.resource, sent, row.namespaced ? { namespace: 'h13' } : {});
    const expected = requestedBy(row, created, 'tester');
    canonicalizeGroups(expected, groupFieldsOf(row.type), GENERATED_NAMES.kubernetes);
    expect(masked(object)).toEqual(expected);
    const bytes = encodeProtobuf(row.type, object, apiVersionOf(row), row.kind);
    const decoded = decodeProtobuf(row.type, bytes).object;
    // The kind of an object inside another one is no part of the message; defaults bring it back.
    applyDefaults(row.type, decoded);
    expect(encodeBody(row.type, decoded)).toBe(encodeBody(row.type, object));
  },
);

test('every kind has a recorded create or a test of its own', () => {
  const kinds = [...RECORDED.map(kindOf), ...ELSEWHERE];
  expect([...new Set(kinds)].sort()).toEqual([...new Set(STORED_KINDS.map(({ kind }) => kind))].sort());
});

/** With the same masks as the recording. */
function masked(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const text = JSON.stringify(object)
    .replaceAll(stringAt(metadata, 'uid') ?? 'none', '<uid>')
    .replaceAll(stringAt(metadata, 'creationTimestamp') ?? 'none', '<time>');
  const copy: JsonObject = JSON.parse(text);
  for (const member of ['resourceVersion', 'managedFields']) delete objectAt(copy, 'metadata')?.[member];
  return copy;
}

/** The recording was made by somebody else. */
function requestedBy(row: KindRow, created: JsonObject, user: string): JsonObject {
  if (row.kind !== 'CertificateSigningRequest') return created;
  const spec: JsonObject = { ...objectAt(created, 'spec'), username: user };
  delete spec['uid'];
  delete spec['groups'];
  return { ...created, spec };
}
