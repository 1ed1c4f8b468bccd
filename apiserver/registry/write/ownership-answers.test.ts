/**
 * Replays random sequences of create, update, patch and apply by several managers, recorded from release 1.31.1 by test/recordings/ownership.ts:
 * the answers' codes and messages, and the last object with its managedFields (times and versions masked).
 */
import { objectOf, writeFixture, type Fixture } from '../../../test/support/write-fixture';
import { isObject, stringAt, type JsonArray, type JsonObject, type JsonValue } from '../../../shared/api/json';
import { metadataOf } from '../../../shared/api/object-meta';
import { StatusError } from '../../../shared/api/status';
import type { Entry } from '../../cache/contract';
import type { PatchType } from '../contract';
import recordings from './ownership-answers.json';

const NAMESPACE = 'h14';

interface Step {
  readonly method: string;
  readonly sub: string;
  readonly type: string;
  readonly manager: string;
  readonly force: boolean;
  readonly body: unknown;
  readonly code: number;
  readonly message?: string;
}

interface Recording {
  readonly resource: string;
  readonly steps: readonly Step[];
  readonly object: JsonObject;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await writeFixture();
  await fixture.create('namespaces', { metadata: { name: NAMESPACE } });
  await fixture.cache.catchUp();
});

// The shapes of the cases differ too much for a type that the compiler infers.
const cases: readonly Recording[] = JSON.parse(JSON.stringify(recordings));

it.each(cases.map((recording, index) => [`${index} ${recording.resource}`, recording] as const))(
  '%s',
  async (_title, { resource, steps, object }) => {
    const name = stringAt(metadataOf(object), 'name') ?? '';
    let last: Entry | undefined;
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const step of steps) {
      await fixture.cache.catchUp();
      // Upstream leaks some of a client's mistakes as 500; ours are 400.
      expected.push([step.method, step.code === 500 ? 400 : step.code, messageOf(step.code, step.message ?? '')]);
      try {
        const { entry, created } = await perform(resource, name, step);
        last = entry;
        found.push([step.method, created ? 201 : 200, '']);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        found.push([step.method, error.code, messageOf(error.code, error.message)]);
      }
    }
    expect(found).toEqual(expected);
    expect(last === undefined ? undefined : masked(objectOf(last))).toEqual(masked(object));
  },
);

function perform(resource: string, name: string, step: Step): Promise<{ entry: Entry; created: boolean }> {
  const { writer, context } = fixture;
  const found = fixture.resource(resource);
  const key = { namespace: found.row.namespaced ? NAMESPACE : '', name };
  const options = { dryRun: false, fieldValidation: 'Warn', fieldManager: step.manager } as const;
  const subresource = step.sub === 'status' ? 'status' : undefined;
  if (step.method === 'PATCH') {
    const body = { type: patchType(step.type), bytes: Buffer.from(JSON.stringify(step.body)) };
    return writer.patch(context, found, key, subresource, body, { ...options, force: step.force });
  }
  const value: JsonObject = JSON.parse(JSON.stringify(step.body));
  const body = { value, duplicates: [], format: 'json' } as const;
  return step.method === 'POST'
    ? writer.create(context, found, key.namespace, body, options)
    : writer.update(context, found, key, subresource, body, options);
}

function patchType(type: string): PatchType {
  if (type === 'apply' || type === 'json' || type === 'merge') return type;
  throw new Error(`no patch type ${type}`);
}

/** What validation says is not the matter here, only that it refuses. */
const messageOf = (code: number, text: string): string => (code === 422 ? '' : text);

function masked(object: JsonObject): JsonObject {
  const { kind: _, apiVersion: __, ...rest } = object;
  const copy: JsonObject = JSON.parse(JSON.stringify(rest));
  const metadata = metadataOf(copy);
  for (const member of ['uid', 'resourceVersion', 'creationTimestamp']) delete metadata[member];
  const entries = metadata['managedFields'];
  if (Array.isArray(entries)) metadata['managedFields'] = withoutTimes(entries);
  return copy;
}

/** Whether there is a time counts, what it says does not; nor does the order, which follows the times. The bytes of a set do. */
function withoutTimes(entries: JsonArray): JsonValue {
  return entries
    .map((entry) => {
      if (!isObject(entry)) return '';
      const { time, ...rest } = entry;
      return JSON.stringify({ ...rest, timed: time !== undefined });
    })
    .sort();
}
