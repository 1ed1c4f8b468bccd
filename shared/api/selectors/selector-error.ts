/**
 * A malformed or unsupported selector. The message is upstream's, except for a selector beyond a limit, which upstream does
 * not have; the response is 400 BadRequest.
 */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
