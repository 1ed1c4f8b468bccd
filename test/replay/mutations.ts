/**
 * Records how the reference server answers full objects of every kind with one wrong value somewhere (nothing is stored):
 *   node deploy/scripts/run.mjs test/replay/mutations.js <seed> <count>
 * The objects are those of objects/created that have everything. Kept are the refusals of the decoder, at most two of the same form, and
 * some values that are good after all (without an answer). mutations.test.ts replays them.
 */
import type { JsonObject } from '../../shared/values/json';
import { mutatedText, placesIn, type Mutation, type RecordedMutation } from '../support/mutation';
import { isCreatedObject } from '../support/recorded-objects';
import { createChance } from './chance';
import { collectionOf, NAMESPACE, textOf } from './collections';
import { casesOf, writeRecording } from './recording';
import { ask, call, hangUp } from './reference';

const VALUES: readonly string[] = [
  ...[
    '"text"',
    '""',
    '0',
    '1',
    '-1',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[1]',
    '["a"]',
    '[null]',
    '[{}]',
    '[[]]',
    '{"a":"b"}',
    '{"a":1}',
  ],
  ...['{"a":null}', '1.5', '1.0', '2147483648', '-2147483649', '4294967296', '9223372036854775807', '9223372036854775808', '1e3', '1E400'],
  ...['"1Gi"', '"1e"', '"500x"', '"1.5e3"', '"+1"', '"-1"', '".5"', '"0x10"', '" 1"', '"1n"', '"1e400"', '"12%"', '"Bogus"'],
  ...['"2026-01-02T03:04:05Z"', '"2026-13-02T03:04:05Z"', '"2026-01-02T03:04:05.5Z"', '"2026-01-02"', '"0001-01-01T00:00:00Z"'],
  ...['"not base64!"', '"AAE"', '"AAE="', '"é"', '"a\\"b"', '"a\\u0001"'],
];

const [seed = '1', count = '400'] = process.argv.slice(2);

function fullObjects(): JsonObject[] {
  return casesOf('objects/created', isCreatedObject).flatMap(({ note, sent }) => (note === 'everything' ? [sent] : []));
}

async function main(): Promise<void> {
  const objects = fullObjects();
  const chance = createChance(Number(seed));
  const kept: RecordedMutation[] = [];
  const forms = new Map<string, number>();
  for (let turn = 0; kept.length < Number(count) && turn < 10 * Number(count); turn += 1) {
    const object = objects[turn % objects.length] ?? {};
    const place = chance.pick(placesIn(object).filter(([first]) => first !== 'kind' && first !== 'apiVersion'));
    const misspelt = chance.often(0.1) && typeof place.at(-1) === 'string';
    const mutation = { path: misspelt ? [...place.slice(0, -1), `${place.at(-1) ?? ''}X`] : place, value: chance.pick(VALUES) };
    const kind = textOf(object['kind']);
    // Some revisions of controllers make the reference panic.
    const refusal = await answer(object, kind, mutation).catch(() => null);
    if (refusal === null) continue;
    const form = (refusal ?? `taken ${kind}`).replace(/"(?:[^"\\]|\\.)*"|\d+|\S+\.\S+/g, '');
    const seen = forms.get(form) ?? 0;
    forms.set(form, seen + 1);
    const most = refusal === undefined ? 1 : form.includes('unmarshal') ? 12 : 3;
    if (seen < most) kept.push({ kind, ...mutation, ...(refusal === undefined ? {} : { refusal }) });
  }
  writeRecording('objects/mutations', kept);
}

/** What the decoder says, unknown members included. */
async function answer(object: JsonObject, kind: string, mutation: Mutation): Promise<string | undefined> {
  const target = `${await collectionOf(object)}?dryRun=All&fieldValidation=Strict`;
  const { code, bytes } = await ask('POST', target, { 'content-type': 'application/json' }, Buffer.from(mutatedText(object, mutation)));
  if (code !== 400) return undefined;
  const { message } = JSON.parse(bytes.toString()) as { message: string };
  const at = message.indexOf(` cannot be handled as a ${kind}: `);
  return at < 0 ? message : message.slice(at + ` cannot be handled as a ${kind}: `.length);
}

call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } })
  .then(main)
  .finally(hangUp)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
