import { createSchemaCache } from './schema-cache';

/** The text of a schema of more than 300 bytes. */
const text = Buffer.from(JSON.stringify({ type: 'object', description: 'x'.repeat(300) }));

let reads: number;
beforeEach(() => (reads = 0));

const readText = (): Buffer => {
  reads += 1;
  return text;
};

test('schema cache creates a schema on first use, evicts the least recently used one over its size limit, and creates it again', () => {
  // The limit admits two schemas.
  const schemas = createSchemaCache(1000);
  const [first, second, third, fourth] = [{}, {}, {}, {}];
  const schema = schemas.get(first, readText);
  schemas.get(second, readText);
  expect(reads).toBe(2);
  expect(schemas.get(first, readText)).toBe(schema);
  schemas.get(second, readText);
  expect(reads).toBe(2);
  schemas.get(third, readText);
  schemas.get(fourth, readText);
  expect(reads).toBe(4);
  schemas.get(first, readText);
  expect(reads).toBe(5);
});

test('schema cache returns a schema over its size limit without caching it', () => {
  const schemas = createSchemaCache(10);
  const owner = {};
  schemas.get(owner, readText);
  schemas.get(owner, readText);
  expect(reads).toBe(2);
});
