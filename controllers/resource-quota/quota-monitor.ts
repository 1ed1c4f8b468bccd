/**
 * Copies of what quotas count, kind by kind: begun when a quota first speaks of a kind, ended when the kind is not served any more. Holds only the metadata of
 * kinds of which nothing but the number counts.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { discover, type ServedResource } from '../../shared/client/rest/discovery';
import { Informer } from '../../shared/client/informer/informer';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import { pause, raceSignal } from '../../shared/client/signals';
import type { GroupResource } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { equalJson, own } from '../../shared/values/json';
import type { ControllerContext } from '../runtime/controller';
import { indexInformer, type ObjectIndex } from '../runtime/object-index';
import { isPodTerminated } from '../runtime/pods';

/** Kinds of which more than the number counts. */
const WHOLE: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);
/** So often the server is asked what it serves, while quotas speak of kinds that come and go. Milliseconds. */
const DISCOVERY_MS = 30_000;
/** For a kind that is not known the server is asked at once, but not more often than this. Milliseconds. */
const FRESH_MS = 2_000;
/** A copy that is not complete after so long is waited for at the next look. Milliseconds. */
const FILL_MS = 10_000;
const BY_NAMESPACE = { namespace: ({ namespace }: ApiObject) => [namespace] };
const VERBS = ['create', 'list', 'watch', 'delete'];

interface Followed {
  readonly informer: Informer;
  readonly index: ObjectIndex;
  readonly end: () => void;
}

export class CountedKinds {
  private readonly followed = new Map<string, Followed>();
  private served: { readonly at: number; readonly kinds: Promise<ReadonlyMap<string, ServedResource>> } | undefined;
  /** Kinds that a quota speaks of and that may come or go, and since when; as of Clock.monotonic. */
  private readonly uncertain = new Map<string, number>();

  constructor(
    private readonly context: Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal'>,
    /** Told of a change in what an object of the namespace uses. */
    private readonly changed: (kind: string, namespace: string) => void,
    /** Told of kinds that came or went. */
    private readonly renewed: (kinds: ReadonlySet<string>) => void,
  ) {}

  /**
   * Follows the kind if it is served. Throws when its copy does not become complete in time. The answer is when to try again, in milliseconds: a kind that is
   * not known may have come a moment ago; undefined = it is followed, or not served.
   */
  async follow(kind: GroupResource): Promise<number | undefined> {
    const key = keyOfKind(kind);
    const followed = this.followed.get(key) ?? (await this.begin(key));
    const { clock, signal } = this.context;
    if (followed === undefined) return clock.monotonic() - (this.uncertain.get(key) ?? 0) < FRESH_MS ? FRESH_MS : undefined;
    if (followed.informer.hasSynced) return undefined;
    const waiting = new AbortController();
    try {
      await raceSignal(Promise.race([followed.informer.synced, clock.sleep(FILL_MS, waiting.signal)]), signal);
    } finally {
      waiting.abort();
    }
    if (!followed.informer.hasSynced) throw new Error(`the copy of ${key} is not complete`);
    return undefined;
  }

  /** Undefined for a kind that is not followed. */
  objects(kind: GroupResource, namespace: string): readonly ApiObject[] | undefined {
    return this.followed.get(keyOfKind(kind))?.index.store.byIndex('namespace', namespace);
  }

  /** Looks again and again at what is served, as long as it matters. */
  async keepLooking(): Promise<void> {
    const { clock, signal, logger } = this.context;
    while (await pause(clock, DISCOVERY_MS, signal)) {
      if (this.uncertain.size === 0) continue;
      try {
        await this.renew();
      } catch (error) {
        if (!signal.aborted) logger.warn('cannot ask what is served, trying again', { error });
      }
    }
  }

  end(): void {
    for (const { end } of this.followed.values()) end();
    this.followed.clear();
  }

  private async renew(): Promise<void> {
    const served = await this.discovered(0);
    const changed = new Set<string>();
    for (const key of this.uncertain.keys()) {
      const followed = this.followed.get(key);
      if (served.has(key) === (followed !== undefined)) continue;
      changed.add(key);
      followed?.end();
      this.followed.delete(key);
    }
    if (changed.size > 0) this.renewed(changed);
  }

  private async begin(key: string): Promise<Followed | undefined> {
    const resource = (await this.discovered()).get(key) ?? (await this.discovered(FRESH_MS)).get(key);
    const isCertain = SERVED_KINDS.some((row) => keyOfKind(row) === key) && resource !== undefined;
    if (!isCertain && !this.uncertain.has(key)) this.uncertain.set(key, this.context.clock.monotonic());
    // Another worker may have begun meanwhile.
    const begun = this.followed.get(key);
    if (resource === undefined || begun !== undefined) return begun;
    const followed = isCertain ? this.shared(resource) : this.ofOwn(resource);
    this.followed.set(key, followed);
    return followed;
  }

  /** Kinds that are always there are followed together with whoever else follows them. */
  private shared(resource: Resource): Followed {
    const isWhole = resource.group === '' && WHOLE.has(resource.resource);
    const informer = this.context.informers.of(isWhole ? resource : metadataOf(resource));
    return this.heard(informer, () => undefined);
  }

  private ofOwn(resource: ServedResource): Followed {
    const { client, clock, random, logger, signal } = this.context;
    const ending = new AbortController();
    const informer = new Informer({ client, clock, random, logger, resource: metadataOf(resource) });
    void informer.run(AbortSignal.any([signal, ending.signal]));
    return this.heard(informer, () => ending.abort());
  }

  private heard(informer: Informer, stop: () => void): Followed {
    const key = keyOfKind(informer.resource);
    const index = indexInformer(informer, BY_NAMESPACE);
    const unhandle = informer.handle({
      added: ({ namespace }) => this.changed(key, namespace),
      updated: (then, now) => {
        if (usesOtherwise(then, now)) this.changed(key, now.namespace);
      },
      deleted: ({ namespace }) => this.changed(key, namespace),
    });
    const end = (): void => {
      unhandle();
      index.end();
      stop();
    };
    return { informer, index, end };
  }

  /** Namespaced kinds whose objects come and go, by their keys; what was asked longer ago than `freshMs` is asked again. */
  private discovered(freshMs = Number.POSITIVE_INFINITY): Promise<ReadonlyMap<string, ServedResource>> {
    const { client, clock, signal } = this.context;
    const at = clock.monotonic();
    if (this.served === undefined || at - this.served.at >= freshMs) {
      const kinds = discover(client, { signal }).then(({ resources }) => byKey(resources));
      this.served = { at, kinds };
      kinds.catch(() => (this.served = undefined));
    }
    return this.served.kinds;
  }
}

function byKey(resources: readonly ServedResource[]): ReadonlyMap<string, ServedResource> {
  const counted = resources.filter(({ namespaced, verbs }) => namespaced && VERBS.every((verb) => verbs.has(verb)));
  return new Map(counted.map((resource) => [keyOfKind(resource), resource]));
}

export const keyOfKind = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

/** Whether a change may change what the object uses. Of objects without a spec, that is of mere metadata, nothing can. */
function usesOtherwise(then: ApiObject, now: ApiObject): boolean {
  if (own(now.body, 'spec') === undefined) return false;
  return (
    isPodTerminated(then) !== isPodTerminated(now) ||
    isBeingDeleted(then) !== isBeingDeleted(now) ||
    !equalJson(own(then.body, 'spec'), own(now.body, 'spec'))
  );
}
