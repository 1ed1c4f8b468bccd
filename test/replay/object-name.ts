/** The name of an object in recorded or received JSON. */
import { isBody, type Json } from './json-response';

/** Empty when the object has no name. */
export function objectNameOf(object: Json): string {
  const metadata = isBody(object) ? object['metadata'] : undefined;
  const name = isBody(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}
