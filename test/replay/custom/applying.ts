/** Server-side apply of custom resources: who owns what, and what becomes of the object. */
import { FREE, INTEGER, list, map, object, STRING, type Sequence, type Topic } from './cases';
import type { Body, Json } from '../reference';

const ATOMIC: Body = { 'x-kubernetes-map-type': 'atomic' };
const EMBEDDED: Body = { 'x-kubernetes-embedded-resource': true };
const SET: Body = { 'x-kubernetes-list-type': 'set' };
const item = object({ k: STRING, p: { type: 'integer', default: 1 }, v: STRING, o: object({ a: STRING, b: STRING }) }, { required: ['k'] });
const KEYED: Body = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'p'] };
const OWNER: Body = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' };
const resource = (members: Body): Body => ({ apiVersion: 'v1', kind: 'X', ...members });

/** One value after the other, of one member of the spec, applied by m. */
const each = (values: Readonly<Record<string, readonly Json[]>>): Sequence[] =>
  Object.entries(values).flatMap(([member, list]) => list.map((value): Sequence => [{ by: 'm', apply: { spec: { [member]: value } } }]));

const by = (name: string, spec: Json, more: { readonly force?: true } = {}): Sequence[number] => ({ by: name, apply: { spec }, ...more });
const put = (name: string, spec: Json): Sequence[number] => ({ by: name, update: { spec } });

