import fc from 'fast-check';
import { formatContinueToken, NEWEST_REVISION, parseContinueToken, startAfterKey } from './continue-token';

const encode = (text: string): string => Buffer.from(text).toString('base64url');
const VERSION = 'meta.platform.io/v1';
const token = (fields: object): string => encode(JSON.stringify({ v: VERSION, rv: 5, start: 'c2\0', ...fields }));
const PREFIX = 'invalid continue token: continue key is not valid: ';

/** Recorded from release 1.31.1, except for the dialect of the version. */
test.each([
  ['====', 'illegal base64 data at input byte 0'],
  ['e30=', 'illegal base64 data at input byte 3'],
  ['e', 'illegal base64 data at input byte 0'],
  ['!!!', 'illegal base64 data at input byte 0'],
  [encode('{"v":'), 'unexpected end of JSON input'],
  [encode('i'), "invalid character 'i' looking for beginning of value"],
  [encode('{}x'), "invalid character 'x' after top-level value"],
  [encode('5'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
  [encode('"x"'), 'json: cannot unmarshal string into Go value of type storage.continueToken'],
  [encode('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
  [encode('null'), 'server does not recognize this encoded version '],
  [encode('{}'), 'server does not recognize this encoded version '],
  [token({ v: 'v2' }), 'server does not recognize this encoded version v2'],
  [token({ v: null }), 'server does not recognize this encoded version '],
  [token({ rv: 0 }), `incorrect encoded start resourceVersion (version ${VERSION})`],
  [token({ rv: '5' }), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
  [token({ rv: 1.5 }), 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
  [encode(`{"rv":1e3}`), 'json: cannot unmarshal number 1e3 into Go struct field continueToken.rv of type int64'],
  [
    encode(`{"rv":99999999999999999999}`),
    'json: cannot unmarshal number 99999999999999999999 into Go struct field continueToken.rv of type int64',
  ],
  [token({ start: 5 }), 'json: cannot unmarshal number into Go struct field continueToken.start of type string'],
  [token({ start: '' }), `encoded start key empty (version ${VERSION})`],
  [token({ start: undefined }), `encoded start key empty (version ${VERSION})`],
  ...['../x', './x', 'a//b', 'a/', '//a', 'a/../b', '.', '..', '../', '/../a'].map((start): [string, string] => [token({ start }), start]),
])('parseContinueToken rejects %s with 400', (text, reason) => {
  expect(() => parseContinueToken(text)).toThrow(expect.objectContaining({ code: 400, message: PREFIX + reason }));
});

test.each([
  [token({}), { revision: 5, start: 'c2\0' }],
  [token({ start: 'c2' }), { revision: 5, start: 'c2' }],
  [token({ start: '/c2\0' }), { revision: 5, start: 'c2\0' }],
  [token({ start: '/' }), { revision: 5, start: '' }],
  [token({ start: 'ns/c2\0' }), { revision: 5, start: 'ns/c2\0' }],
  [token({ rv: -1 }), { revision: NEWEST_REVISION, start: 'c2\0' }],
  [token({ v: 'meta.k8s.io/v1', more: 1 }), { revision: 5, start: 'c2\0' }],
  [encode(`{"V":"${VERSION}","RV":5,"Start":"c2"}`), { revision: 5, start: 'c2' }],
  [encode(` {"v":"${VERSION}","rv":5,"start":"c2"} \n`), { revision: 5, start: 'c2' }],
])('parseContinueToken reads %s', (text, expected) => {
  expect(parseContinueToken(text)).toEqual(expected);
});

test('formatContinueToken returns the upstream form', () => {
  const text = formatContinueToken({ revision: 338, start: startAfterKey('c2') });
  expect(Buffer.from(text, 'base64url').toString()).toBe(`{"v":"${VERSION}","rv":338,"start":"c2\\u0000"}`);
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
});

test('parseContinueToken reads what formatContinueToken returns, for every key', () => {
  const key = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,10}[a-z0-9](\/[a-z0-9:]{1,10})?$/);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), key, (revision, name) => {
      expect(parseContinueToken(formatContinueToken({ revision, start: startAfterKey(name) }))).toEqual({ revision, start: `${name}\0` });
    }),
  );
});

test('parseContinueToken throws only a 400 for arbitrary text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string().map(encode), fc.json().map(encode)), (text) => {
      try {
        parseContinueToken(text);
      } catch (error) {
        expect(error).toHaveProperty('code', 400);
      }
    }),
  );
});
