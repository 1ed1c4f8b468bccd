/** Where the reference server takes new objects of a kind, as its discovery says. */
import { ask, isBody, type Body } from './reference';

/** In which recorded objects live; it stays on the reference server, because nothing there could empty it. */
export const NAMESPACE = 'h13';

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const resources = new Map<string, readonly Body[]>();

/** The path to which an object is posted. */
export async function collectionOf(object: Readonly<Record<string, unknown>>): Promise<string> {
  const version = textOf(object['apiVersion']);
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  if (!resources.has(root)) {
    const list: Body = JSON.parse((await ask('GET', root)).bytes.toString());
    resources.set(root, (Array.isArray(list['resources']) ? list['resources'] : []).filter(isBody));
  }
  const found = resources.get(root)?.find(({ kind, name }) => kind === object['kind'] && !textOf(name).includes('/'));
  if (found === undefined) throw new Error(`${version} has no ${JSON.stringify(object['kind'])}`);
  return `${root}${found['namespaced'] === true ? `/namespaces/${NAMESPACE}` : ''}/${textOf(found['name'])}`;
}
