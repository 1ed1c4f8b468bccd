/**
 * Replays random sequences of create, update, all patches, apply and delete by several managers (test/replay/sequences.ts), whose answers were
 * recorded from release 1.31.1 by test/replay/ownership.ts: codes and messages, and the object in the end with its managedFields.
 */
import { recordingOf } from '../../../test/replay/recording';
import { body as anObject, either, listOf, mapOf, nothing, number, shape, text, type Check } from '../../../test/replay/shape';
import { objectOf, writeFixture, type Fixture } from '../../../test/support/write-fixture';
import { sequenceOf, type Step } from '../../../test/replay/sequences';
import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { metadataOf } from '../../../shared/api/metadata/object-meta';
import { StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';

const NAMESPACE = 'updates-sequences';

interface Recording {
  readonly index: number;
  readonly codes: readonly (number | null)[];
  readonly messages: Readonly<Record<string, string>>;
  readonly object: JsonObject | null;
}

let fixture: Fixture;
beforeEach(async () => {
  fixture = await writeFixture();
  await fixture.create('namespaces', { metadata: { name: NAMESPACE } });
  await fixture.cache.catchUp();
});

const isRecording: Check<Recording> = shape({
  index: number,
  codes: listOf(either(number, nothing)),
  messages: mapOf(text),
  object: either(anObject, nothing),
});
const { head, cases } = recordingOf('ownership/sequences', shape({ seed: number }), isRecording);
const { seed } = head;

it.each(cases.map((recording) => [`${recording.index} ${sequenceOf(seed, recording.index).kind.resource}`, recording] as const))(
  '%s',
  async (_title, { index, codes, messages, object }) => {
    const { kind, name, steps } = sequenceOf(seed, index);
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const [at, step] of steps.entries()) {
      const code = codes[at];
      if (code === null || code === undefined) continue;
      if (code === 404 && createsOnUpdate(kind.resource, step)) continue;
      // Upstream leaks some of a client's mistakes as 500; ours are 400.
      expected.push([step.way, code === 500 ? 400 : code, messages[String(at)] ?? '']);
      found.push([step.way, ...(await perform(kind.resource, name, step))]);
    }
    expect(found).toEqual(expected);
    const { stored, row } = fixture.resource(kind.resource);
    const { entry } = await fixture.cache.read(stored, row.namespaced ? `${NAMESPACE}/${name}` : name);
    expect(entry === undefined ? null : masked(objectOf(entry))).toEqual(object === null ? null : sorted(object));
  },
);

async function perform(resource: string, name: string, step: Step): Promise<readonly [number, string]> {
  try {
    return await request(resource, name, step);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // What validation says is not the matter here, only that it refuses.
    return [error.code, error.code === 422 ? '' : error.message];
  }
}

/** A deviation: this server creates an absent object on PUT, where the recorded server responds 404. */
function createsOnUpdate(resource: string, { way, sub, body }: Step): boolean {
  const metadata: unknown = Object(body)['metadata'];
  const named: unknown = Object(metadata)['resourceVersion'];
  const { createOnUpdate } = fixture.resource(resource).row;
  return way === 'put' && sub !== 'status' && createOnUpdate === 'without-resource-version' && named === undefined;
}

/** To the recorded server an empty list says what a list of one empty entry says; here it says nothing, on purpose. */
function isEmptyClaim(member: string, value: unknown): boolean {
  return member === 'managedFields' && Array.isArray(value) && value.length === 0;
}

async function request(
  resource: string,
  name: string,
  { way, sub, manager, force, dryRun, body: recorded }: Step,
): Promise<readonly [number, string]> {
  const body = JSON.stringify(recorded, (member, value: unknown) => (isEmptyClaim(member, value) ? [{}] : value));
  const { writer, context } = fixture;
  const found = fixture.resource(resource);
  const key = { namespace: found.row.namespaced ? NAMESPACE : '', name };
  const options = { dryRun, fieldValidation: 'Warn', fieldManager: manager } as const;
  const subresource = sub === 'status' ? 'status' : undefined;
  const codeOf = ({ created }: { readonly entry: Entry; readonly created: boolean }): readonly [number, string] => [
    created ? 201 : 200,
    '',
  ];
  switch (way) {
    case 'delete': {
      const { code } = await writer.delete(context, found, key, { dryRun });
      return [code, ''];
    }
    case 'create':
    case 'put': {
      const value: JsonObject = JSON.parse(body);
      const parsed = { value, duplicates: [], format: 'json' } as const;
      return codeOf(
        way === 'create'
          ? await writer.create(context, found, key.namespace, parsed, options)
          : await writer.update(context, found, key, subresource, parsed, options),
      );
    }
    case 'json':
    case 'merge':
    case 'strategic':
    case 'apply': {
      const patch = { type: way, bytes: Buffer.from(body), dialect: 'platform' as const };
      return codeOf(await writer.patch(context, found, key, subresource, patch, { ...options, ...(way === 'apply' ? { force } : {}) }));
    }
  }
}

function masked(object: JsonObject): JsonObject {
  const { kind: _, apiVersion: __, ...rest } = object;
  const copy: JsonObject = JSON.parse(JSON.stringify(rest));
  const metadata = metadataOf(copy);
  for (const member of ['uid', 'resourceVersion', 'creationTimestamp', 'name', 'namespace']) delete metadata[member];
  if (metadata['deletionTimestamp'] !== undefined) metadata['deletionTimestamp'] = '*';
  const entries = metadata['managedFields'];
  if (Array.isArray(entries)) for (const entry of entries) if (isObject(entry) && entry['time'] !== undefined) entry['time'] = '*';
  return sorted(copy);
}

/** The order of the managers follows the times and does not count; the bytes of a set do. */
function sorted(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const entries = metadata['managedFields'];
  if (!Array.isArray(entries)) return object;
  return { ...object, metadata: { ...metadata, managedFields: texts(entries) } };
}

const texts = (entries: JsonArray): JsonValue => entries.map((entry) => JSON.stringify(entry)).sort();
