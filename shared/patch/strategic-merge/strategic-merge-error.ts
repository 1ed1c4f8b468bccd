/** Errors of a strategic merge patch with upstream's messages. The caller maps them to a response. */

/** A strategic merge patch that cannot be applied. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  constructor(
    /**
     * `form` for a directive of {@link malformedDirective}, which upstream answers with 400; `content` for any other error,
     * which upstream answers with 500.
     */
    readonly category: 'form' | 'content',
    message: string,
  ) {
    super(message);
  }
}

/** A directive without a field name, or with a value of a wrong form. */
export const malformedDirective = (directive: 'retainKeys' | 'setElementOrder list' | 'primitive list'): StrategicMergeError =>
  new StrategicMergeError('form', `invalid patch format of ${directive}`);

/** A well-formed patch that cannot be merged into the object. */
export const unsuitablePatch = (message: string): StrategicMergeError => new StrategicMergeError('content', message);

/** Values are deleted from a list of objects without a merge key. */
export const missingMergeKey = (): StrategicMergeError => unsuitablePatch('cannot merge lists without merge key for struct');

/** An order is given for a list without items. */
export const noItemsToOrder = (): StrategicMergeError => unsuitablePatch('no elements in any of the given slices');
