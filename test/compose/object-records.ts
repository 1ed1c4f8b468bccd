/** What a cluster holds, object by object, as one server tells it; and what is different between two such tellings. Changes nothing. */
import { discoverResources } from '../../shared/client/rest/discovery';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { keyOf } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { stringifyJson } from '../../shared/values/json';

export interface ObjectRecord {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The whole object, its owners of fields included. */
  readonly text: string;
}

/** By resource, namespace and name. */
export type Records = ReadonlyMap<string, ObjectRecord>;

/** Written again and again by whoever lives, or when API servers come and go: of those only who they are has to stay. */
const VOLATILE = /^(leases\S* |endpoint(s|slices\S*) default\/platform$)/;
/** Those that go by themselves. */
const EXPIRING: ReadonlySet<string> = new Set(['events']);
/** What the load makes and counts; main.ts judges that. */
const WRITTEN_BY_LOAD = /^configmaps default\/(counted|made-\d+)$/;
const PAGE = 500;

/** Of what is stored: a view cannot be watched. */
export async function readRecords(client: RestClient): Promise<Records> {
  const records = new Map<string, ObjectRecord>();
  for (const resource of (await discover(client)).resources) {
    if (!resource.verbs.has('list') || !resource.verbs.has('watch') || EXPIRING.has(resource.resource)) continue;
    let token: string | undefined;
    do {
      const page = await client.list(resource, { limit: PAGE, ...(token !== undefined && { continue: token }) });
      for (const item of page.items) {
        const key = `${resource.resource}${resource.group === '' ? '' : `.${resource.group}`} ${keyOf(item)}`;
        if (item.uid === '' || WRITTEN_BY_LOAD.test(key)) continue;
        const isVolatile = VOLATILE.test(key);
        const body = { ...item.body, apiVersion: apiVersionOf(resource), kind: resource.kind };
        records.set(key, {
          uid: item.uid,
          resourceVersion: isVolatile ? '' : item.resourceVersion,
          text: isVolatile ? '' : stringifyJson(body),
        });
      }
      token = page.continue;
    } while (token !== undefined);
  }
  return records;
}

/** Of what was there: what is gone, is another one now, or was written. What has come since is no difference. */
export function findDifferences(before: Records, after: Records): readonly string[] {
  const differences: string[] = [];
  for (const [key, previous] of before) {
    const current = after.get(key);
    if (current === undefined) differences.push(`${key} is gone`);
    else if (current.uid !== previous.uid) differences.push(`${key} has the uid ${current.uid} instead of ${previous.uid}`);
    else if (current.resourceVersion !== previous.resourceVersion)
      differences.push(`${key} has the version ${current.resourceVersion} instead of ${previous.resourceVersion}`);
    else if (current.text !== previous.text)
      differences.push(`${key} reads otherwise at the same version: ${current.text} instead of ${previous.text}`);
  }
  return differences;
}

export const countKinds = (records: Records): number => new Set([...records.keys()].map((key) => key.split(' ')[0])).size;
