/**
 * Feature gates: features that are enabled or disabled for a whole process with
 * `--feature-gates=Name=true,Other=false`. The table has only gates with an effect in this program. Upstream's other
 * gates may be set to their effective value (locked-gates.ts); any other value or name is rejected, so that no setting
 * is silently ignored. Names and stages are those of upstream.
 */
import { LOCKED_GATES } from './locked-gates';
import { FlagError, mapFlag, type Flag } from './flags';

/** Alpha gates are disabled by default, beta gates enabled. Gates of the stage ga are enabled and cannot be set. */
type FeatureStage = 'alpha' | 'beta' | 'ga';

interface Gate {
  readonly stage: FeatureStage;
  readonly default: boolean;
}

const GATES = {
  /** Watches that begin with the current state (`sendInitialEvents`). */
  WatchList: { stage: 'alpha', default: false },
  /** Authorizers receive the field and label selectors of requests. */
  AuthorizeWithSelectors: { stage: 'alpha', default: false },
  /** `anonymous` of an AuthenticationConfiguration: the paths that allow anonymous requests. */
  AnonymousAuthConfigurableEndpoints: { stage: 'alpha', default: false },
  /** Gzip compression of large get and list responses. */
  APIResponseCompression: { stage: 'beta', default: true },
  /** SelfSubjectReview. */
  APISelfSubjectReview: { stage: 'ga', default: true },
  /** Streams to containers over WebSockets that can be closed separately. */
  TranslateStreamCloseWebsocketRequests: { stage: 'beta', default: true },
  /** Port forwarding over WebSockets. */
  PortForwardWebsockets: { stage: 'beta', default: true },
  /** Conditions of terminating endpoints. */
  ProxyTerminatingEndpoints: { stage: 'ga', default: true },
  /** `trafficDistribution` of Services. */
  ServiceTrafficDistribution: { stage: 'beta', default: true },
} as const satisfies Readonly<Record<string, Gate>>;

/** Group gates, which set all gates of a stage except those that the same flag sets by name. */
const STAGE_BY_GROUP_GATE: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

export type FeatureName = keyof typeof GATES;

/** The settings of the feature gates; they do not change while the program runs. */
export interface FeatureGates {
  /** The setting of a gate, or its default. */
  isEnabled(name: FeatureName): boolean;
  /** All gates, for metrics and logs. */
  list(): readonly { readonly name: FeatureName; readonly stage: FeatureStage; readonly enabled: boolean }[];
}

/** The gates with the given settings; gates without a setting have their default. */
export function featureGates(settings: ReadonlyMap<FeatureName, boolean> = new Map()): FeatureGates {
  const isEnabled = (name: FeatureName): boolean => settings.get(name) ?? GATES[name].default;
  return { isEnabled, list: () => gateNames().map((name) => ({ name, stage: GATES[name].stage, enabled: isEnabled(name) })) };
}

/** The flag `--feature-gates`. Repeated flags are merged; the last setting of a gate wins. */
export function featureGatesFlag(section: string): Flag<FeatureGates> {
  const pairs = mapFlag({ section, help: helpText(), default: new Map() });
  return {
    ...pairs,
    default: featureGates(),
    bareValue: undefined,
    parse: (text, previous) => featureGates(mergeSettings(pairs.parse(text, undefined), previous)),
    // The help text lists the default of each gate.
    formatDefault: () => '',
  };
}

/** The settings of earlier occurrences of the flag, then those of group gates, then those of gates that are named. */
function mergeSettings(given: ReadonlyMap<string, string>, previous: FeatureGates | undefined): Map<FeatureName, boolean> {
  const pairs = new Map([...given].map(([key, value]) => [stripComponent(key), value]));
  const parsed = new Map([...pairs].map(([key, value]) => [key, parseSetting(key, value)]));
  const settings = new Map(previous?.list().map(({ name, enabled }) => [name, enabled]));
  for (const [group, stage] of STAGE_BY_GROUP_GATE) {
    const enabled = parsed.get(group);
    if (enabled === undefined) continue;
    for (const name of gateNames()) if (GATES[name].stage === stage) settings.set(name, enabled);
  }
  for (const name of gateNames()) {
    const enabled = parsed.get(name);
    if (enabled !== undefined) settings.set(name, enabled);
  }
  return settings;
}

/** Parses the setting of a gate, here or of upstream, or of a group gate. Throws {@link FlagError}. */
function parseSetting(key: string, value: string): boolean {
  const name = gateNames().find((known) => known === key);
  const lockedValue = name === undefined ? LOCKED_GATES.get(key)?.enabled : lockedTo(name);
  if (name === undefined && lockedValue === undefined && !STAGE_BY_GROUP_GATE.has(key))
    throw new FlagError(`unrecognized feature gate: ${key}`);
  if (!/^(true|false)$/i.test(value)) throw new FlagError(`invalid value of ${key}: ${JSON.stringify(value)}, must be true or false`);
  const enabled = value.toLowerCase() === 'true';
  if (lockedValue !== undefined && enabled !== lockedValue) {
    throw new FlagError(`cannot set feature gate ${key} to ${enabled}, feature is locked to ${lockedValue}`);
  }
  return enabled;
}

/** The only value of a gate that cannot be set; `undefined` for other gates. */
const lockedTo = (name: FeatureName): true | undefined => (GATES[name].stage === 'ga' ? true : undefined);

/**
 * Removes the component from `kube:Name`. Upstream's programs may have gates of several components; this one has only
 * those of `kube`, and rejects other components.
 */
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
  // The record is a closed literal, so its own keys are exactly the keys of its type.
  return Object.keys(record) as Extract<keyof T, string>[];
}

function helpText(): string {
  const rows = gateNames().map((name) => `${name}=true|false (${GATES[name].stage.toUpperCase()} - default=${GATES[name].default})`);
  return `Feature gates to enable or disable, as Name=true|false pairs. Upstream's other gates may be set to their defaults. Options are: ${rows.join('; ')}`;
}