export const applying: Topic = {
  shapes: {
    schema: object({
      spec: object({
        text: STRING,
        integer: INTEGER,
        number: { type: 'number' },
        flag: { type: 'boolean' },
        port: { 'x-kubernetes-int-or-string': true },
        nullable: { type: 'string', nullable: true },
        time: { type: 'string', format: 'date-time' },
        def: { type: 'string', default: 'd' },
        object: object({ a: STRING, b: STRING, deep: object({ c: STRING }) }),
        atomic: object({ a: STRING, b: object({ c: STRING }) }, ATOMIC),
        map: map(STRING),
        objectMap: map(object({ a: STRING, b: STRING })),
        atomicMap: map(STRING, ATOMIC),
        anyMap: map({}, { additionalProperties: true }),
        bare: { type: 'object' },
        free: { type: 'object', ...FREE },
        freeMembers: object({ k: object({ x: STRING }) }, FREE),
        any: FREE,
        anyMembers: { ...FREE, properties: { k: object({ x: STRING }) } },
        freeMap: map(object({ a: STRING }), FREE),
        list: list(STRING),
        objects: list(object({ a: STRING, b: STRING })),
        atomicList: list(STRING, { 'x-kubernetes-list-type': 'atomic' }),
        set: list(STRING, SET),
        numbers: list(INTEGER, SET),
        keyed: list(item, KEYED),
        freeKeyed: list(object({ k: STRING }, { required: ['k'], ...FREE }), {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        }),
        freeItems: list(FREE),
        freeList: list(object({ a: STRING }), FREE),
        embeddedFree: { type: 'object', ...FREE, ...EMBEDDED },
        embedded: object({ spec: object({ a: STRING }) }, EMBEDDED),
      }),
      status: object({ x: STRING }),
    }),
    version: { subresources: { status: {} } },
    sequences: [
      ...each({
        text: ['x', 1, null],
        integer: [1, 'x', 1.5],
        number: [1.5],
        flag: [true, 'x'],
        port: [1, 'x', true, { a: 1 }, [1]],
        nullable: [null, 'x'],
        time: ['2020-01-01T00:00:00Z'],
        def: [null, 'x'],
        object: [{ a: 'x', deep: { c: 'y' } }, {}, { zz: 1 }, 'x', null, { deep: {} }],
        atomic: [{ a: 'x', b: { c: 'y' } }, { zz: 1 }, {}],
        map: [{ a: 'x' }, {}, { a: 1 }, { a: null }],
        objectMap: [{ k: { a: 'x' }, l: {} }, { k: null }],
        atomicMap: [{ a: 'x' }],
        anyMap: [{ a: 1, b: { c: 1 }, d: [1] }],
        bare: [{ a: 1 }, {}],
        free: [{ a: 1, b: { c: 1, d: {} }, l: [{ x: 1 }], n: null }, {}, 'x', [1]],
        freeMembers: [{ k: { x: 'a', y: 1 }, u: { v: 1 } }, { k: 1 }],
        any: [1, 'x', { a: { b: 1 } }, [1], null, {}],
        anyMembers: [{ k: { x: 'a' }, u: { v: 1 } }, 1, { k: { x: 1 } }],
        freeMap: [{ k: { a: 'x', b: 1 } }],
        list: [['a'], [], 'x', ['a', 1]],
        objects: [[{ a: 'x' }], [{ zz: 1 }]],
        atomicList: [['a']],
        set: [['a', 'b'], ['a', 'a'], [null], [{ a: 1 }], [['a']]],
        numbers: [[1, 2], ['x']],
        keyed: [
          [
            { k: 'a', v: 'x', o: { a: '1' } },
            { k: 'b', p: 2 },
          ],
          [{ v: 'x' }],
          [{ k: 'a' }, { k: 'a' }],
          [{ k: 'a', zz: 1 }],
          ['x'],
          [null],
          [],
        ],
        freeKeyed: [[{ k: 'a', u: { v: 1 } }]],
        freeItems: [[1, { a: 1 }]],
        freeList: [[{ a: 'x' }], [{ b: 1 }]],
        embeddedFree: [
          resource({ metadata: { name: 'a', labels: { b: 'c' }, ownerReferences: [OWNER], finalizers: ['a/b'] }, spec: { q: { r: 1 } } }),
          { metadata: 'x' },
        ],
        embedded: [
          resource({ metadata: { name: 'a', annotations: { d: 'e' } }, spec: { a: 'x' } }),
          resource({ metadata: { name: 'a', zz: 1 } }),
          { apiVersion: 1 },
          resource({ zz: 1 }),
        ],
      }),
      [{ by: 'm', apply: { status: { x: '1' } } }],
      [{ by: 'm', apply: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, ownerReferences: [OWNER] } } }],
      [{ by: 'm', apply: { zz: 1 } }],
      [{ by: 'm', apply: { metadata: { zz: 1 } } }],
      [{ by: 'm', apply: { spec: null } }],
      [{ by: 'm', apply: {} }],
    ],
  },
  merging: {
    schema: object({
      spec: object({
        text: STRING,
        def: { type: 'string', default: 'd' },
        object: object({ a: STRING, b: STRING }),
        map: map(object({ a: STRING, b: STRING })),
        free: { type: 'object', ...FREE },
        any: FREE,
        list: list(STRING),
        set: list(STRING, SET),
        keyed: list(item, KEYED),
        embedded: { type: 'object', ...FREE, ...EMBEDDED },
      }),
    }),
    sequences: [
      [
        by('m', { text: 'a' }),
        by('n', { text: 'a' }),
        by('n', { text: 'b' }),
        by('n', { text: 'b' }, { force: true }),
        by('m', {}),
        by('n', {}),
      ],
      [by('m', { object: { a: '1' } }), by('n', { object: { b: '2' } }), by('m', { object: {} }), by('n', {}), by('m', {})],
      [by('m', { map: { k: { a: '1' } } }), by('n', { map: { k: { b: '2' }, l: {} } }), by('m', {}), by('n', { map: { l: { a: 'x' } } })],
      [
        by('m', { free: { a: { b: 1 } } }),
        by('n', { free: { a: { c: 2 }, d: [1] } }),
        by('m', { free: { a: 5 } }),
        by('m', { free: { a: 5 } }, { force: true }),
        by('n', { free: {} }),
        by('m', { free: { a: { z: {} } } }),
        by('m', {}),
      ],
      [
        by('m', { any: { a: 1 } }),
        by('m', { any: 1 }),
        by('n', { any: 1 }),
        by('n', { any: { b: 1 } }),
        by('n', { any: { b: 1 } }, { force: true }),
        by('m', { any: [1] }, { force: true }),
        by('m', { any: [2] }),
        by('m', { any: null }),
        by('m', {}),
      ],
      [
        by('m', { any: 'x' }),
        put('u', { any: { a: { b: 1 } } }),
        put('u', { any: { a: 1 } }),
        put('u', { any: [1] }),
        put('u', { any: null }),
        put('u', {}),
      ],
      [
        by('m', { list: ['a'] }),
        by('n', { list: ['a', 'b'] }),
        by('n', { list: ['a', 'b'] }, { force: true }),
        by('m', {}),
        put('u', { list: ['c'] }),
      ],
      [
        by('m', { set: ['a', 'b'] }),
        by('n', { set: ['c', 'b'] }),
        by('m', { set: ['a'] }),
        by('n', {}),
        put('u', { set: ['z', 'a'] }),
        put('u', { set: ['a'] }),
      ],
      [
        by('m', { keyed: [{ k: 'a', v: '1' }] }),
        by('n', { keyed: [{ k: 'b' }, { k: 'a', o: { a: 'x' } }] }),
        by('m', { keyed: [{ k: 'a', p: 2 }] }),
        by('n', {}),
        put('u', { keyed: [{ k: 'a', p: 2, v: 'q' }, { k: 'c' }] }),
      ],
      [by('m', { def: 'e' }), by('m', {}), by('n', { def: 'd' }), put('u', { def: 'f' }), put('u', {})],
      [
        put('u', {
          text: 'a',
          free: { a: { b: 1 } },
          embedded: resource({ metadata: { name: 'a', labels: { a: 'b' } }, spec: { x: 1 } }),
          zz: 1,
        }),
        by('m', { text: 'b' }),
        by('m', { text: 'b', free: { a: { b: 2 } } }, { force: true }),
        put('u', {}),
      ],
      [
        put('u', { any: { a: null, b: {} }, free: { c: { d: [] } } }),
        put('u', { any: { a: 1, b: { c: 1 } }, free: { c: { d: {} } } }),
        put('u', { any: { a: 1 }, free: {} }),
      ],
    ],
  },
};
