/** A selector that cannot be read or is not served. Its message is upstream's and is answered with 400 BadRequest. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
