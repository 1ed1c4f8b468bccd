/** The pods, volumes and attachments of this replica's cache, as the authorizer of nodes wants to know them. Decides nothing. */
import { objectAt, stringAt } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { Clock } from '../../../shared/runtime/clock';
import { NodeGraph } from '../../authorization/node/graph';
import { podReferences, volumeReferencesOf } from '../../authorization/node/references';
import { follow, together, type Follower, type Following } from '../../cache/sync/follow';
import type { OpenedCache } from '../../cache/sync/options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

export interface NodeObjectsOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly failed: (message: string, error: unknown) => void;
}

export interface NodeObjects extends Following {
  readonly graph: NodeGraph;
}

/** `isAsked`: whether anybody decides by them; else nothing is read. */
export function followNodeObjects(isAsked: boolean, options: NodeObjectsOptions): NodeObjects {
  const graph = new NodeGraph();
  if (!isAsked) return { graph, ...together([]) };
  const kinds: Readonly<Record<string, Follower>> = {
    pods: podFollower(graph),
    persistentvolumes: {
      place: (entry) => graph.setVolume(entry.key, volumeReferencesOf(parseEntry(entry).object)),
      remove: (key) => graph.setVolume(key, undefined),
    },
    'volumeattachments.storage.platform.io': {
      place: (entry) => graph.setAttachment(entry.key, stringAt(objectAt(parseEntry(entry).object, 'spec'), 'nodeName') ?? ''),
      remove: (key) => graph.setAttachment(key, undefined),
    },
  };
  const all = Object.entries(kinds).map(([resource, follower]) =>
    follow({ ...options, stored: options.resources.require(resource).stored }, follower),
  );
  return { graph, ...together(all) };
}

/**
 * A pod's status changes often and what it refers to hardly ever: an entry of the same pod on the same node is not read again, unless containers were
 * added to it while it runs.
 */
function podFollower(graph: NodeGraph): Follower {
  const placed = new Map<string, { readonly node: string; readonly mark: Buffer }>();
  const remove = (key: string): void => {
    placed.delete(key);
    graph.setPod(key, undefined, []);
  };
  return {
    place(entry) {
      const node = entry.fields['spec.nodeName'] ?? '';
      if (node === '') return remove(entry.key);
      const before = placed.get(entry.key);
      if (before?.node === node && entry.bytes.includes(before.mark) && !entry.bytes.includes(ADDED)) return;
      const { object } = parseEntry(entry);
      placed.set(entry.key, { node, mark: markOf(stringAt(readMetadata(object), 'uid') ?? '') });
      graph.setPod(entry.key, node, podReferences(object));
    },
    remove,
  };
}

const ADDED = Buffer.from('"ephemeralContainers":');

/** What tells the bytes of this pod from those of another of its name. */
const markOf = (uid: string): Buffer => Buffer.from(`"uid":"${uid}"`);
