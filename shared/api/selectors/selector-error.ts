/** A malformed or unsupported selector. The message is upstream's; the response is 400 BadRequest. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
