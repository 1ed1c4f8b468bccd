import { createSchemaCache } from './schema-cache';

const DESCRIPTION = 'x'.repeat(300);
const text = Buffer.from(JSON.stringify({ type: 'object', description: DESCRIPTION }));

let reads: number;
beforeEach(() => (reads = 0));

const readText = (): Buffer => {
  reads += 1;
  return text;
};

test('schema cache creates a schema on first use, evicts the least recently used one over its size limit, and creates it again', () => {
  const schemas = createSchemaCache(1000);
  const owners = Array.from({ length: 4 }, () => ({}));
  const descriptionOf = (index: number): string => schemas.get(owners[index] ?? {}, readText).description;
  expect([0, 1, 0, 1].map(descriptionOf)).toEqual(Array(4).fill(DESCRIPTION));
  expect(reads).toBe(2);
  // The limit admits two schemas, so that these evict the others.
  [2, 3].forEach(descriptionOf);
  expect(reads).toBe(4);
  descriptionOf(0);
  expect(reads).toBe(5);
});

test('schema cache returns a schema over its size limit without caching it', () => {
  const schemas = createSchemaCache(10);
  const owner = {};
  schemas.get(owner, readText);
  schemas.get(owner, readText);
  expect(reads).toBe(2);
});
