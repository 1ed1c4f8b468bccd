/** Reads all objects of a cluster from one server, and compares two such readings. Changes nothing. */
import { discoverResources } from '../../shared/client/rest/discovery';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { keyOf } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { stringifyJson } from '../../shared/values/json';

export interface ObjectRecord {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The whole object, managedFields included. */
  readonly text: string;
}

/** By resource, namespace and name. */
export type Records = ReadonlyMap<string, ObjectRecord>;

/**
 * Objects that running programs write repeatedly, or when API servers start and stop: only their existence and uid must
 * stay.
 */
const VOLATILE = /^(leases\S* |endpoint(s|slices\S*) default\/platform$)/;
/** Resources with objects that expire. */
const EXPIRING: ReadonlySet<string> = new Set(['events']);
/** Objects of the load, which main.ts checks. */
const WRITTEN_BY_LOAD = /^configmaps default\/(counted|made-\d+)$/;
/** The page size of client-go's pager. */
const PAGE = 500;

/** Reads stored objects only: resources without `watch` are views. */
export async function readRecords(client: RestClient): Promise<Records> {
  const records = new Map<string, ObjectRecord>();
  for (const resource of (await discoverResources(client)).resources) {
    if (!resource.verbs.has('list') || !resource.verbs.has('watch') || EXPIRING.has(resource.resource)) continue;
    let token: string | undefined;
    do {
      const page = await client.of(resource).list({ limit: PAGE, ...(token !== undefined && { continue: token }) });
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

/** Objects of `before` that are missing, were replaced, or were written. Objects that were added are no difference. */
export function findDifferences(before: Records, after: Records): readonly string[] {
  const differences: string[] = [];
  for (const [key, previous] of before) {
    const current = after.get(key);
    if (current === undefined) differences.push(`${key} is missing`);
    else if (current.uid !== previous.uid) differences.push(`${key} has the uid ${current.uid} instead of ${previous.uid}`);
    else if (current.resourceVersion !== previous.resourceVersion)
      differences.push(`${key} has the version ${current.resourceVersion} instead of ${previous.resourceVersion}`);
    else if (current.text !== previous.text)
      differences.push(`${key} differs at the same version: ${current.text} instead of ${previous.text}`);
  }
  return differences;
}

export const countKinds = (records: Records): number => new Set([...records.keys()].map((key) => key.split(' ')[0])).size;
