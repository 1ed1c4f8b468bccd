/** What an update may leave wrong that was wrong before. The old objects are stored under a schema that allows everything. */
import { FREE, INTEGER, list, map, object, STRING, type Topic } from './cases';
import type { Body, Json } from '../reference';

const SET: Body = { 'x-kubernetes-list-type': 'set' };
const keyed = (...keys: string[]): Body => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const SHORT: Body = { type: 'string', maxLength: 2 };
const item = object({ k: STRING, v: SHORT, w: STRING }, { required: ['k'] });

/** From one spec to another. */
const specs = (...pairs: (readonly [Json, Json])[]): (readonly [Body, Body])[] =>
  pairs.map(([old, spec]) => [{ spec: old }, { spec }] as const);
const A = 'too long';
const B = 'longer still';

export const updates: Topic = {
  plain: {
    schema: object({
      spec: object(
        {
          a: SHORT,
          b: SHORT,
          o: object({ a: SHORT, b: SHORT }, { required: ['b'], maxProperties: 2 }),
          atomic: object({ a: SHORT, b: SHORT }, { 'x-kubernetes-map-type': 'atomic' }),
          map: map(SHORT, { maxProperties: 1 }),
          list: list(SHORT, { maxItems: 2 }),
          objects: list(item),
          atomicList: list(item, { 'x-kubernetes-list-type': 'atomic' }),
          set: list(SHORT, { ...SET, maxItems: 2 }),
          objectSet: list(object({ k: STRING, v: SHORT }, { 'x-kubernetes-map-type': 'atomic' }), SET),
          keyed: list(item, { ...keyed('k'), maxItems: 2 }),
          free: { ...FREE, type: 'object', properties: { a: SHORT }, maxProperties: 1 },
          any: { ...FREE, maxLength: 2 },
          number: { type: 'integer', minimum: 5 },
          nullable: { type: 'string', nullable: true, enum: ['a'] },
          closed: { type: 'object', additionalProperties: false },
        },
        { required: ['a'] },
      ),
    }),
    updates: specs(
      [{ a: A }, { a: A }],
      [{ a: A }, { a: B }],
      [
        { a: A, b: 'x' },
        { a: A, b: B },
      ],
      [
        { a: A, b: 'x' },
        { a: A, b: 'y' },
      ],
      [{}, {}],
      [{}, { b: 'x' }],
      [
        { a: 'x', o: { a: A } },
        { a: 'y', o: { a: A } },
      ],
      [
        { a: 'x', o: { a: A } },
        { a: 'x', o: { a: A, b: 'z' } },
      ],
      [
        { a: 'x', o: { a: 'x' } },
        { a: 'x', o: { a: 'y' } },
      ],
      [
        { a: 'x', o: 'text' },
        { a: 'y', o: 'text' },
      ],
      [
        { a: 'x', o: 'text' },
        { a: 'x', o: 'other' },
      ],
      [
        { a: 'x', o: null },
        { a: 'x', o: { a: A } },
      ],
      [
        { a: 'x', atomic: { a: A } },
        { a: 'x', atomic: { a: A, b: 'z' } },
      ],
      [
        { a: 'x', atomic: { a: A } },
        { a: 'y', atomic: { a: A } },
      ],
      [
        { a: 'x', map: { p: A, q: 'x' } },
        { a: 'x', map: { p: A, q: 'y' } },
      ],
      [
        { a: 'x', map: { p: A, q: 'x' } },
        { a: 'y', map: { q: 'x', p: A } },
      ],
      [
        { a: 'x', map: { p: A } },
        { a: 'x', map: { q: A } },
      ],
      [
        { a: 'x', list: [A] },
        { a: 'y', list: [A] },
      ],
      [
        { a: 'x', list: [A] },
        { a: 'x', list: [A, 'x'] },
      ],
      [
        { a: 'x', list: ['1', '2', '3'] },
        { a: 'x', list: ['1', '2', '4'] },
      ],
      [
        { a: 'x', objects: [{ k: 'a', v: A }] },
        { a: 'x', objects: [{ k: 'a', v: A, w: 'x' }] },
      ],
      [
        { a: 'x', objects: [{ k: 'a', v: A }] },
        { a: 'x', objects: [{ k: 'a', v: A }, { k: 'b' }] },
      ],
      [
        { a: 'x', objects: [{ k: 'a', v: A }] },
        { a: 'y', objects: [{ k: 'a', v: A }] },
      ],
      [
        { a: 'x', atomicList: [{ k: 'a', v: A }] },
        { a: 'x', atomicList: [{ k: 'a', v: A, w: 'x' }] },
      ],
      [
        { a: 'x', atomicList: [{ k: 'a', v: A }] },
        { a: 'y', atomicList: [{ k: 'a', v: A }] },
      ],
      [
        { a: 'x', set: [A, 'x'] },
        { a: 'x', set: ['x', A] },
      ],
      [
        { a: 'x', set: [A, A] },
        { a: 'x', set: [A, A] },
      ],
      [
        { a: 'x', set: ['x', 'x'] },
        { a: 'x', set: ['x', 'x', 'x'] },
      ],
      [
        { a: 'x', set: ['x', 'x'] },
        { a: 'x', set: ['y', 'y'] },
      ],
      [
        { a: 'x', set: ['x', 'x'] },
        { a: 'x', keyed: [{ k: 'a' }, { k: 'a' }] },
      ],
      [
        { a: 'x', set: ['x'] },
        { a: 'x', set: ['x', 'x'] },
      ],
      [
        { a: 'x', objectSet: [{ k: 'a', v: A }] },
        { a: 'x', objectSet: [{ k: 'a', v: A }, { k: 'b' }] },
      ],
      [
        { a: 'x', keyed: [{ k: 'a', v: A }] },
        { a: 'x', keyed: [{ k: 'a', v: A, w: 'x' }] },
      ],
      [
        { a: 'x', keyed: [{ k: 'a', v: A }] },
        { a: 'x', keyed: [{ k: 'b' }, { k: 'a', v: A, w: 'x' }] },
      ],
      [
        { a: 'x', keyed: [{ k: 'a', v: A }] },
        { a: 'x', keyed: [{ k: 'b', v: A }] },
      ],
      [
        { a: 'x', keyed: [{ k: 'a', v: A }, { k: 'b' }, { k: 'c' }] },
        { a: 'x', keyed: [{ k: 'c' }, { k: 'b' }, { k: 'a', v: A }] },
      ],
      [
        { a: 'x', keyed: [{ k: 'a', v: A }, { k: 'b' }, { k: 'c' }] },
        { a: 'x', keyed: [{ k: 'c' }, { k: 'b' }, { k: 'a', v: 'x' }] },
      ],
      [
        { a: 'x', keyed: [{ v: A }] },
        { a: 'x', keyed: [{ v: A }] },
      ],
      [
        { a: 'x', keyed: [{ v: A }] },
        { a: 'x', keyed: [{ v: A, w: 'x' }] },
      ],
      [
        {
          a: 'x',
          keyed: [
            { k: 'a', v: A },
            { k: 'a', v: B },
          ],
        },
        {
          a: 'x',
          keyed: [
            { k: 'a', v: A, w: 'x' },
            { k: 'a', v: B, w: 'x' },
          ],
        },
      ],
      [
        { a: 'x', keyed: ['x'] },
        { a: 'x', keyed: ['x'] },
      ],
      [
        { a: 'x', keyed: ['x'] },
        { a: 'x', keyed: ['x', 'y'] },
      ],
      [
        { a: 'x', keyed: 'x' },
        { a: 'x', keyed: ['x', 'y'] },
      ],
      [
        { a: 'x', free: { a: A, b: 1 } },
        { a: 'x', free: { a: A, b: 1 } },
      ],
      [
        { a: 'x', free: { a: A, b: 1 } },
        { a: 'x', free: { a: A, b: 2 } },
      ],
      [
        { a: 'x', any: A },
        { a: 'y', any: A },
      ],
      [
        { a: 'x', any: A },
        { a: 'y', any: B },
      ],
      [
        { a: 'x', number: 1 },
        { a: 'y', number: 1 },
      ],
      [
        { a: 'x', number: 1 },
        { a: 'y', number: 2 },
      ],
      [
        { a: 'x', number: 1.5 },
        { a: 'y', number: 1.5 },
      ],
      [
        { a: 'x', number: '1' },
        { a: 'y', number: '1' },
      ],
      [
        { a: 'x', nullable: null },
        { a: 'y', nullable: null },
      ],
      [
        { a: 'x', nullable: null },
        { a: 'y', nullable: 'b' },
      ],
      [
        { a: 'x', closed: { q: 1 } },
        { a: 'y', closed: { q: 1 } },
      ],
      [
        { a: 'x', closed: { q: 1 } },
        { a: 'y', closed: { q: 1, r: 2 } },
      ],
      [null, { a: A }],
      ['x', { a: A }],
    ),
  },
  junctors: {
    schema: object({
      spec: object({
        t: STRING,
        not: object({ a: STRING, b: STRING }, { not: { properties: { a: { enum: ['q'] } } } }),
        all: object({ a: STRING, b: STRING }, { allOf: [{ properties: { a: { maxLength: 2 } } }, { required: ['b'] }] }),
        any: object({ a: STRING, b: STRING }, { anyOf: [{ properties: { a: { maxLength: 2 } } }, { properties: { a: { enum: ['q'] } } }] }),
        one: object({ a: STRING, b: STRING }, { oneOf: [{ properties: { a: { maxLength: 2 } } }, { properties: { a: { enum: ['q'] } } }] }),
        text: { type: 'string', anyOf: [{ maxLength: 2 }, { pattern: '^x' }] },
        items: list(INTEGER, { allOf: [{ items: { minimum: 5 } }] }),
        keyed: list(item, { ...keyed('k'), allOf: [{ items: { properties: { w: { maxLength: 2 } } } }, { maxItems: 2 }] }),
      }),
    }),
    updates: specs(
      [
        { t: '1', not: { a: 'q' } },
        { t: '2', not: { a: 'q' } },
      ],
      [{ not: { a: 'q' } }, { not: { a: 'q', b: 'x' } }],
      [{ not: { a: 'x' } }, { not: { a: 'x', b: 'x' } }],
      [
        { t: '1', all: { a: A } },
        { t: '2', all: { a: A } },
      ],
      [{ all: { a: A, b: 'x' } }, { all: { a: A, b: 'y' } }],
      [{ all: { a: A, b: 'x' } }, { all: { a: B, b: 'x' } }],
      [
        { t: '1', any: { a: A } },
        { t: '2', any: { a: A } },
      ],
      [{ any: { a: A, b: 'x' } }, { any: { a: A, b: 'y' } }],
      [{ any: { a: A, b: 'x' } }, { any: { a: B, b: 'x' } }],
      [
        { t: '1', one: { a: A } },
        { t: '2', one: { a: A } },
      ],
      [{ one: { a: A, b: 'x' } }, { one: { a: A, b: 'y' } }],
      [{ one: { a: 'q', b: 'x' } }, { one: { a: 'q', b: 'y' } }],
      [{ one: { a: 'x', b: 'x' } }, { one: { a: 'x', b: 'y' } }],
      [
        { t: '1', text: A },
        { t: '2', text: A },
      ],
      [{ text: A }, { text: B }],
      [
        { t: '1', items: [1] },
        { t: '2', items: [1] },
      ],
      [{ items: [1] }, { items: [1, 6] }],
      [{ keyed: [{ k: 'a', w: A }] }, { keyed: [{ k: 'a', w: A, v: 'x' }] }],
      [{ keyed: [{ k: 'a', w: A }] }, { keyed: [{ k: 'a', w: A }, { k: 'b' }] }],
      [{ keyed: [{ k: 'a', w: A }] }, { keyed: [{ k: 'a', w: B }] }],
    ),
  },
  resources: {
    schema: object({
      spec: object({
        t: { type: 'string', enum: ['x', 'y'] },
        embedded: { type: 'object', ...FREE, 'x-kubernetes-embedded-resource': true },
        set: list(STRING, SET),
        sets: map(list(STRING, SET)),
        short: SHORT,
      }),
    }),
    creates: [
      { spec: { embedded: {}, set: ['a', 'a'], t: 'q', short: A } },
      { spec: { embedded: { apiVersion: 'v1', kind: '' }, sets: { a: ['x', 'x'] }, t: 1 } },
    ],
    updates: [
      ...specs(
        [
          { t: 'x', embedded: { kind: 'a' } },
          { t: 'y', embedded: { kind: 'a' } },
        ],
        [
          { t: 'x', embedded: { apiVersion: 'v1', kind: 'a', metadata: { labels: { '-': 'x' } } } },
          { t: 'y', embedded: { apiVersion: 'v1', kind: 'a', metadata: { labels: { '-': 'x' } } } },
        ],
        [
          { t: 'q', set: ['a', 'a'], embedded: {} },
          { t: 'q', set: ['a', 'a'], embedded: {} },
        ],
        [
          { t: 'q', set: ['a', 'a'] },
          { t: 'z', sets: { a: ['b', 'b'] } },
        ],
        [{ t: 'q' }, { t: 'q', sets: { a: ['b', 'b'] }, set: ['c', 'c'] }],
      ),
    ],
  },
  top: {
    schema: object({ spec: object({ a: SHORT }), t: STRING, free: { type: 'object', ...FREE } }, { required: ['spec'], maxProperties: 5 }),
    updates: [
      [{ t: 'x' }, { t: 'x' }],
      [{ t: 'x' }, { t: 'y' }],
      [{}, { spec: { a: A } }],
      [{ spec: { a: A } }, { spec: { a: A } }],
      [
        { spec: {}, t: 'x', free: { x: 1 } },
        { spec: {}, t: 'x', free: { x: 1 } },
      ],
    ],
  },
};
