/**
 * The location of objects in the response of a conversion webhook: the result equals that of parsing the whole
 * response, for any text.
 */
import fc from 'fast-check';
import { parseBody } from '../../shared/client/rest/json-body';
import { ConversionFailure } from './conversion-failure';
import { readReviewResponse, parseReviewResponse, type ConvertedObjects } from './review-response';
import { splitResponse } from './split-response';

const UID = 'u';

type Reader = typeof readReviewResponse;

/**
 * The outcome of a reader: a failure message, or the objects. Invalid JSON is reported by the parser of the whole
 * response.
 */
function outcome(text: string, reader: Reader, { skipsMetadata } = { skipsMetadata: false }): unknown {
  const response = reader('v1', UID, Buffer.from(text), 'platform');
  if (response instanceof ConversionFailure) return response.text;
  const objects = Array.from(
    { length: response.count },
    (_, index) => (skipsMetadata ? readWithoutMetadata(response, index) : undefined) ?? response.at(index),
  );
  return objects.includes(undefined) ? outcome(text, parseReviewResponse) : objects;
}

/** An object with separately parsed metadata; `undefined` when the metadata cannot be located or is not JSON. */
function readWithoutMetadata(response: ConvertedObjects, index: number): unknown {
  const metadata: unknown[] = [];
  const object = response.withoutMetadata(index, (bytes, { start, end }) => {
    try {
      return metadata.push(parseBody(bytes.toString('utf8', start, end))) > 0;
    } catch {
      return false;
    }
  });
  return object === undefined ? undefined : { ...object, metadata: metadata[0] };
}

const anyObject = fc.oneof(
  fc.jsonValue(),
  fc.record({ kind: fc.string(), metadata: fc.jsonValue(), spec: fc.jsonValue() }, { requiredKeys: ['metadata'], noNullPrototype: true }),
);

const anyResponse = fc
  .tuple(fc.array(anyObject, { maxLength: 4 }), fc.constantFrom(UID, 'other'), fc.constantFrom(undefined, 1, 2))
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

describe('readReviewResponse', () => {
  it('returns the same outcome as a parse of the whole response', () => {
    fc.assert(
      fc.property(anyResponse, fc.boolean(), (text, skipsMetadata) =>
        expect(outcome(text, readReviewResponse, { skipsMetadata })).toEqual(outcome(text, parseReviewResponse)),
      ),
    );
  });

  it('returns the same outcome as a parse of the whole response when characters are damaged', () => {
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
      fc.property(anyResponse, damage, fc.boolean(), (text, [position, length, inserted], skipsMetadata) => {
        const start = position % (text.length + 1);
        const damaged = text.slice(0, start) + inserted + text.slice(start + length);
        expect(outcome(damaged, readReviewResponse, { skipsMetadata })).toEqual(outcome(damaged, parseReviewResponse));
      }),
      { numRuns: 500 },
    );
  });

  it('uses the last of duplicate members, as a parse of the whole response does', () => {
    const head = '"kind":"ConversionReview","apiVersion":"apiextensions.platform.io/v1"';
    const members = `"uid":"${UID}","convertedObjects":[{"kind":"A"}],"convertedObjects":[null],"result":{"status":"Success"}`;
    const text = `{${head},"response":{${members}}}`;
    expect(outcome(text, readReviewResponse)).toEqual([null]);
    expect(outcome(text, parseReviewResponse)).toEqual([null]);
  });

  it('leaves out known metadata only when no second metadata member follows', () => {
    const objects = ['{"metadata":{"a":1},"spec":{}}', '{"metadata":{"a":1},"metadata":null}', '{"metadata":{"a":1},"b":}'].join();
    const head = '"kind":"ConversionReview","apiVersion":"apiextensions.platform.io/v1"';
    const text = `{${head},"response":{"uid":"${UID}","convertedObjects":[${objects}],"result":{"status":"Success"}}}`;
    const response = readReviewResponse('v1', UID, Buffer.from(text), 'platform');
    if (response instanceof ConversionFailure) throw new Error(response.text);
    const isSkipped = (index: number, { isKnown } = { isKnown: true }): boolean =>
      response.withoutMetadata(index, () => isKnown) !== undefined;
    expect(isSkipped(0)).toBe(true);
    expect(isSkipped(0, { isKnown: false })).toBe(false);
    // The second object has two members named metadata, the third is not JSON.
    expect(isSkipped(1)).toBe(false);
    expect(isSkipped(2)).toBe(false);
  });
});

describe('splitResponse', () => {
  it('finds the objects when strings contain brackets and quotes', () => {
    const objects = [{ a: '}]"\\' }, { b: ['[{', { c: 1 }] }, {}];
    const text = JSON.stringify({ response: { convertedObjects: objects } });
    const split = splitResponse(text, UID);
    expect(split?.envelope).toBe('{"response":{"convertedObjects":["u"]}}');
    expect(split?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(objects.map((object) => JSON.stringify(object)));
  });

  it.each([
    ['{"a":[{}],"metadata":{"b":"}"},"c":1}', '{"b":"}"}'],
    ['{ "metadata" : {"b": 1} }', '{"b": 1}'],
    ['{"a":{"metadata":{}}}', undefined],
    ['["metadata",{}]', undefined],
  ])('locates the metadata of %j at %j', (object, metadata) => {
    const text = `{"response":{"convertedObjects":[${object},1]}}`;
    const [span, otherSpan] = splitResponse(text, UID)?.spans ?? [];
    expect(text.slice(span?.start, span?.end)).toBe(object);
    expect(span?.metadata && text.slice(span.metadata.start, span.metadata.end)).toBe(metadata);
    expect(otherSpan?.metadata).toBeUndefined();
  });
});
