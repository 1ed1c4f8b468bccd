/** Masks of values that differ in every run of an admission webhook. */
import { maskRunValues } from './run-case';

test('maskRunValues masks a token as a whole, even if its signature looks like a generated name', () => {
  expect(maskRunValues({ token: 'eyJhbGciOi.eyJhdWQi.aKJeg-1pbcwPeS' })).toEqual({ token: '<token>' });
});

test('maskRunValues masks the generated part of a name', () => {
  expect(maskRunValues({ name: 'g-x7f2k' })).toEqual({ name: 'g-<name>' });
});
