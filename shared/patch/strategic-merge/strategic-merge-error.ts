/** Errors of a strategic merge patch with upstream's messages. The caller maps them to a response. */

/**
 * `form` = a directive is malformed (upstream: 400); `content` = the patch does not fit the object or its kind
 * (upstream leaks a 500).
 */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  constructor(
    readonly category: 'form' | 'content',
    message: string,
  ) {
    super(message);
  }
}

export const malformedDirective = (directive: 'retainKeys' | 'setElementOrder list' | 'primitive list'): StrategicMergeError =>
  new StrategicMergeError('form', `invalid patch format of ${directive}`);

export const unsuitablePatch = (message: string): StrategicMergeError => new StrategicMergeError('content', message);

/** Values are deleted from a list of objects without a merge key. */
export const missingMergeKey = (): StrategicMergeError => unsuitablePatch('cannot merge lists without merge key for struct');

/** An order is given for a list without items. */
export const noItemsToOrder = (): StrategicMergeError => unsuitablePatch('no elements in any of the given slices');
