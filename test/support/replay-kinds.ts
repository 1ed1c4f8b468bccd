/** Replays what the reference server said to good and bad objects of some kinds (made by test/recordings/record-kinds.ts) against our own writer. */
import { isObject, type JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import type { Body } from '../recordings/reference';
import { recordingOf } from '../recordings/recording';
import {
  isKindHead,
  isRuleCase,
  namedBody,
  shortenPatterns,
  shortenStructs,
  withoutChance,
  type KindHead,
  type RuleAnswer,
  type RuleCase,
} from './recorded-rules';
import { writeFixture, type Answer, type Fixture } from './write-fixture';

export function replayKinds(recordings: readonly string[]): void {
  describe.each(recordings)('%s', (recording) => {
    const { head, cases } = recordingOf(recording, isKindHead, isRuleCase);
    replay(head, cases);
  });
}

function replay({ resource: plural, apiVersion, base, unrecorded }: KindHead, cases: readonly RuleCase[]): void {
  const resource = `${apiVersion}/${plural}`;
  let fixture: Fixture;
  const stored = new Map<string, { readonly name: string; readonly version: string }>();
  beforeAll(async () => {
    fixture = await writeFixture();
  });

  /** The writer answers with the stored object; what its other versions and its scale look like is the concern of other tests. */
  function isShown(subresource?: 'status' | 'scale' | 'ephemeralcontainers'): boolean {
    const { row, hub } = fixture.resource(resource);
    return row === hub && subresource !== 'scale';
  }

  async function store(body: Body, withStatus: boolean): Promise<{ readonly name: string; readonly version: string }> {
    const key = JSON.stringify([body, withStatus]);
    const known = stored.get(key);
    if (known !== undefined) return known;
    const name = `recorded-${stored.size}`;
    const sent = typed(namedBody(body, name));
    let { object } = await fixture.create(resource, sent);
    await fixture.cache.catchUp();
    const status = sent['status'];
    if (withStatus && status !== undefined) {
      ({ object } = await fixture.update(resource, name, { ...object, status }, { subresource: 'status' }));
      await fixture.cache.catchUp();
    }
    const metadata = object['metadata'];
    const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
    const made = { name, version: typeof version === 'string' ? version : '' };
    stored.set(key, made);
    return made;
  }

  async function put(old: Body, body: Body, answer: RuleAnswer, subresource?: 'status' | 'scale' | 'ephemeralcontainers'): Promise<void> {
    const { name, version } = await store(old, subresource === 'status');
    const sent = typed(namedBody(body, name, version));
    const options = { dryRun: true, ...(subresource === undefined ? {} : { subresource }) };
    const written = await found(answer, () => fixture.update(resource, name, sent, options), subresource);
    expect(written).toEqual(wanted(body, answer, isShown(subresource)));
  }

  async function found(
    recording: RuleAnswer,
    perform: () => Promise<Answer>,
    subresource?: 'status' | 'scale' | 'ephemeralcontainers',
  ): Promise<Comparable> {
    fixture.warnings.length = 0;
    try {
      const { object, created } = await perform();
      const kept =
        recording.object === undefined || !isShown(subresource)
          ? {}
          : { object: withoutChance(JSON.parse(JSON.stringify(object)), unrecorded) };
      return { code: created ? 201 : 200, causes: [], warnings: [...fixture.warnings], ...kept };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { message, details } = error.status;
      const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [
        field,
        reason,
        shortenStructs(shortenPatterns(text)),
      ]);
      return {
        code: error.code,
        ...(recording.message === undefined ? {} : { message: message ?? '' }),
        causes,
        warnings: [...fixture.warnings],
      };
    }
  }

  it.each(cases.map((made) => [made.title, made] as const))(
    '%s',
    async (_title, { body, old = base, create, update, status, scale, ephemeral }) => {
      if (create !== undefined) {
        const sent = typed(namedBody(body, 'recorded-new'));
        expect(await found(create, () => fixture.create(resource, sent, { dryRun: true }))).toEqual(wanted(body, create, isShown()));
      }
      const answer = update === 'same' ? create : update;
      if (answer !== undefined) await put(old, body, answer);
      if (status !== undefined) await put(old, body, status, 'status');
      if (scale !== undefined) await put(old, body, scale, 'scale');
      if (ephemeral !== undefined) await put(old, body, ephemeral, 'ephemeralcontainers');
    },
  );
}

/** A body as what the writer takes. */
function typed(body: Body): JsonObject {
  const object: JsonObject = body;
  return object;
}

/** An answer as a test compares it: all members are there. */
interface Comparable extends Omit<RuleAnswer, 'object' | 'asSent'> {
  readonly object?: object;
}

function wanted(body: Body, { code, message, causes, warnings, object, asSent }: RuleAnswer, withObject: boolean): Comparable {
  const sent = namedBody(body, '');
  const copied = Object.fromEntries((asSent ?? []).map((member) => [member, sent[member] ?? null]));
  return {
    code,
    ...(message === undefined ? {} : { message }),
    causes: causes ?? [],
    warnings: warnings ?? [],
    ...(object === undefined || !withObject ? {} : { object: { ...object, ...copied } }),
  };
}
