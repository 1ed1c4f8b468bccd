/** Finds the last write to the store that may have changed what a scenario observes. */
import type { ScenariosHead, Scenario } from '../../replay/scenarios/scenario';
import type { StoreEvent } from '../../../apiserver/storage/store';

/** A store with its history. */
interface WrittenStore {
  readonly currentRevision: number;
  eventsAt(revision: number): readonly Pick<StoreEvent, 'key'>[];
}

/** Part of the keys of definitions, which decide whether custom objects are served. */
const DEFINITIONS = '/customresourcedefinitions/';

/**
 * Returns the revision of the last write to an object of the scenario with the given namespace: an object in it, or one
 * with its name as a part of the own name. Every write counts when scenarios compare objects with other names, or when a
 * webhook changes objects while they are read.
 */
export function lastWrites(
  store: WrittenStore,
  needs: ScenariosHead['needs'],
  scenarios: readonly Scenario[],
): (namespace: string) => number {
  const haveOwnNames = scenarios.every(({ collections }) => collections.every(({ names }) => names === undefined));
  if (!haveOwnNames || needs === 'conversion-webhook') return () => store.currentRevision;
  /** By namespace, the last revision that was examined and the last one with a write of the scenario. */
  const scans = new Map<string, { scanned: number; lastWrite: number }>();
  return (namespace) => {
    const scan = scans.get(namespace) ?? { scanned: 0, lastWrite: 0 };
    scans.set(namespace, scan);
    while (scan.scanned < store.currentRevision) {
      scan.scanned += 1;
      const isOwn = store.eventsAt(scan.scanned).some(({ key }) => key.includes(namespace) || key.includes(DEFINITIONS));
      if (isOwn) scan.lastWrite = scan.scanned;
    }
    return scan.lastWrite;
  };
}
