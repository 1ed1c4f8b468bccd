import { shownUri } from './request-log';

it.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/pods?limit=5&watch=1', '/api/v1/pods?limit=5&watch=1'],
  ['/api/v1/pods?access_token=abc&limit=5', '/api/v1/pods?access_token=***&limit=5'],
  ['/x?a=1?b=2', '/x?a=***'],
  ['/x?flag', '/x?flag'],
])('%s is written as %s', (url, shown) => {
  expect(shownUri(url)).toBe(shown);
});

it('is bounded', () => {
  expect(shownUri(`/x?limit=${'1'.repeat(5_000)}`).length).toBeLessThan(1_100);
});
