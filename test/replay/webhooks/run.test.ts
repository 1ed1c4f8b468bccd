import { masked } from './run';

test('a token is masked as a whole, whatever it is signed with', () => {
  expect(masked({ token: 'eyJhbGciOi.eyJhdWQi.aKJeg-1pbcwPeS' })).toEqual({ token: '<token>' });
  expect(masked({ name: 'g-x7f2k' })).toEqual({ name: 'g-<name>' });
});
