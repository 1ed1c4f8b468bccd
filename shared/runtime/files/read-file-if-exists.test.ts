import path from 'node:path';
import { readFileIfExists } from './read-file-if-exists';

it('readFileIfExists returns the contents of a file, undefined when it is missing, and throws when it is unreadable', () => {
  expect(readFileIfExists(__filename)?.includes('returns the contents')).toBe(true);
  expect(readFileIfExists(path.join(__dirname, 'none'))).toBeUndefined();
  expect(() => readFileIfExists(__dirname)).toThrow('EISDIR');
});
