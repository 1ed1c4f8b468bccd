/**
 * Replays what release 1.31.1 said to good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies, created and put in
 * place of a stored one (networking-answers.json, made by test/recordings/networking.ts).
 */
import type { Body } from '../../../test/recordings/reference';
import { expand, shortenPatterns, type KindRecording, type RuleAnswer } from '../../../test/support/recorded-rules';
import { writeFixture, type Answer, type Fixture } from '../../../test/support/write-fixture';
import { isObject, type JsonObject } from '../../../shared/api/json';
import { StatusError } from '../../../shared/api/status';
import recorded from './networking-answers.json';

// The shapes of the bodies differ too much for a type that the compiler infers.
const recordings: readonly KindRecording[] = JSON.parse(JSON.stringify(recorded));

describe.each(recordings.map((recording) => [recording.resource, recording] as const))('%s', (resource, { base, cases }) => {
  let fixture: Fixture;
  const stored = new Map<string, string>();
  beforeAll(async () => {
    fixture = await writeFixture();
  });

  async function store(body: Body): Promise<string> {
    const key = JSON.stringify(body);
    const name = stored.get(key) ?? `stored-${stored.size}`;
    if (!stored.has(key)) await fixture.create(resource, named(body, name));
    stored.set(key, name);
    await fixture.cache.catchUp();
    return name;
  }

  it.each(cases.map((made) => [made.title, made] as const))('%s', async (_title, { body, old, create, update, status }) => {
    const dryRun = true;
    if (create !== undefined) {
      expect(await found(fixture, create, () => fixture.create(resource, named(body, 'new'), { dryRun }))).toEqual(wanted(body, create));
    }
    const answer = update === 'same' ? create : update;
    if (answer !== undefined) {
      const name = await store(old ?? base);
      expect(await found(fixture, answer, () => fixture.update(resource, name, named(body, name), { dryRun }))).toEqual(
        wanted(body, answer),
      );
    }
    if (status !== undefined) {
      const name = await store(base);
      const options = { dryRun, subresource: 'status' } as const;
      expect(await found(fixture, status, () => fixture.update(resource, name, named(body, name), options))).toEqual(wanted(body, status));
    }
  });
});

function named(body: Body, name: string): JsonObject {
  const written = expand(body);
  if (!isObject(written)) throw new Error('no object');
  const metadata = written['metadata'];
  return { ...written, metadata: { ...(isObject(metadata) ? metadata : {}), name } };
}

/** An answer as a test compares it: all members are there. */
interface Comparable extends Omit<RuleAnswer, 'object' | 'asSent'> {
  readonly object?: object;
}

function wanted(body: Body, { code, message, causes, warnings, object, asSent }: RuleAnswer): Comparable {
  const sent = named(body, '');
  const copied = Object.fromEntries((asSent ?? []).map((member) => [member, sent[member] ?? null]));
  return {
    code,
    ...(message === undefined ? {} : { message }),
    causes: causes ?? [],
    warnings: warnings ?? [],
    ...(object === undefined ? {} : { object: { ...object, ...copied } }),
  };
}

async function found(fixture: Fixture, recording: RuleAnswer, perform: () => Promise<Answer>): Promise<Comparable> {
  fixture.warnings.length = 0;
  try {
    const { object, created } = await perform();
    const kept = recording.object === undefined ? {} : { object: shown(object) };
    return { code: created ? 201 : 200, causes: [], warnings: [...fixture.warnings], ...kept };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message, details } = error.status;
    const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [field, reason, shortenPatterns(text)]);
    return { code: error.code, ...(recording.message === undefined ? {} : { message: message ?? '' }), causes, warnings: [] };
  }
}

/** Without what is new in every run. */
function shown(object: JsonObject): object {
  const copy = JSON.parse(JSON.stringify(object));
  for (const member of ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields']) delete copy.metadata[member];
  if (Object.keys(copy.metadata).length === 0) delete copy.metadata;
  return copy;
}
