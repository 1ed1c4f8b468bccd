/** An owner's revisions as they are kept: the one of its template found, put at the end of the history or made, and what is too old deleted. Never decides what is too old. */
import { isAlreadyExists, isNotFound } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { objectAt, stringAt } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import { inOrder, isEqual, numberOf, patchOf, REVISIONS, revisionBody } from './revision';

export interface HistoryOptions {
  readonly client: RestClient;
  /** Of the owners. */
  readonly resource: Resource;
  /** Of a revision: what the hash of its data stands in. */
  readonly label: string;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly revision: ApiObject;
  /** Grows when a name is taken by something else. */
  readonly collisions: number;
}

export class History {
  constructor(private readonly options: HistoryOptions) {}

  /** The revision of the owner's template, which is the last one then. `revisions`: those of the owner. */
  async present(owner: ApiObject, revisions: readonly ApiObject[], collisions: number): Promise<Found> {
    const ordered = inOrder(revisions);
    const last = ordered.at(-1);
    const number = (last === undefined ? 0 : numberOf(last)) + 1;
    const patch = patchOf(owner);
    const equal = ordered.filter((revision) => isEqual(revision, patch)).at(-1);
    if (equal === undefined) return this.create(owner, number, collisions);
    if (equal === last) return { revision: equal, collisions };
    const { client, signal } = this.options;
    return { revision: await client.update(REVISIONS, { ...equal.body, revision: number }, { signal }), collisions };
  }

  async forget(revisions: readonly ApiObject[]): Promise<void> {
    const { client, signal } = this.options;
    for (const { namespace, name, uid } of revisions) {
      await client.delete(REVISIONS, { namespace, name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  /** What has the name may be what was to be made, by a write whose answer was lost. */
  private async create(owner: ApiObject, number: number, collisions: number): Promise<Found> {
    const { client, resource, label, signal } = this.options;
    for (let tried = collisions; ; tried++) {
      const body = revisionBody({ dialect: client.dialect, resource, owner, label, number, collisions: tried });
      try {
        return { revision: await client.create(REVISIONS, body, { signal }), collisions: tried };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const name = stringAt(objectAt(body, 'metadata'), 'name') ?? '';
        const revision = await client.get(REVISIONS, { namespace: owner.namespace, name }, { signal });
        // One that has been let go says the same still, and is not taken in for that.
        const isAnothers = (controllerOf(revision)?.uid ?? owner.uid) !== owner.uid;
        if (!isAnothers && isEqual(revision, patchOf(owner))) return { revision, collisions: tried };
      }
    }
  }
}
