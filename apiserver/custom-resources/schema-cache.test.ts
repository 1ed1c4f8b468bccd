import { createSchemas } from './schema-cache';

test('schema cache creates schemas on first use, evicts the least recently used over its size limit, and creates them again', () => {
  let made = 0;
  const text = Buffer.from(JSON.stringify({ type: 'object', description: 'x'.repeat(300) }));
  const read = (): Buffer => {
    made += 1;
    return text;
  };
  const schemas = createSchemas(1000);
  const owners = Array.from({ length: 4 }, () => ({}));
  const ask = (index: number): string => schemas.of(owners[index] ?? {}, read).description;
  expect([0, 1, 0, 1].map(ask)).toEqual(Array(4).fill('x'.repeat(300)));
  expect(made).toBe(2);
  // The one that was asked for longest ago goes.
  [2, 3].forEach(ask);
  expect(made).toBe(4);
  ask(0);
  expect(made).toBe(5);
  // What is larger than the bound serves whoever asks, and stays with nobody.
  const small = createSchemas(10);
  small.of(text, read);
  small.of(text, read);
  expect(made).toBe(7);
});
