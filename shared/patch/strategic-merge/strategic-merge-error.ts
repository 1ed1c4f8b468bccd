/** Errors of a strategic merge patch with upstream's messages. The caller maps them to a response. */

export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  constructor(
    /**
     * `form` for a malformed directive (400 upstream); `content` for a patch that does not fit the object or its kind (500
     * upstream).
     */
    readonly category: 'form' | 'content',
    message: string,
  ) {
    super(message);
  }
}

/** A directive that does not have its form. */
export const malformedDirective = (directive: 'retainKeys' | 'setElementOrder list' | 'primitive list'): StrategicMergeError =>
  new StrategicMergeError('form', `invalid patch format of ${directive}`);

/** A well-formed patch that cannot be merged into the object. */
export const unsuitablePatch = (message: string): StrategicMergeError => new StrategicMergeError('content', message);

/** Values are deleted from a list of objects without a merge key. */
export const missingMergeKey = (): StrategicMergeError => unsuitablePatch('cannot merge lists without merge key for struct');

/** An order is given for a list without items. */
export const noItemsToOrder = (): StrategicMergeError => unsuitablePatch('no elements in any of the given slices');
