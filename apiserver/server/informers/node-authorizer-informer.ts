/**
 * Keeps the graph of the Node authorizer up to date from the pods, volumes and attachments in this replica's cache.
 * What an edge permits is left to `authorization/node`.
 */
import { objectAt, stringAt } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { Clock } from '../../../shared/runtime/clock';
import { NodeGraph } from '../../authorization/node/graph';
import { podReferences, persistentVolumeReferences } from '../../authorization/node/references';
import { followType, combineFollowers, type ObjectHandler, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface NodeAuthorizerInformerOptions {
  /** Whether the Node authorizer is enabled; otherwise nothing is watched. */
  readonly isNeeded: boolean;
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
}

/** `graph` is updated until `stop`. */
export interface NodeAuthorizerInformer extends TypeFollower {
  /** Empty, and never updated, when the Node authorizer is disabled. */
  readonly graph: NodeGraph;
}

/** Returns at once; `complete` resolves when the existing objects are in the graph. */
export function startNodeAuthorizerInformer(options: NodeAuthorizerInformerOptions): NodeAuthorizerInformer {
  const graph = new NodeGraph();
  if (!options.isNeeded) return { graph, ...combineFollowers([]) };
  const kinds: Readonly<Record<string, ObjectHandler>> = {
    pods: podHandler(graph),
    persistentvolumes: {
      upsert: (entry) => graph.setVolume(entry.key, persistentVolumeReferences(parseEntry(entry).object)),
      remove: (key) => graph.setVolume(key, undefined),
    },
    'volumeattachments.storage.platform.io': {
      upsert: (entry) => graph.setAttachment(entry.key, stringAt(objectAt(parseEntry(entry).object, 'spec'), 'nodeName') ?? ''),
      remove: (key) => graph.setAttachment(key, undefined),
    },
  };
  const informers = Object.entries(kinds).map(([resource, handler]) =>
    followType({ ...options, stored: options.resources.require(resource).stored }, handler),
  );
  return { graph, ...combineFollowers(informers) };
}

const EPHEMERAL_CONTAINERS = Buffer.from('"ephemeralContainers":');

/**
 * Parses a pod when it is bound to a node, and does not parse later entries of it, because its status changes often and
 * its references do not. The exception are pods with ephemeral containers, which can be added while a pod runs.
 */
function podHandler(graph: NodeGraph): ObjectHandler {
  const known = new Map<string, { readonly node: string; readonly uidBytes: Buffer }>();
  const remove = (key: string): void => {
    known.delete(key);
    graph.setPod(key, undefined, []);
  };
  return {
    upsert(entry) {
      const node = entry.fields['spec.nodeName'] ?? '';
      if (node === '') return remove(entry.key);
      const previous = known.get(entry.key);
      if (previous?.node === node && entry.bytes.includes(previous.uidBytes) && !entry.bytes.includes(EPHEMERAL_CONTAINERS)) return;
      const { object } = parseEntry(entry);
      known.set(entry.key, { node, uidBytes: uidText(stringAt(readMetadata(object), 'uid') ?? '') });
      graph.setPod(entry.key, node, podReferences(object));
    },
    remove,
  };
}

/** Bytes that distinguish the entries of a pod from those of a later pod with its name. */
const uidText = (uid: string): Buffer => Buffer.from(`"uid":"${uid}"`);
