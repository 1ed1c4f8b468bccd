/** What a cluster holds, object by object, as one server tells it; and what is different between two such tellings. Changes nothing. */
import { discoverResources } from '../../shared/client/rest/discovery';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { keyOf } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { stringifyJson } from '../../shared/values/json';

export interface Recorded {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The whole object, its owners of fields included. */
  readonly text: string;
}

/** By resource, namespace and name. */
export type Records = ReadonlyMap<string, Recorded>;

/** Written again and again by whoever lives, or when API servers come and go: of those only who they are has to stay. */
const MOVING = /^(leases\S* |endpoint(s|slices\S*) default\/platform$)/;
/** Those that go by themselves. */
const PASSING: ReadonlySet<string> = new Set(['events']);
/** What the load makes and counts; main.ts judges that. */
const OF_LOAD = /^configmaps default\/(counted|made-\d+)$/;
const PAGE = 500;

/** Of what is stored: a view cannot be watched. */
export async function recordsOf(client: RestClient): Promise<Records> {
  const records = new Map<string, Recorded>();
  for (const resource of (await discoverResources(client)).resources) {
    if (!resource.verbs.has('list') || !resource.verbs.has('watch') || PASSING.has(resource.resource)) continue;
    let token: string | undefined;
    do {
      const page = await client.list(resource, { limit: PAGE, ...(token !== undefined && { continue: token }) });
      for (const item of page.items) {
        const key = `${resource.resource}${resource.group === '' ? '' : `.${resource.group}`} ${keyOf(item)}`;
        if (item.uid === '' || OF_LOAD.test(key)) continue;
        const isMoving = MOVING.test(key);
        const body = { ...item.body, apiVersion: apiVersionOf(resource), kind: resource.kind };
        records.set(key, {
          uid: item.uid,
          resourceVersion: isMoving ? '' : item.resourceVersion,
          text: isMoving ? '' : stringifyJson(body),
        });
      }
      token = page.continue;
    } while (token !== undefined);
  }
  return records;
}

/** Of what was there: what is gone, is another one now, or was written. What has come since is no difference. */
export function differences(before: Records, after: Records): readonly string[] {
  const found: string[] = [];
  for (const [key, was] of before) {
    const is = after.get(key);
    if (is === undefined) found.push(`${key} is gone`);
    else if (is.uid !== was.uid) found.push(`${key} has the uid ${is.uid} instead of ${was.uid}`);
    else if (is.resourceVersion !== was.resourceVersion)
      found.push(`${key} has the version ${is.resourceVersion} instead of ${was.resourceVersion}`);
    else if (is.text !== was.text) found.push(`${key} reads otherwise at the same version: ${is.text} instead of ${was.text}`);
  }
  return found;
}

export const kindsIn = (records: Records): number => new Set([...records.keys()].map((key) => key.split(' ')[0])).size;
