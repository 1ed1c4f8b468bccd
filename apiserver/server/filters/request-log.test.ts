import { redactUri } from './request-log';

it.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/pods?limit=5&watch=1', '/api/v1/pods?limit=5&watch=1'],
  ['/api/v1/pods?access_token=abc&limit=5', '/api/v1/pods?access_token=***&limit=5'],
  ['/x?a=1?b=2', '/x?a=***'],
  ['/x?flag', '/x?flag'],
])('redactUri turns %s into %s', (url, expected) => {
  expect(redactUri(url)).toBe(expected);
});

it('redactUri shortens long URIs', () => {
  expect(redactUri(`/x?limit=${'1'.repeat(5_000)}`).length).toBeLessThan(1_100);
});
