/**
 * A malformed or unsupported selector; the response is 400 BadRequest. The message is upstream's, except for a selector
 * that exceeds a limit: upstream has no such limits.
 */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
