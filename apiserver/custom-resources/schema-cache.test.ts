/** When schemas are created and evicted. */
import { createSchemaCache } from './schema-cache';

/** The text of a schema of more than 300 bytes. */
const text = Buffer.from(JSON.stringify({ type: 'object', description: 'x'.repeat(300) }));

const createReader = () => jest.fn(() => text);

describe('schema cache', () => {
  it('creates the schema of an owner once', () => {
    const readText = createReader();
    const schemas = createSchemaCache(1000);
    const owner = {};
    const schema = schemas.get(owner, readText);
    expect(schemas.get(owner, readText)).toBe(schema);
    expect(readText).toHaveBeenCalledTimes(1);
  });

  it('evicts the least recently used schema over its size limit, and creates it again', () => {
    const readText = createReader();
    // The limit admits two schemas.
    const schemas = createSchemaCache(1000);
    const [first, second, third] = [{}, {}, {}];
    for (const owner of [first, second, first, third]) schemas.get(owner, readText);
    expect(readText).toHaveBeenCalledTimes(3);
    schemas.get(first, readText);
    expect(readText).toHaveBeenCalledTimes(3);
    schemas.get(second, readText);
    expect(readText).toHaveBeenCalledTimes(4);
  });

  it('does not cache a schema over its size limit', () => {
    const readText = createReader();
    const schemas = createSchemaCache(10);
    const owner = {};
    schemas.get(owner, readText);
    schemas.get(owner, readText);
    expect(readText).toHaveBeenCalledTimes(2);
  });
});
