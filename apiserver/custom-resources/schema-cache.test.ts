import { createSchemaCache } from './schema-cache';

test('schema cache creates schemas on first use, evicts the least recently used over its size limit, and creates them again', () => {
  let made = 0;
  const text = Buffer.from(JSON.stringify({ type: 'object', description: 'x'.repeat(300) }));
  const read = (): Buffer => {
    made += 1;
    return text;
  };
  const schemas = createSchemaCache(1000);
  const owners = Array.from({ length: 4 }, () => ({}));
  const ask = (index: number): string => schemas.get(owners[index] ?? {}, read).description;
  expect([0, 1, 0, 1].map(ask)).toEqual(Array(4).fill('x'.repeat(300)));
  expect(made).toBe(2);
  // Evicts the least recently used schema.
  [2, 3].forEach(ask);
  expect(made).toBe(4);
  ask(0);
  expect(made).toBe(5);
  // A schema over the size limit is returned but not cached.
  const small = createSchemaCache(10);
  small.get(text, read);
  small.get(text, read);
  expect(made).toBe(7);
});
