/**
 * Replays random sequences of create, update, all patches, apply and delete by several managers, recorded from
 * release 1.31.1 (ownership/sequences). Compares codes, messages, and the final object with managedFields.
 */
import { readRecording } from '../../../test/replay/recording';
import { isSequenceHead, isWriteSequence, type SequenceStep } from '../../../test/replay/formats/write-sequences';
import { objectOf, openWriteFixture } from '../../../test/support/store/write-fixture';
import { isObject, objectAt, type JsonArray, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import { useForEachTest } from '../../../test/support/use-resource';

const { head, cases } = readRecording('ownership/sequences', isSequenceHead, isWriteSequence);
const { namespace: NAMESPACE } = head;

const fixture = useForEachTest(async () => {
  const opened = await openWriteFixture();
  await opened.create('namespaces', { metadata: { name: NAMESPACE } });
  await opened.cache.catchUp();
  return opened;
});

it.each(cases.map((sequence) => [`${sequence.name} ${sequence.resource}`, sequence] as const))(
  'the writer returns the recorded answers and managedFields of %s',
  async (_title, { name, resource, steps, object = null }) => {
    const actual: unknown[] = [];
    const expected: unknown[] = [];
    for (const step of steps) {
      const { operation, answer } = step;
      if (answer === undefined) continue;
      if (answer.status === 404 && createsOnUpdate(resource, step)) continue;
      // For some invalid requests the recorded server responds 500, this server 400.
      expected.push([operation, answer.status === 500 ? 400 : answer.status, answer.message ?? '']);
      actual.push([operation, ...(await perform(resource, name, step))]);
    }
    expect(actual).toEqual(expected);
    const { stored, row } = fixture().resource(resource);
    const { entry } = await fixture().cache.readFromStore(stored, row.namespaced ? `${NAMESPACE}/${name}` : name);
    expect(entry === undefined ? null : masked(objectOf(entry))).toEqual(object === null ? null : sorted(object));
  },
);

async function perform(resource: string, name: string, step: SequenceStep): Promise<readonly [number, string]> {
  try {
    return await request(resource, name, step);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // Messages of validation errors are not compared.
    return [error.code, error.code === 422 ? '' : error.message];
  }
}

/** A difference: this server creates an absent object on PUT, the recorded server responds 404. */
function createsOnUpdate(resource: string, { operation, subresource, body }: SequenceStep): boolean {
  const metadata = isObject(body) ? objectAt(body, 'metadata') : undefined;
  const { allowsCreateOnUpdate } = fixture().resource(resource).row;
  const isUnconditional = operation === 'update' && subresource === undefined && metadata?.['resourceVersion'] === undefined;
  return isUnconditional && allowsCreateOnUpdate === 'without-resource-version';
}

/**
 * The recorded server resets managedFields for an empty list as for a list with one empty entry; this server ignores
 * an empty list.
 */
function isEmptyClaim(member: string, value: unknown): boolean {
  return member === 'managedFields' && Array.isArray(value) && value.length === 0;
}

async function request(
  resource: string,
  name: string,
  { operation, subresource, manager, force, dryRun, body: recorded }: SequenceStep,
): Promise<readonly [number, string]> {
  const body = JSON.stringify(recorded ?? null, (member, value: unknown) => (isEmptyClaim(member, value) ? [{}] : value));
  const { writer, context } = fixture();
  const target = fixture().resource(resource);
  const key = { namespace: target.row.namespaced ? NAMESPACE : '', name };
  const options = { dryRun: dryRun === true, fieldValidation: 'Warn', fieldManager: manager } as const;
  const codeOf = ({ created }: { readonly entry: Entry; readonly created: boolean }): readonly [number, string] => [
    created ? 201 : 200,
    '',
  ];
  switch (operation) {
    case 'delete': {
      const { code } = await writer.delete(context, target, key, { dryRun: dryRun === true });
      return [code, ''];
    }
    case 'create':
    case 'update': {
      const value: JsonObject = JSON.parse(body);
      const parsed = { value, duplicates: [], format: 'json' } as const;
      return codeOf(
        operation === 'create'
          ? await writer.create(context, target, key.namespace, parsed, options)
          : await writer.update(context, target, key, subresource, parsed, options),
      );
    }
    case 'json':
    case 'merge':
    case 'strategic':
    case 'apply': {
      const patch = { type: operation, bytes: Buffer.from(body), dialect: 'platform' as const };
      return codeOf(
        await writer.patch(context, target, key, subresource, patch, {
          ...options,
          ...(operation === 'apply' ? { force: force === true } : {}),
        }),
      );
    }
  }
}

function masked(object: JsonObject): JsonObject {
  const { kind: _, apiVersion: __, ...rest } = object;
  const copy: JsonObject = JSON.parse(JSON.stringify(rest));
  const metadata = ensureMetadata(copy);
  for (const member of ['uid', 'resourceVersion', 'creationTimestamp', 'name', 'namespace']) delete metadata[member];
  if (metadata['deletionTimestamp'] !== undefined) metadata['deletionTimestamp'] = '*';
  const entries = metadata['managedFields'];
  if (Array.isArray(entries)) for (const entry of entries) if (isObject(entry) && entry['time'] !== undefined) entry['time'] = '*';
  return sorted(copy);
}

/** Sorts managedFields, because their order depends on timestamps. The bytes of field sets are compared. */
function sorted(object: JsonObject): JsonObject {
  const metadata = ensureMetadata(object);
  const entries = metadata['managedFields'];
  if (!Array.isArray(entries)) return object;
  return { ...object, metadata: { ...metadata, managedFields: sortedTexts(entries) } };
}

const sortedTexts = (entries: JsonArray): JsonValue => entries.map((entry) => JSON.stringify(entry)).sort();
