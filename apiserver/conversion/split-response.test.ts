import fc from 'fast-check';
import { parseBody } from '../../shared/client/rest/json-body';
import { ConversionFault } from './conversion-failure';
import { readAnswer, readWhole, type ConvertedObjects } from './review-response';
import { splitAnswer } from './split-response';

const UID = 'u';

type Reader = typeof readAnswer;

/** What a reader makes of an answer: its fault, or its objects; what is no JSON is told by whoever reads the whole. */
function outcome(text: string, reader: Reader, isUnread = false): unknown {
  const answer = reader('v1', UID, Buffer.from(text), 'platform');
  if (answer instanceof ConversionFault) return answer.text;
  const objects = Array.from({ length: answer.count }, (_, at) => (isUnread ? unreadMetadata(answer, at) : undefined) ?? answer.at(at));
  return objects.includes(undefined) ? outcome(text, readWhole) : objects;
}

/** An object whose metadata are read by themselves; undefined = they have no place of their own, or are no JSON. */
function unreadMetadata(answer: ConvertedObjects, at: number): unknown {
  const metadata: unknown[] = [];
  const besides = answer.besides(at, (bytes, { start, end }) => {
    try {
      return metadata.push(parseBody(bytes.toString('utf8', start, end))) > 0;
    } catch {
      return false;
    }
  });
  return besides === undefined ? undefined : { ...besides, metadata: metadata[0] };
}

const objects = fc.oneof(
  fc.jsonValue(),
  fc.record({ kind: fc.string(), metadata: fc.jsonValue(), spec: fc.jsonValue() }, { requiredKeys: ['metadata'], noNullPrototype: true }),
);

const answers = fc
  .tuple(fc.array(objects, { maxLength: 4 }), fc.constantFrom(UID, 'other'), fc.constantFrom(undefined, 1, 2))
  .map(([convertedObjects, uid, indent]) =>
    JSON.stringify(
      {
        kind: 'ConversionReview',
        apiVersion: 'apiextensions.platform.io/v1',
        response: { uid, convertedObjects, result: { status: 'Success' } },
      },
      null,
      indent,
    ),
  );

it('conversion response split into objects gives the same outcome as a whole parse', () => {
  fc.assert(
    fc.property(answers, fc.boolean(), (text, isUnread) => expect(outcome(text, readAnswer, isUnread)).toEqual(outcome(text, readWhole))),
  );
});

it('conversion response with damaged characters gives the same outcome split as parsed whole', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(
      '',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      ' ',
      'é',
      'null',
      '"convertedObjects":[null],',
      '"metadata":null,',
      ',"metadata":{}',
    ),
  );
  fc.assert(
    fc.property(answers, damage, fc.boolean(), (text, [place, length, put], isUnread) => {
      const at = place % (text.length + 1);
      const damaged = text.slice(0, at) + put + text.slice(at + length);
      expect(outcome(damaged, readAnswer, isUnread)).toEqual(outcome(damaged, readWhole));
    }),
    { numRuns: 500 },
  );
});

it('conversion response with duplicate members uses the last one, split as parsed whole', () => {
  const head = '"kind":"ConversionReview","apiVersion":"apiextensions.platform.io/v1"';
  const members = `"uid":"${UID}","convertedObjects":[{"kind":"A"}],"convertedObjects":[null],"result":{"status":"Success"}`;
  const text = `{${head},"response":{${members}}}`;
  expect(outcome(text, readAnswer)).toEqual([null]);
  expect(outcome(text, readWhole)).toEqual([null]);
});

it('splitAnswer finds the objects when strings contain brackets and quotes', () => {
  const objects = [{ a: '}]"\\' }, { b: ['[{', { c: 1 }] }, {}];
  const text = JSON.stringify({ response: { convertedObjects: objects } });
  const split = splitAnswer(text, UID);
  expect(split?.around).toBe('{"response":{"convertedObjects":["u"]}}');
  expect(split?.places.map(({ start, end }) => text.slice(start, end))).toEqual(objects.map((one) => JSON.stringify(one)));
});

it.each([
  ['{"a":[{}],"metadata":{"b":"}"},"c":1}', '{"b":"}"}'],
  ['{ "metadata" : {"b": 1} }', '{"b": 1}'],
  ['{"a":{"metadata":{}}}', undefined],
  ['["metadata",{}]', undefined],
])('splitAnswer locates the metadata of %j at %j', (object, metadata) => {
  const text = `{"response":{"convertedObjects":[${object},1]}}`;
  const [place, other] = splitAnswer(text, UID)?.places ?? [];
  expect(text.slice(place?.start, place?.end)).toBe(object);
  expect(place?.metadata && text.slice(place.metadata.start, place.metadata.end)).toBe(metadata);
  expect(other?.metadata).toBeUndefined();
});

it('conversion response skips known metadata only when no second metadata member follows', () => {
  const good = '{"metadata":{"a":1},"spec":{}}';
  const objects = `${good},{"metadata":{"a":1},"metadata":null},{"metadata":{"a":1},"b":}`;
  const head = '"kind":"ConversionReview","apiVersion":"apiextensions.platform.io/v1"';
  const text = `{${head},"response":{"uid":"${UID}","convertedObjects":[${objects}],"result":{"status":"Success"}}}`;
  const answer = readAnswer('v1', UID, Buffer.from(text), 'platform');
  if (answer instanceof ConversionFault) throw new Error(answer.text);
  const isUnread = (at: number, isKnown: boolean): boolean => answer.besides(at, () => isKnown) !== undefined;
  expect([isUnread(0, true), isUnread(0, false), isUnread(1, true), isUnread(2, true)]).toEqual([true, false, false, false]);
});
