/**
 * Merges OpenAPI documents of aggregated API servers into the v2 document, as the behaviour of upstream was observed.
 */
import type { JsonObject } from '../../../shared/values/json';
import { RemotePieces } from './remote-pieces';

const NAME = 'apis/wardle.example.com/v1';
const META = 'io.example.ObjectMeta';
const STATUS = 'io.example.Status';
const KNOWN: JsonObject = {
  [META]: { type: 'object', description: 'one' },
  [STATUS]: { type: 'object', properties: { code: { type: 'integer' } }, 'x-kubernetes-group-version-kind': [{ kind: 'Status' }] },
};

const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const operation = (name: string): JsonObject => ({ get: { responses: { 200: { description: 'OK', schema: ref(name) } } } });

const added = (document: JsonObject, pieces = new RemotePieces(KNOWN, new Set())): ReturnType<RemotePieces['add']> =>
  pieces.add({ name: NAME, text: JSON.stringify({ swagger: '2.0', ...document }) });

describe('RemotePieces', () => {
  it('takes the paths of the group version of a document, and the definitions that they use or that are unused', () => {
    const piece = added({
      paths: {
        [`/${NAME}/`]: operation('List'),
        [`/${NAME}/flunders`]: operation('Flunder'),
        '/apis/wardle.example.com/': operation('Group'),
        '/apis/wardle.example.com/v2/x': operation('Other'),
        '/api/v1/namespaces': operation('Evil'),
        '/version/': operation('Evil'),
      },
      definitions: {
        Flunder: { type: 'object', properties: { spec: ref('Spec') } },
        Spec: { type: 'object', properties: { again: ref('Spec') } },
        ...Object.fromEntries(['List', 'Group', 'Other', 'Evil', 'Unused'].map((name) => [name, { type: 'object', title: name }])),
      },
    });
    expect(Object.keys(piece?.paths ?? {})).toEqual([`/${NAME}/`, `/${NAME}/flunders`]);
    expect(Object.keys(piece?.schemas ?? {}).sort()).toEqual(['Flunder', 'List', 'Spec', 'Unused']);
  });

  it('reuses equal definitions and renames different ones of the same name', () => {
    const pieces = new RemotePieces(KNOWN, new Set(['com.example.Custom']));
    const definitions = {
      Flunder: { type: 'object', properties: { metadata: ref(META), status: ref(STATUS), custom: ref('com.example.Custom') } },
      [META]: { type: 'object', description: 'another' },
      [STATUS]: { type: 'object', properties: { code: { type: 'integer' } } },
      'com.example.Custom': { type: 'object' },
    };
    const piece = added({ paths: { [`/${NAME}/flunders`]: operation('Flunder') }, definitions }, pieces);
    expect(piece?.schemas).toEqual({
      Flunder: { type: 'object', properties: { metadata: ref(`${META}_v2`), status: ref(STATUS), custom: ref('com.example.Custom_v2') } },
      [`${META}_v2`]: { type: 'object', description: 'another' },
      'com.example.Custom_v2': { type: 'object' },
    });
    const third = { [META]: { type: 'object', description: 'a third' }, Flunder: { type: 'string' } };
    expect(Object.keys(added({ paths: {}, definitions: third }, pieces)?.schemas ?? {})).toEqual([`${META}_v3`, 'Flunder_v2']);
  });

  it('inlines parameters where they are used', () => {
    const parameter = { name: 'q', in: 'query', type: 'string' };
    const paths = { [`/${NAME}/x`]: { get: { parameters: [{ $ref: '#/parameters/q-1' }] } } };
    expect(added({ paths, parameters: { 'q-1': parameter } })?.paths).toEqual({ [`/${NAME}/x`]: { get: { parameters: [parameter] } } });
  });

  it.each([
    ['malformed JSON', '{'],
    ['a document of another OpenAPI version', '{"swagger":"3.0"}'],
    ['a list', '[]'],
    ['a document that is nested too deeply', `{"swagger":"2.0","definitions":{"a":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}}`],
  ])('rejects %s', (_what, text) => {
    const pieces = new RemotePieces(KNOWN, new Set());
    expect(pieces.add({ name: NAME, text })).toBeUndefined();
    expect(pieces.rejected).toEqual([{ name: NAME, message: expect.any(String) }]);
  });

  it('accepts malformed members of a document', () => {
    const odd = { paths: { [`/${NAME}/x`]: 7 }, definitions: { a: 'text', __proto__: null, constructor: { $ref: 3 } }, parameters: [] };
    expect(added(odd)).toEqual({ paths: {}, schemas: { constructor: { $ref: 3 } } });
  });
});
