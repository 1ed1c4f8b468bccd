/**
 * Merges OpenAPI documents of aggregated API servers into the v2 document, as the behaviour of upstream was observed.
 */
import type { JsonObject } from '../../../shared/values/json';
import { RemotePieces } from './remote-pieces';

/** The group version of the documents. */
const NAME = 'apis/wardle.example.com/v1';
const META = 'io.example.ObjectMeta';
const STATUS = 'io.example.Status';
/** The definitions of this server. */
const OWN_DEFINITIONS: JsonObject = {
  [META]: { type: 'object', description: 'one' },
  [STATUS]: { type: 'object', properties: { code: { type: 'integer' } }, 'x-kubernetes-group-version-kind': [{ kind: 'Status' }] },
};

/** A reference to a definition. */
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
/** A path with one operation, which responds with the definition. */
const operation = (name: string): JsonObject => ({ get: { responses: { 200: { description: 'OK', schema: ref(name) } } } });

/** Adds a document with these members and returns its piece. */
const addDocument = (document: JsonObject, pieces = new RemotePieces(OWN_DEFINITIONS, new Set())): ReturnType<RemotePieces['add']> =>
  pieces.add({ name: NAME, text: JSON.stringify({ swagger: '2.0', ...document }) });

describe('RemotePieces', () => {
  it('takes only the paths of the registered group version', () => {
    const piece = addDocument({
      paths: {
        [`/${NAME}/`]: operation('List'),
        [`/${NAME}/flunders`]: operation('Flunder'),
        '/apis/wardle.example.com/': operation('Group'),
        '/apis/wardle.example.com/v2/x': operation('Other'),
        '/api/v1/namespaces': operation('Evil'),
        '/version/': operation('Evil'),
      },
    });
    expect(Object.keys(piece?.paths ?? {})).toEqual([`/${NAME}/`, `/${NAME}/flunders`]);
  });

  it('takes the definitions that these paths use, directly or indirectly, and those that no path uses', () => {
    const piece = addDocument({
      paths: { [`/${NAME}/flunders`]: operation('Flunder'), '/version/': operation('Evil') },
      definitions: {
        Flunder: { type: 'object', properties: { spec: ref('Spec') } },
        Spec: { type: 'object', properties: { again: ref('Spec') } },
        Evil: { type: 'object' },
        Unused: { type: 'object' },
      },
    });
    expect(Object.keys(piece?.schemas ?? {}).sort()).toEqual(['Flunder', 'Spec', 'Unused']);
  });

  it('reuses equal definitions and renames different ones of the same name', () => {
    const pieces = new RemotePieces(OWN_DEFINITIONS, new Set(['com.example.Custom']));
    const definitions = {
      Flunder: { type: 'object', properties: { metadata: ref(META), status: ref(STATUS), custom: ref('com.example.Custom') } },
      [META]: { type: 'object', description: 'another' },
      [STATUS]: { type: 'object', properties: { code: { type: 'integer' } } },
      'com.example.Custom': { type: 'object' },
    };
    const piece = addDocument({ paths: { [`/${NAME}/flunders`]: operation('Flunder') }, definitions }, pieces);
    expect(piece?.schemas).toEqual({
      Flunder: { type: 'object', properties: { metadata: ref(`${META}_v2`), status: ref(STATUS), custom: ref('com.example.Custom_v2') } },
      [`${META}_v2`]: { type: 'object', description: 'another' },
      'com.example.Custom_v2': { type: 'object' },
    });
    // The names of the first document are used up too.
    const third = { [META]: { type: 'object', description: 'a third' }, Flunder: { type: 'string' } };
    expect(Object.keys(addDocument({ paths: {}, definitions: third }, pieces)?.schemas ?? {})).toEqual([`${META}_v3`, 'Flunder_v2']);
  });

  it('inlines parameters where they are used', () => {
    const parameter = { name: 'q', in: 'query', type: 'string' };
    const paths = { [`/${NAME}/x`]: { get: { parameters: [{ $ref: '#/parameters/q-1' }] } } };
    expect(addDocument({ paths, parameters: { 'q-1': parameter } })?.paths).toEqual({
      [`/${NAME}/x`]: { get: { parameters: [parameter] } },
    });
  });

  it.each([
    ['malformed JSON', '{'],
    ['a document of another OpenAPI version', '{"swagger":"3.0"}'],
    ['a list', '[]'],
    ['a document that is nested too deeply', `{"swagger":"2.0","definitions":{"a":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}}`],
  ])('rejects %s', (_what, text) => {
    const pieces = new RemotePieces(OWN_DEFINITIONS, new Set());
    expect(pieces.add({ name: NAME, text })).toBeUndefined();
    expect(pieces.rejected).toEqual([{ name: NAME, message: expect.any(String) }]);
  });

  it('accepts malformed members of a document', () => {
    const odd = { paths: { [`/${NAME}/x`]: 7 }, definitions: { a: 'text', __proto__: null, constructor: { $ref: 3 } }, parameters: [] };
    expect(addDocument(odd)).toEqual({ paths: {}, schemas: { constructor: { $ref: 3 } } });
  });
});
