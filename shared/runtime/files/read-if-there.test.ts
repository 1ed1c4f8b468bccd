import path from 'node:path';
import { readIfThere } from './read-if-there';

it('reads what is there, and tells what is not from what cannot be read', () => {
  expect(readIfThere(__filename)?.includes('reads what is there')).toBe(true);
  expect(readIfThere(path.join(__dirname, 'none'))).toBeUndefined();
  expect(() => readIfThere(__dirname)).toThrow('EISDIR');
});
