/**
 * Deletes the content of a namespace that is being deleted, and then removes this controller's finalizer from it.
 * Stages, conditions and the requeue time after a grace period are those of upstream's NamespacedResourcesDeleter with
 * OrderedNamespaceDeletion.
 */
import type { CoreV1Namespace } from '../../shared/api/types/generated/members';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { ignoreNotFound, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { discoverResources, type DiscoveredResources } from '../../shared/client/rest/discovery';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { ControllerContext } from '../runtime/controller';
import { errorMessage } from '../../shared/runtime/error-message';
import { deleteResourceContent } from './delete-resource-content';
import { deletionStages } from './deletion-stages';
import {
  hasFailed,
  isContentDeleted,
  longestGraceSeconds,
  withDeletionConditions,
  type DeletionAttempt,
  type RemainingContent,
} from './namespace-conditions';

export type Namespace = ApiObject<CoreV1Namespace>;

export const NAMESPACES = resourceOf('core.v1.Namespace');

/** Resources of one namespace that are deleted concurrently. */
const CONCURRENT_RESOURCES = 4;
/** Attempts that start within this time of a discovery share it. Milliseconds. */
const DISCOVERY_MAX_AGE_MS = 1_000;

/** The finalizer in `spec.finalizers` that this controller removes, in both dialects. */
const NAMESPACE_FINALIZERS: ReadonlySet<string> = new Set(
  Object.values(GENERATED_NAMES).map(({ namespaceFinalizer }) => namespaceFinalizer),
);

/** One instance for all namespaces, which share its discovery. */
export class NamespacedResourcesDeleter {
  private discovery: { readonly startedAt: number; readonly result: Promise<DiscoveredResources> } | undefined;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'signal'>) {}

  /**
   * One attempt: `wait` and `again` request another one. Ignores a namespace that is not being deleted or lacks the
   * finalizer. Rejects when discovery fails as a whole or the namespace cannot be read or written; failed discovery of
   * single groups and failures to delete content are in the conditions.
   */
  async delete(name: string): Promise<WorkOutcome> {
    const namespace = await this.read(name);
    if (namespace === undefined || !isBeingDeleted(namespace) || !hasNamespaceFinalizer(namespace)) return DONE;
    const attempt = await this.deleteAllContent(name);
    if (!isContentDeleted(attempt)) {
      await this.reportAttempt(namespace, attempt);
      const graceSeconds = longestGraceSeconds(attempt);
      const isWaitingForGracePeriod = graceSeconds > 0 && !hasFailed(attempt);
      // A second after half of the grace period, as upstream: many pods terminate before it ends.
      return isWaitingForGracePeriod ? { type: 'again', afterMs: (graceSeconds / 2 + 1) * 1000 } : { type: 'wait' };
    }
    // A namespace with other finalizers continues to exist, so its conditions must show that the content is deleted.
    const latest = finalizersOf(namespace).length === 0 ? namespace : await this.reportAttempt(namespace, attempt);
    await this.finalizeNamespace(latest);
    return DONE;
  }

  /** Ends after the first stage of which something remains or fails. */
  private async deleteAllContent(namespace: string): Promise<DeletionAttempt> {
    const { client, signal } = this.context;
    const { resources, stale, malformed } = await this.discoverResources();
    const failures: string[] = [];
    const remaining: RemainingContent[] = [];
    for (const stage of deletionStages(resources)) {
      await withConcurrencyLimit(CONCURRENT_RESOURCES, stage, async (resource) => {
        try {
          const content = await deleteResourceContent(resource, { client, namespace, signal });
          if (content !== undefined) remaining.push(content);
        } catch (error) {
          signal.throwIfAborted();
          failures.push(errorMessage(error));
        }
      });
      if (failures.length > 0 || remaining.length > 0) break;
    }
    return { staleVersions: stale, malformedVersions: malformed, failures, remaining };
  }

  /** Concurrent attempts share a request; a failed one is not cached. */
  private discoverResources(): Promise<DiscoveredResources> {
    const { client, clock, signal } = this.context;
    const now = clock.monotonic();
    if (this.discovery !== undefined && now - this.discovery.startedAt < DISCOVERY_MAX_AGE_MS) return this.discovery.result;
    const result = discoverResources(client, { signal });
    this.discovery = { startedAt: now, result };
    result.catch(() => {
      if (this.discovery?.result === result) this.discovery = undefined;
    });
    return result;
  }

  /** Logs the attempt and writes the conditions, if they have changed. Returns the namespace with them. */
  private async reportAttempt(namespace: Namespace, attempt: DeletionAttempt): Promise<Namespace> {
    const { client, clock, logger, signal } = this.context;
    const { staleVersions, failures, remaining } = attempt;
    const updated = withDeletionConditions(namespace.body, attempt, formatTimestamp(clock.now()));
    if (updated === undefined) return namespace;
    logger.info('a terminating namespace is not empty', {
      namespace: namespace.name,
      ...(staleVersions.length === 0 ? {} : { undescribed: staleVersions }),
      ...(failures.length === 0 ? {} : { failures }),
      remaining: Object.fromEntries(remaining.map(({ resource, count, examples }) => [resource, { count, examples }])),
    });
    return client.of(NAMESPACES).updateStatus(updated, { signal });
  }

  private async finalizeNamespace({ name, body }: Namespace): Promise<void> {
    const { client, logger, signal } = this.context;
    const finalizers = (body.spec?.finalizers ?? []).filter((finalizer) => !NAMESPACE_FINALIZERS.has(finalizer));
    const update = { ...body, spec: { ...body.spec, finalizers } };
    await client.of(NAMESPACES).updateSubresource('finalize', update, { signal }).catch(ignoreNotFound);
    logger.debug('the content of a namespace was deleted', { namespace: name });
  }

  /** From the server, because the informer may be behind. Undefined when the namespace does not exist. */
  private read(name: string): Promise<Namespace | undefined> {
    const { client, signal } = this.context;
    return undefinedIfNotFound(client.of(NAMESPACES).get(name, { signal }));
  }
}

function hasNamespaceFinalizer({ body }: Namespace): boolean {
  return (body.spec?.finalizers ?? []).some((finalizer) => NAMESPACE_FINALIZERS.has(finalizer));
}
