import path from 'node:path';
import { readIfThere } from './read-file-if-exists';

it('readIfThere returns the contents of a file, undefined when it is missing, and throws when it is unreadable', () => {
  expect(readIfThere(__filename)?.includes('reads what is there')).toBe(true);
  expect(readIfThere(path.join(__dirname, 'none'))).toBeUndefined();
  expect(() => readIfThere(__dirname)).toThrow('EISDIR');
});
