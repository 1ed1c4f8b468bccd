import { masked } from './run-case';

test('a token is masked as a whole, even if its signature looks like a generated name', () => {
  expect(masked({ token: 'eyJhbGciOi.eyJhdWQi.aKJeg-1pbcwPeS' })).toEqual({ token: '<token>' });
  expect(masked({ name: 'g-x7f2k' })).toEqual({ name: 'g-<name>' });
});
