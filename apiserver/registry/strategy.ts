/**
 * What a kind may add to the write path: the rules that its row and its type tables cannot say. All members are optional, all are called with
 * decoded, defaulted objects in canonical spelling, and none looks at the store.
 */
import type { FieldError } from '../../shared/api/errors/field-error';
import type { IpFamily } from '../../shared/values/ip-address';
import type { JsonObject } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { FeatureGates } from '../../shared/runtime/feature-gates';
import type { Claims, Held } from '../allocation/claims';

export interface StrategyContext {
  readonly names: GeneratedNames;
  /** Who makes the request. */
  readonly user: UserInfo;
  /** Since 1970. */
  readonly now: number;
  /** The families in which Services get addresses; that of Services which ask for none stands first. */
  readonly serviceFamilies: readonly IpFamily[];
  readonly gates: Pick<FeatureGates, 'enabled'>;
}

export interface UpdateRules {
  /** Takes back from `old` what this endpoint may not change. Metadata has been settled already. */
  prepare?(object: JsonObject, old: JsonObject, context: StrategyContext): void;
  /**
   * After the errors of the change, or before them, the whole object is judged as a new one would be; `twice`: before them, and what is wrong is told
   * again with the change (upstream behaviour); `between`: after what the change does to the metadata. Absent = it is not judged.
   */
  readonly state?: 'first' | 'last' | 'twice' | 'between';
  /** Errors of the change that are named before those of the metadata. */
  validateFirst?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly FieldError[];
  /** The metadata has been judged with the whole object, and is not judged again with the change (upstream behaviour for EndpointSlices). */
  readonly metadataOnce?: true;
  /** Errors of the change; those of the metadata are not its concern. */
  validate?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly FieldError[];
}

/** Addresses and ports that the objects of a kind take out of the cluster's ranges, in the transaction that stores the object. */
export interface AllocationRules {
  /** Fills in what the object needs and does not name, and checks what it names. Throws a StatusError. */
  choose(object: JsonObject, old: JsonObject | undefined, claims: Claims): void;
  /** What an object holds, old or as it is going to be stored. */
  held(object: JsonObject): Held;
  /** What is named when an object needs more of them than a transaction of the store can hold. */
  readonly field: string;
}

/** What is known when an object is marked. */
export type MarkContext = Pick<StrategyContext, 'names' | 'now'>;

export interface Strategy {
  readonly allocation?: AllocationRules;
  /**
   * Settles what has to be clear before anything is allocated, on creation (`old` undefined) and on changes through the main endpoint, before
   * `prepare`. What it finds wrong is all that the client is told.
   */
  settle?(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldError[];
  /** Sets and resets what a client may not choose at creation. A status has been dropped already where `keepsStatusAtCreation` is unset. */
  prepareForCreate?(object: JsonObject, context: StrategyContext): void;
  /** What is wrong with a new object's name, or with what it is to be generated from, besides its format. */
  nameErrors?(object: JsonObject, name: string): readonly string[];
  /** Judges the whole object. `old` = what it is to replace, for rules that bear with what was stored before they were made. */
  validate?(object: JsonObject, context: StrategyContext, old?: JsonObject): readonly FieldError[];
  /** Errors of a new object that are named before those of its metadata. */
  validateFirst?(object: JsonObject, context: StrategyContext): readonly FieldError[];
  readonly update?: UpdateRules;
  readonly status?: UpdateRules;
  readonly finalize?: UpdateRules;
  readonly approval?: UpdateRules;
  readonly ephemeralcontainers?: UpdateRules;
  /** Makes members agree that say the same in two ways, before anyone is asked who owns them. */
  mirror?(object: JsonObject): void;
  /** A label on which the server insists, set on every write before and after admission. */
  stamp?(object: JsonObject, context: StrategyContext): void;
  /** Texts of Warning headers about a new object as it was sent, which are said even if it is refused. */
  warningsFirst?(object: JsonObject): readonly string[];
  /** Texts of Warning headers for a create (`old` undefined) or an update. */
  warnings?(object: JsonObject, old: JsonObject | undefined): readonly string[];
  /** The kind has a status endpoint and still takes a status at creation. */
  readonly keepsStatusAtCreation?: true;
  /** Metadata is looked at only when the kind's own rules found nothing (upstream behaviour for core Events). */
  readonly kindRulesFirst?: true;
  /** Deletion is graceful: seconds until the object may go, 0 = at once. `asked` is what the request said. */
  gracePeriod?(object: JsonObject, asked: number | undefined): number;
  /** The first DELETE only marks the object, whatever its finalizers, and says so in the object; later ones wait until nothing holds it back. */
  markDeleted?(object: JsonObject, context: MarkContext): void;
  /** Neither the generation nor the finalizers that its options ask for: that first DELETE changes only the time and what `markDeleted` does. */
  readonly marksOnly?: true;
  /** Something besides `metadata.finalizers` holds a terminating object back. */
  heldBack?(object: JsonObject): boolean;
}
