/**
 * Keeps the history of an owner's pod template as ControllerRevisions: creates the revision of the current template, or
 * gives an equal older one the highest number. The caller decides which old revisions to delete.
 */
import { ignoreNotFound, isAlreadyExists } from '../../shared/client/rest/api-error';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { controllerOf } from '../runtime/pods';
import {
  isRevisionOf,
  revisionBody,
  revisionNumberOf,
  REVISIONS,
  sortRevisions,
  templatePatchOf,
  type ControllerRevision,
  type TemplateOwner,
} from './controller-revision';

/** The owners and the client of one {@link RevisionHistory}. */
export interface RevisionHistoryOptions {
  readonly client: RestClient;
  /** The resource of the owners. */
  readonly resource: Resource;
  /** The label of a revision that holds the hash of its data. */
  readonly label: string;
  readonly signal: AbortSignal;
}

/** The revision of the current template, as it is stored. */
export interface CurrentRevision {
  readonly revision: ControllerRevision;
  /** The owner's new `collisionCount`: it grows when another object has the name of a revision. */
  readonly collisionCount: number;
}

/** The histories of the owners of one kind. */
export class RevisionHistory {
  constructor(private readonly options: RevisionHistoryOptions) {}

  /**
   * Makes the revision of the owner's template the latest one, with at most one write unless names collide.
   * `revisions`: the observed ones of the owner, in any order. `collisionCount`: from the owner's status.
   */
  async ensureCurrent(owner: TemplateOwner, revisions: readonly ControllerRevision[], collisionCount: number): Promise<CurrentRevision> {
    const ordered = sortRevisions(revisions);
    const last = ordered.at(-1);
    const number = (last === undefined ? 0 : revisionNumberOf(last)) + 1;
    const patch = templatePatchOf(owner);
    const equal = ordered.filter((revision) => isRevisionOf(revision, patch)).at(-1);
    if (equal === undefined) return this.create(owner, number, collisionCount);
    if (equal === last) return { revision: equal, collisionCount };
    const { client, signal } = this.options;
    return {
      revision: await client
        .of(REVISIONS)
        .namespace(equal.namespace)
        .update({ ...equal.body, revision: number }, { signal }),
      collisionCount,
    };
  }

  /** One after the other; a revision that does not exist any more is skipped, any other refusal ends the deletions. */
  async delete(revisions: readonly ControllerRevision[]): Promise<void> {
    const { client, signal } = this.options;
    for (const { namespace, name, uid } of revisions) {
      await client.of(REVISIONS).namespace(namespace).delete(name, { preconditions: { uid }, signal }).catch(ignoreNotFound);
    }
  }

  /**
   * Creates the revision of the template. When its name is taken by another revision, the collision count grows until a
   * name is free. When the name is taken by an equal revision, that one is returned with its own number: the informer does
   * not show it yet, or an earlier request created it without a response.
   */
  private async create(owner: TemplateOwner, number: number, initialCollisionCount: number): Promise<CurrentRevision> {
    const { client, resource, label, signal } = this.options;
    for (let collisionCount = initialCollisionCount; ; collisionCount++) {
      const body = revisionBody({ dialect: client.dialect, resource, owner, label, number, collisionCount });
      try {
        return { revision: await client.of(REVISIONS).namespace(owner.namespace).create(body, { signal }), collisionCount };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const revision = await client
          .of(REVISIONS)
          .namespace(owner.namespace)
          .get(body.metadata?.name ?? '', { signal });
        // A released revision still holds the same data. It is used as it is and not adopted here.
        const hasOtherOwner = (controllerOf(revision)?.uid ?? owner.uid) !== owner.uid;
        if (!hasOtherOwner && isRevisionOf(revision, templatePatchOf(owner))) return { revision, collisionCount };
      }
    }
  }
}
