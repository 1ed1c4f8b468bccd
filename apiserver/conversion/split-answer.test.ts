import fc from 'fast-check';
import { ConversionFault } from './fault';
import { readAnswer, readWhole } from './review';
import { splitAnswer } from './split-answer';

const UID = 'u';

type Reader = typeof readAnswer;

/** What a reader makes of an answer: its fault, or its objects; what is no JSON is told by whoever reads the whole. */
function outcome(text: string, reader: Reader): unknown {
  const answer = reader('v1', UID, Buffer.from(text), 'platform');
  if (answer instanceof ConversionFault) return answer.text;
  const objects = Array.from({ length: answer.count }, (_, at) => answer.at(at));
  return objects.includes(undefined) ? outcome(text, readWhole) : objects;
}

const answers = fc
  .tuple(fc.array(fc.jsonValue(), { maxLength: 4 }), fc.constantFrom(UID, 'other'), fc.constantFrom(undefined, 1, 2))
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

it('says of an answer in pieces what is said of it as a whole', () => {
  fc.assert(fc.property(answers, (text) => expect(outcome(text, readAnswer)).toEqual(outcome(text, readWhole))));
});

it('says the same of answers in which characters are lost, doubled or put in', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', ' ', 'null', '"convertedObjects":[null],'),
  );
  fc.assert(
    fc.property(answers, damage, (text, [place, length, put]) => {
      const at = place % (text.length + 1);
      const damaged = text.slice(0, at) + put + text.slice(at + length);
      expect(outcome(damaged, readAnswer)).toEqual(outcome(damaged, readWhole));
    }),
    { numRuns: 500 },
  );
});

it('finds the objects where brackets and quotes stand in texts', () => {
  const objects = [{ a: '}]"\\' }, { b: ['[{', { c: 1 }] }, {}];
  const text = JSON.stringify({ response: { convertedObjects: objects } });
  const split = splitAnswer(text);
  expect(split?.around).toBe('{"response":{"convertedObjects":[null]}}');
  expect(split?.places.map(({ start, end }) => text.slice(start, end))).toEqual(objects.map((one) => JSON.stringify(one)));
});
