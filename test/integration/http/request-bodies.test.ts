/** Bodies of writes: media types, malformed JSON, unknown fields, sizes and other kinds. The messages are those of upstream. */
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer();
const dryRunCreate = (body: string | Buffer, type = 'application/json') => api.post(`${CONFIGMAPS}?dryRun=All`, body, { type });

describe('a JSON body', () => {
  const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const PARSE_ERROR = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `;
  /** Longer than the excerpt in the message. */
  const LONG_BODY = '{"apiVersion":"a/b/c","x":"0123456789"}';

  it.each([
    ['', `${PARSE_ERROR}unexpected end of JSON input (<empty>)`],
    ['{"a":', `${PARSE_ERROR}unexpected end of JSON input ({"a":)`],
    ['hello', `${PARSE_ERROR}invalid character 'h' looking for beginning of value (68656c6c6f)`],
    ['{"kind":5}', `${PARSE_ERROR}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`],
    [LONG_BODY, `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","x":"012 ...)`],
    ['\ufeff{}', `${PARSE_ERROR}invalid character 'ï' looking for beginning of value (efbbbf7b7d)`],
  ])('%j is rejected with the message of upstream', async (body, message) => {
    expect((await dryRunCreate(body)).refusal).toEqual([400, message]);
  });

  it('with 20,000 nested arrays is rejected', async () => {
    const nestedArrays = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await dryRunCreate(nestedArrays)).refusal).toEqual([400, expect.stringContaining('exceeded max depth')]);
  });

  it('with invalid UTF-8 in a name is rejected', async () => {
    const invalidUtf8 = Buffer.from('{"metadata":{"name":"b\xff"}}', 'latin1');
    expect((await dryRunCreate(invalidUtf8)).status).toBe(422);
  });

  it('with __proto__ and constructor gets warnings of unknown fields, and changes no prototype', async () => {
    const response = await dryRunCreate('{"metadata":{"name":"p"},"__proto__":{"polluted":true},"constructor":1}');
    expect(response.status).toBe(201);
    expect(response.warnings).toEqual(expect.arrayContaining(['unknown field "__proto__"', 'unknown field "constructor"']));
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('a body of blanks', () => {
  const LIMIT_BYTES = 3 * 1024 * 1024;
  const blanks = (length: number): Buffer => Buffer.alloc(length, ' ');

  it('over 3 MiB is rejected as too large', async () => {
    const message = `Request entity too large: limit is ${LIMIT_BYTES}`;
    expect((await dryRunCreate(blanks(LIMIT_BYTES + 1))).refusal).toEqual([413, message]);
  });

  it('of 3 MiB is parsed and rejected for its content', async () => {
    expect((await dryRunCreate(blanks(LIMIT_BYTES))).status).toBe(400);
  });
});

describe('the media type', () => {
  it.each([['text/plain'], [';;'], ['application/json; x']])('%s is not supported', async (type) => {
    expect((await dryRunCreate('{}', type)).status).toBe(415);
  });

  it('application/yaml is supported, with warnings of unknown fields', async () => {
    const response = await dryRunCreate('metadata:\n  name: from-yaml\nbogus: 1\n', 'application/yaml');
    expect([response.status, response.headers['warning']]).toEqual([201, '299 - "unknown field \\"bogus\\""']);
  });

  it('application/json is not supported for a patch', async () => {
    const response = await api.patch(`${CONFIGMAPS}/one`, '{}', 'application/json');
    expect(response.json).toMatchObject({ code: 415, message: '415: Unsupported Media Type', details: {} });
  });
});

describe('an object of another kind', () => {
  it.each([
    ['a review', '/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview'],
    ['a binding', '/api/v1/namespaces/default/bindings', 'Binding'],
    ['an eviction', '/api/v1/namespaces/default/pods/x/eviction', 'Eviction'],
    ['a token', '/api/v1/namespaces/default/serviceaccounts/default/token', 'TokenRequest'],
  ])('in a POST of %s is rejected', async (_title, path, kind) => {
    const response = await api.post(path, '{"apiVersion":"v1","kind":"ConfigMap"}');
    expect([response.status, response.json['reason']]).toEqual([400, 'BadRequest']);
    expect(response.message).toMatch(new RegExp(`^ConfigMap in version "v1" cannot be handled as a ${kind}: converting `));
  });
});
