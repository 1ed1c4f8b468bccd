/** What is wrong with a strategic merge patch, in upstream's words. Builds no answers: the caller decides what a client is told. */

/** `form` = a directive is malformed (upstream: 400); `content` = the patch does not suit the object or its kind (upstream leaks a 500). */
export class StrategicFault extends Error {
  override readonly name = 'StrategicFault';
  constructor(
    readonly fault: 'form' | 'content',
    message: string,
  ) {
    super(message);
  }
}

export const malformed = (what: 'retainKeys' | 'setElementOrder list' | 'primitive list'): StrategicFault =>
  new StrategicFault('form', `invalid patch format of ${what}`);

export const unsuitable = (message: string): StrategicFault => new StrategicFault('content', message);

/** Values are to be taken out of a list of objects that nothing tells apart. */
export const withoutKey = (): StrategicFault => unsuitable('cannot merge lists without merge key for struct');

/** An order is given for items of which there are none. */
export const nothingToOrder = (): StrategicFault => unsuitable('no elements in any of the given slices');
