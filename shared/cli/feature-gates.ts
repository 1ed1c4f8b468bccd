/**
 * Feature gates: features that can be switched on or off for a whole process with `--feature-gates=Name=true,Other=false`.
 * The table holds only gates that change something in this program. Upstream's others may be set to what is so anyway; any other value or name is refused, so
 * that no one relies on an effect that is not there. Names and stages are upstream's.
 */
import { LOCKED_GATES } from './locked-gates';
import { FlagError, mapFlag, type Flag } from './flags';

/** alpha: off by default; beta: on by default; ga: always on. */
type FeatureStage = 'alpha' | 'beta' | 'ga';

interface Gate {
  readonly stage: FeatureStage;
  readonly default: boolean;
}

const GATES = {
  /** Watches that start with the current state (`sendInitialEvents`). */
  WatchList: { stage: 'alpha', default: false },
  /** Selectors of requests are told to authorizers. */
  AuthorizeWithSelectors: { stage: 'alpha', default: false },
  /** Where nobody is let in, in an AuthenticationConfiguration. */
  AnonymousAuthConfigurableEndpoints: { stage: 'alpha', default: false },
  /** Gzip of large get and list answers. */
  APIResponseCompression: { stage: 'beta', default: true },
  /** Asking who one is (SelfSubjectReview). */
  APISelfSubjectReview: { stage: 'ga', default: true },
  /** Streams to containers over WebSockets that can be closed one by one. */
  TranslateStreamCloseWebsocketRequests: { stage: 'beta', default: true },
  /** Ports forwarded over WebSockets. */
  PortForwardWebsockets: { stage: 'beta', default: true },
  /** What endpoints say of themselves while they end. */
  ProxyTerminatingEndpoints: { stage: 'ga', default: true },
  /** `trafficDistribution` of Services. */
  ServiceTrafficDistribution: { stage: 'beta', default: true },
} as const satisfies Readonly<Record<string, Gate>>;

/** Names for all gates of a stage at once; those that are named themselves keep what is said of them. */
const STAGE_BY_GROUP_GATE: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

export type FeatureName = keyof typeof GATES;

export interface FeatureGates {
  isEnabled(name: FeatureName): boolean;
  /** Every gate with its stage and state, for metrics and logs. */
  list(): readonly { readonly name: FeatureName; readonly stage: FeatureStage; readonly enabled: boolean }[];
}

/** Gates at their defaults except where `settings` (name → true/false) says otherwise. */
export function featureGates(settings: ReadonlyMap<FeatureName, boolean> = new Map()): FeatureGates {
  const isEnabled = (name: FeatureName): boolean => settings.get(name) ?? GATES[name].default;
  return { isEnabled, list: () => gateNames().map((name) => ({ name, stage: GATES[name].stage, enabled: isEnabled(name) })) };
}

/** The row for `--feature-gates` in a flag table; its value is ready to use. Repeats of the flag add up. */
export function featureGatesFlag(section: string): Flag<FeatureGates> {
  const pairs = mapFlag({ section, help: helpText(), default: new Map() });
  return {
    ...pairs,
    default: featureGates(),
    bareValue: undefined,
    parse: (text, previous) => featureGates(mergeSettings(pairs.parse(text, undefined), previous)),
    formatDefault: () => '',
  };
}

function mergeSettings(given: ReadonlyMap<string, string>, previous: FeatureGates | undefined): Map<FeatureName, boolean> {
  const pairs = new Map([...given].map(([key, value]) => [stripComponent(key), value]));
  const settings = new Map(previous?.list().map(({ name, enabled }) => [name, enabled]));
  for (const [key, stage] of STAGE_BY_GROUP_GATE) {
    const wanted = pairs.get(key)?.toLowerCase();
    if (wanted === 'true' || wanted === 'false')
      for (const name of gateNames()) if (GATES[name].stage === stage) settings.set(name, wanted === 'true');
  }
  for (const [key, value] of pairs) {
    const name = gateNames().find((known) => known === key);
    const locked = name === undefined ? LOCKED_GATES.get(key)?.enabled : lockedTo(name);
    if (name === undefined && locked === undefined && !STAGE_BY_GROUP_GATE.has(key))
      throw new FlagError(`unrecognized feature gate: ${key}`);
    if (!/^(true|false)$/i.test(value)) throw new FlagError(`invalid value of ${key}: ${JSON.stringify(value)}, must be true or false`);
    const wanted = value.toLowerCase() === 'true';
    if (locked !== undefined && wanted !== locked) {
      throw new FlagError(`cannot set feature gate ${key} to ${wanted}, feature is locked to ${locked}`);
    }
    if (name !== undefined) settings.set(name, wanted);
  }
  return settings;
}

/** What the gate is for good; undefined = it can be set. */
const lockedTo = (name: FeatureName): true | undefined => (GATES[name].stage === 'ga' ? true : undefined);

/** Upstream's programs have gates of several components, one of which is theirs. */
function stripComponent(key: string): string {
  const [component, name] = key.split(':', 2);
  if (component === undefined || name === undefined) return key;
  if (component !== 'kube') throw new FlagError(`component not registered: ${component}`);
  return name;
}

function gateNames(): FeatureName[] {
  return typedKeys(GATES);
}

function typedKeys<T extends object>(record: T): Extract<keyof T, string>[] {
  // `gates` is a closed literal, so its own keys are exactly its type's keys.
  return Object.keys(record) as Extract<keyof T, string>[];
}

function helpText(): string {
  const rows = gateNames().map((name) => `${name}=true|false (${GATES[name].stage.toUpperCase()} - default=${GATES[name].default})`);
  return `Features to switch on or off, as Name=true|false pairs. Upstream's others may be set to their defaults. Options are: ${rows.join('; ')}`;
}
