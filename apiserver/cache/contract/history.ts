/** Random histories: writes of few objects, and watches that are opened between them. Playing them is left to recording.ts. */
import fc from 'fast-check';
import type { StoredType } from '../cache';
import { configMaps, nodes } from '../../../test/support/store/cache-fixture';

/** A write of one object. */
export interface Write {
  readonly type: StoredType;
  readonly key: string;
  /** Value of the label `on` after the write; `undefined` for a deletion of the object. */
  readonly on: boolean | undefined;
}

/** A step of a history. */
export interface Step {
  /** The writes of one transaction; each key occurs at most once. */
  readonly writes: readonly Write[];
  /** A watch that is opened after the transaction. */
  readonly watch: WatchPlan | undefined;
}

/** How a watch is opened. */
export interface WatchPlan {
  readonly type: StoredType;
  readonly namespace?: string;
  readonly name?: string;
  /** Selects only objects with the label `on: "true"`. */
  readonly isSelective: boolean;
  /** Whether a selective watch has the index hint for the field `on`, which always has the value of the label. */
  readonly usesIndex: boolean;
  /**
   * The watch starts after the step that is this many steps before its own; `undefined` to start with the current state.
   */
  readonly stepsBack: number | undefined;
}

const names = ['a', 'b', 'c'];
const namespaces = ['n', 'n-1'];
/** ConfigMaps are written and watched twice as often as Nodes, which have no namespace. */
const anyType = fc.constantFrom(configMaps, configMaps, nodes);

const anyWrite: fc.Arbitrary<Write> = fc
  .record({
    type: anyType,
    key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map(([namespace, name]) => `${namespace}/${name}`),
    on: fc.constantFrom(true, true, false, undefined),
  })
  .map((write) => (write.type.namespaced ? write : { ...write, key: write.key.slice(write.key.indexOf('/') + 1) }));

const anyWatchPlan: fc.Arbitrary<WatchPlan> = fc
  .record(
    {
      type: anyType,
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom(...names),
      isSelective: fc.boolean(),
      usesIndex: fc.boolean(),
      stepsBack: fc.option(fc.nat(30), { nil: undefined }),
    },
    { requiredKeys: ['type', 'isSelective', 'usesIndex', 'stepsBack'] },
  )
  .map((candidate) => {
    const { namespace: _namespace, ...clusterWide } = candidate;
    return candidate.type.namespaced ? candidate : clusterWide;
  });

/** Random histories. Namespaces and names are few, so that objects are written repeatedly. */
export const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    writes: fc.uniqueArray(anyWrite, { minLength: 1, maxLength: 3, selector: (candidate) => `${candidate.type.name} ${candidate.key}` }),
    watch: fc.option(anyWatchPlan, { nil: undefined, freq: 2 }),
  }),
  { minLength: 10, maxLength: 60 },
);

/** Whether a watch with this plan sees the key. */
export function isInScope(plan: WatchPlan, key: string): boolean {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, Math.max(0, slash));
  const name = key.slice(slash + 1);
  return (plan.namespace ?? namespace) === namespace && (plan.name ?? name) === name;
}
